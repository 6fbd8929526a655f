"""What a test can do through the fixture: each sentence does what it says, and says what is wrong with a bad one."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import flask
import pytest
from sqlalchemy import delete

from sender.errors import Conflict, NotFound, UsageError
from sender.store.schema import attempts
from sender.testing import LawsBroken
from sender.testing import Paymos as Simulator
from sender.testing.hosting import host

if TYPE_CHECKING:
    from collections.abc import Callable

    from sender.testing import Paymos

RUNGS = ["0", "1m", "3m", "7m", "15m", "31m", "1h3m", "2h3m", "4h3m", "8h3m", "16h3m"]


class Answers:
    """A receiver that answers what it is told to, and counts."""

    def __init__(self, status: int = 204) -> None:
        self.status = status
        self.count = 0

    def __call__(self, environ: dict[str, Any], start: Callable[..., Any]) -> list[bytes]:
        self.count += 1
        environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"]))
        start(f"{self.status} x", [])
        return [b""]


@pytest.fixture
def answers(paymos: Paymos) -> Answers:
    """Give a subscribed receiver."""
    receiver = Answers()
    paymos.receiver(receiver)
    return receiver


def test_the_ladder_runs_out_and_support_resends(paymos: Paymos, answers: Answers) -> None:
    """Sixteen hours pass, the delivery fails, and one that is resent by hand arrives."""
    invoice = paymos.create_invoice("10.00")
    answers.status = 503
    paymos.pay(invoice)
    began = paymos.now()
    assert paymos.advance(until="idle") - began == timedelta(hours=16, minutes=3)
    (paid,) = paymos.expect(invoice, "invoice.paid", state="failed", statuses=[503] * 11, at=RUNGS)
    answers.status = 204
    paymos.resend(paid)
    (paid,) = paymos.deliveries(invoice, "invoice.paid")
    assert (paid.state, paid.attempts[-1].trigger, paid.json["data"]["payment"]["paid"]) == (
        "delivered",
        "manual",
        "10.00",
    )
    paymos.resend(invoice, "invoice.confirming")
    assert answers.count == 24


def test_time_moves_in_one_way_at_a_time(paymos: Paymos) -> None:
    """By text, by units, by a timedelta, to an instant; and no other way."""
    start = datetime(2026, 3, 2, 9, tzinfo=UTC)
    assert paymos.now() == start
    assert paymos.advance("1h30m") == start + timedelta(hours=1.5)
    assert paymos.advance(days=1, minutes=0.5) == start + timedelta(hours=25.5, seconds=30)
    assert paymos.advance(timedelta(seconds=30)) == start + timedelta(hours=25.5, minutes=1)
    assert paymos.advance(to="2026-03-04T00:00:00Z") == datetime(2026, 3, 4, tzinfo=UTC)
    assert paymos.advance(to=datetime(2026, 3, 5, tzinfo=UTC)) == datetime(2026, 3, 5, tzinfo=UTC)


def test_invoices_go_through_their_lives(paymos: Paymos, answers: Answers) -> None:
    """Every outcome of the provider can be brought about."""
    make = paymos.create_invoice
    assert paymos.pay(make("10"), outcome="overpaid").status == "paid_over"
    assert paymos.pay(make("10"), amount=Decimal(4)).status == "underpaid_waiting"
    assert paymos.pay(make("10"), outcome="paid_late").paid_late_at is not None
    assert paymos.cancel(make("10")).status == "cancelled"
    assert paymos.expire(make("10")).status == "expired"
    invoice = paymos.choose_network(make("10"), "USDT", "TRC20")
    assert invoice.status == "awaiting_payment"
    seen = paymos.transfer(invoice, "10")
    assert paymos.invoice(invoice).status == "confirming"
    assert paymos.reorg_transfers(invoice, [seen]).status == "awaiting_payment"
    paymos.transfer(invoice, "10")
    assert paymos.confirm_transfers(invoice).status == "paid"
    assert [one.event for one in paymos.deliveries(invoice)] == [
        "invoice.confirming", "invoice.awaiting_payment", "invoice.confirming", "invoice.paid",
    ]  # fmt: skip


def test_money_goes_out_and_comes_in(paymos: Paymos, answers: Answers) -> None:
    """Deposits fill the balance that withdrawals take from."""
    channel = paymos.create_channel("ann")
    gift = paymos.deposit(channel, "100", stage="confirming")
    assert paymos.reorg_deposit(gift).status == "reorged"
    assert paymos.confirm_deposit(gift).status == "confirmed"
    assert paymos.block(channel).status == "blocked"
    assert paymos.unblock(channel).status == "active"
    payout = paymos.create_withdrawal("10")
    assert paymos.review(payout).status == "pending_review"
    assert paymos.call_back(payout).status == "cancelled"
    assert paymos.fail(paymos.process(paymos.create_withdrawal("10"))).status == "failed"
    assert paymos.complete(paymos.process(paymos.create_withdrawal("10"))).status == "completed"
    assert paymos.withdrawal(payout).status == "cancelled"


def test_endpoints_are_managed(paymos: Paymos, answers: Answers) -> None:
    """What a person does in the dashboard: suspend, resume, edit, rotate, delete."""
    answers.status = 500
    paymos.cancel(invoice := paymos.create_invoice("10"))
    answers.status = 204
    paymos.suspend()
    paymos.advance(hours=1)
    paymos.expect(invoice, "invoice.cancelled", state="pending", attempts=1)
    paymos.resume()
    paymos.expect(invoice, "invoice.cancelled", state="delivered", attempts=2)
    assert paymos.rotate_secret().previous_secret == paymos.secret
    paymos.cancel(cancelled := paymos.create_invoice("10"))
    (delivery,) = paymos.deliveries(cancelled)
    assert delivery.attempts[0].headers["X-Webhook-Signature"].count("v1=") == 2
    second = paymos.endpoint("http://127.0.0.1:9/nobody", categories=["withdrawal"])
    with pytest.raises(UsageError, match="which endpoint is meant is not said"):
        paymos.suspend()
    assert paymos.edit(second, url="http://127.0.0.1:9/still-nobody").url.endswith("still-nobody")
    assert paymos.unsubscribe(second).status == "deleted"


def test_faults_are_armed_and_taken_back(paymos: Paymos, answers: Answers) -> None:
    """A lost answer makes a duplicate one minute later; what is disarmed never strikes; a restart loses nothing."""
    paymos.wire("lose_response", event="invoice.paid")
    invoice = paymos.pay(paymos.create_invoice("10"))
    paymos.restart()
    paymos.advance("70s")
    (paid,) = paymos.expect(invoice, "invoice.paid", state="delivered", statuses=[None, 204])
    assert (paid.reasons, paid.attempts[0].faults) == (["timeout", None], ("lose_response",))
    paymos.wire("duplicate", copies=2)
    paymos.crash("relay.after_send")
    paymos.disarm()
    before = answers.count
    paymos.cancel(paymos.create_invoice("10"))
    assert answers.count == before + 1


def test_a_crash_of_the_api_is_asked_again(paymos: Paymos, answers: Answers) -> None:
    """The merchant's client sees an error and repeats; there is one invoice and one event."""
    paymos.crash("dispatch.after_commit", event="invoice.cancelled")
    invoice = paymos.create_invoice("10")
    paymos.cancel(invoice)
    paymos.expect(invoice, "invoice.cancelled", state="delivered", attempts=1)


def test_two_endpoints_are_told_apart(paymos: Paymos, answers: Answers) -> None:
    """Deliveries can be asked for by endpoint, and an expectation holds for each of them."""
    deaf = paymos.endpoint("http://127.0.0.1:9/nobody")
    paymos.cancel(invoice := paymos.create_invoice("10"))
    (refused,) = paymos.deliveries(invoice, endpoint=deaf)
    assert refused.reasons == ["refused"]
    with pytest.raises(AssertionError, match="state is pending, and delivered was expected"):
        paymos.expect(invoice, "invoice.cancelled", state="delivered")


def test_an_expectation_that_fails_shows_everything(paymos: Paymos, answers: Answers) -> None:
    """Each thing that is otherwise is said, and the attempts are shown."""
    answers.status = 500
    paymos.cancel(invoice := paymos.create_invoice("10"))
    with pytest.raises(AssertionError) as failed:
        paymos.expect(invoice, "invoice.cancelled", state="delivered", attempts=2, statuses=[500, 204], at=["0", "1m"])
    said = str(failed.value)
    assert "state is pending, and delivered was expected" in said
    assert "attempts is 1, and 2 was expected" in said
    assert "statuses is [500], and [500, 204] was expected" in said
    assert "at is ['0s'], and ['0', '1m'] was expected" in said
    assert "invoice.cancelled of order-1 to http://127.0.0.1" in said
    with pytest.raises(AssertionError, match=r"invoice.paid was not announced; announced were \['invoice.cancelled'\]"):
        paymos.expect(invoice, "invoice.paid")


BAD: dict[str, tuple[Callable[[Any], Any], type[Exception], str]] = {
    "amount": (lambda paymos: paymos.create_invoice(10.0), UsageError, 'as in amount="10.00", not'),
    "outcome": (lambda paymos: paymos.pay("inv_1", outcome="payed"), UsageError, "did you mean 'paid'"),
    "unknown": (lambda paymos: paymos.pay("inv_1"), NotFound, "there is no invoice 'inv_1'"),
    "point": (lambda paymos: paymos.crash("relay.after_sent"), UsageError, "did you mean 'relay.after_send'"),
    "fault": (lambda paymos: paymos.wire("drop", copies=2), UsageError, "no field 'copies'"),
    "event": (lambda paymos: paymos.wire("drop", event="invoice.payed"), UsageError, "did you mean 'invoice.paid'"),
    "asked": (lambda paymos: paymos.deliveries(event="x"), UsageError, "'x' is no event"),
    "ways": (lambda paymos: paymos.advance("1h", hours=1), UsageError, "say in one way"),
    "way": (lambda paymos: paymos.advance(), UsageError, "say in one way"),
    "unit": (lambda paymos: paymos.advance(ours=1), UsageError, "ours: time is moved by days, hours"),
    "back": (lambda paymos: paymos.advance(hours=-1), UsageError, "never goes back"),
    "zone": (lambda paymos: paymos.advance(to=datetime(2027, 1, 1)), UsageError, "without a zone"),  # noqa: DTZ001
    "app": (lambda paymos: paymos.receiver(5), UsageError, "neither a URL nor a WSGI, ASGI or aiohttp"),
    "resend": (lambda paymos: paymos.resend("inv_1", "invoice.paid"), UsageError, "no invoice.paid about inv_1"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_sentence_is_refused(paymos: Paymos, case: str) -> None:
    """What cannot be meant is refused in a sentence that says what would be right."""
    speak, kind, said = BAD[case]
    with pytest.raises(kind) as refused:
        speak(paymos)
    assert said in str(refused.value)


async def test_waiting_within_a_loop_is_refused(paymos: Paymos) -> None:
    """A call that would stop the test's loop, and its receiver with it, says what to write."""
    with pytest.raises(UsageError, match=r"write await paymos.aio.advance\(…\)"):
        paymos.advance(hours=1)
    await paymos.aio.advance(hours=1)


async def test_only_asynchronous_applications_run_in_a_loop(paymos: Paymos) -> None:
    """A WSGI application would block it."""
    with pytest.raises(UsageError, match=r"use paymos.receiver\(app\)"):
        async with paymos.aio.serving(flask.Flask("shop")):
            pass


@pytest.mark.paymos(seed=7, clock="skip", attempt_timeout="300ms", start="2030-01-01T00:00:00Z")
def test_the_marker_sets_options(paymos: Paymos) -> None:
    """Seed, clock, start and timeout are those of the marker; with ``skip`` nobody has to move time."""
    assert paymos.secret == Simulator(seed=7).secret != Simulator().secret
    paymos.receiver(receiver := Answers(503))
    paymos.cancel(invoice := paymos.create_invoice("10"))
    paymos.advance(until="delivered", about=invoice)
    paymos.expect(invoice, "invoice.cancelled", state="failed", attempts=11)
    assert (receiver.count, paymos.now().year) == (11, 2030)


def test_a_factory_makes_several(paymos_factory: Callable[..., Paymos]) -> None:
    """Two providers side by side know nothing of each other."""
    one, two = paymos_factory(), paymos_factory(seed=2)
    invoice = one.create_invoice("10")
    assert one.secret != two.secret
    with pytest.raises(NotFound):
        two.invoice(invoice)
    with pytest.raises(Conflict):
        one.cancel(one.cancel(invoice))


def test_a_broken_law_is_raised_at_the_end() -> None:
    """A delivery that was made to vanish from the records is found, and named."""
    simulator = Simulator()
    simulator.start()
    simulator.receiver(Answers())
    simulator.cancel(simulator.create_invoice("10"))
    simulator.thread.run(_forget_attempts(simulator))
    with pytest.raises(LawsBroken, match="it counts as delivered, and no attempt on record was taken"):
        simulator.close()


async def _forget_attempts(simulator: Paymos) -> None:
    async with simulator.aio._simulator.database.write() as session:
        await session.run(delete(attempts))


def test_without_laws_nothing_is_raised() -> None:
    """``laws=False`` leaves them out."""
    with Simulator(laws=False) as simulator:
        simulator.receiver(Answers())
        simulator.cancel(simulator.create_invoice("10"))
        simulator.thread.run(_forget_attempts(simulator))


def test_an_option_that_there_is_not_is_refused() -> None:
    """Its name is said, and the nearest one."""
    with pytest.raises(UsageError, match="'sed' is no option of paymos; did you mean 'seed'"):
        Simulator(sed=2)


def test_what_is_no_application_is_not_hosted() -> None:
    """Nothing is left behind by one that cannot be served."""
    with pytest.raises(UsageError):
        host(None)
