"""Each verb of a story does what it says: the events that follow, and what the API shows afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sender.errors import UsageError
from tests.playing import stage

if TYPE_CHECKING:
    from pathlib import Path

WITHDRAWAL = '  - create_withdrawal: {as: payout, amount: "25", currency: USDT, network: TRC20}\n'
CHANNEL = "  - create_channel: {as: ann}\n"
DEPOSIT = '  - deposit: {as: gift, channel: ann, amount: "20", currency: USDT, network: TRC20'

STORIES = {
    "a transfer waits for its confirmations, and is listed": (
        '  - transfer: {as: first, invoice: order, amount: "11.05"}\n'
        "  - expect: {invoice: order, invoice_status: confirming, announced: [invoice.confirming],"
        " shows: {payment.transfers.0.status: confirming, payment.paid: none}}\n"
        "  - confirm: {transfer: first}\n"
        "  - expect: {invoice: order, announced: [invoice.confirming, invoice.paid], invoice_status: paid,"
        ' shows: {payment.transfers.0.status: confirmed, payment.paid: "11.05", is_final: true}}\n'
    ),
    "a transfer with all its confirmations is confirmed at once": (
        '  - transfer: {invoice: order, amount: "11.05", confirmations: 1000}\n'
        "  - expect: {invoice: order, announced: [invoice.confirming, invoice.paid], invoice_status: paid}\n"
    ),
    "a transfer with too few confirmations waits": (
        '  - transfer: {invoice: order, amount: "11.05", confirmations: 1}\n'
        "  - expect: {invoice: order, announced: [invoice.confirming]}\n"
    ),
    "a reorg takes one transfer of two": (
        '  - transfer: {as: first, invoice: order, amount: "5"}\n'
        '  - transfer: {as: second, invoice: order, amount: "6.05"}\n'
        "  - reorg: {transfer: first}\n"
        "  - confirm: {invoice: order}\n"
        "  - expect: {invoice: order, invoice_status: underpaid_waiting,"
        " announced: [invoice.confirming, invoice.underpaid_waiting]}\n"
    ),
    "a reorg takes everything": (
        '  - transfer: {invoice: order, amount: "5"}\n'
        "  - advance: 1m\n  - reorg: {invoice: order}\n"
        "  - expect: {invoice: order, announced: [invoice.confirming, invoice.awaiting_payment],"
        " arrived: [invoice.confirming, invoice.awaiting_payment], order: awaiting_payment, fulfilled: 0}\n"
    ),
    "a network is chosen in silence": (
        "  - confirm_payment: {invoice: order, currency: USDT, network: TRC20}\n"
        "  - expect: {invoice: order, announced: [], invoice_status: awaiting_payment,"
        " shows: {payment.network: TRC20, payment.currency: USDT}}\n"
    ),
    "a withdrawal is completed": (
        WITHDRAWAL + "  - review: {withdrawal: payout}\n"
        "  - expect: {withdrawal: payout, withdrawal_status: pending_review, announced: [withdrawal.created]}\n"
        "  - process: {withdrawal: payout}\n  - complete: {withdrawal: payout}\n  - advance: {until: idle}\n"
        "  - expect: {withdrawal: payout, event: withdrawal.completed, state: delivered, received: 1, applied: 1}\n"
        "  - expect: {withdrawal: payout, withdrawal_status: completed,"
        " arrived: [withdrawal.created, withdrawal.processing, withdrawal.completed]}\n"
    ),
    "a withdrawal fails": (
        WITHDRAWAL + "  - fail: {withdrawal: payout}\n"
        "  - expect: {withdrawal: payout, withdrawal_status: failed,"
        " announced: [withdrawal.created, withdrawal.failed]}\n"
    ),
    "a withdrawal is called back": (
        WITHDRAWAL + "  - cancel: {withdrawal: payout, reason: no}\n"
        "  - expect: {withdrawal: payout, withdrawal_status: cancelled,"
        " announced: [withdrawal.created, withdrawal.cancelled]}\n"
    ),
    "a deposit is confirmed": (
        CHANNEL + DEPOSIT + "}\n  - advance: {until: idle}\n"
        "  - expect: {deposit: gift, event: payment_channel.deposit.confirmed, state: delivered, applied: 1}\n"
        "  - expect: {deposit: gift, deposit_status: confirmed, shows: {status: confirmed},"
        " arrived: [payment_channel.deposit.confirming, payment_channel.deposit.confirmed]}\n"
        "  - expect: {channel: ann, channel_status: active, shows: {status: active}}\n"
    ),
    "a deposit is taken off the chain and comes back": (
        CHANNEL + DEPOSIT + ", stage: confirming}\n  - reorg: {deposit: gift}\n"
        "  - expect: {deposit: gift, deposit_status: reorged}\n  - confirm: {deposit: gift}\n"
        "  - expect: {deposit: gift, deposit_status: confirmed, announced: [payment_channel.deposit.confirming,"
        " payment_channel.deposit.reorged, payment_channel.deposit.confirmed]}\n"
    ),
    "a deposit is driven to a reorg": (
        CHANNEL + DEPOSIT + ", stage: reorged}\n"
        "  - expect: {deposit: gift, announced: [payment_channel.deposit.confirming,"
        " payment_channel.deposit.reorged]}\n"
    ),
    "a channel is blocked and unblocked": (
        CHANNEL + "  - block: {channel: ann}\n  - expect: {channel: ann, channel_status: blocked}\n"
        "  - unblock: {channel: ann}\n  - expect: {channel: ann, channel_status: active}\n"
    ),
    "time moves until an attempt": (
        "  - receiver: {status: 500}\n  - pay: {invoice: order}\n"
        "  - advance: {until: attempt, attempt: 4, invoice: order, event: invoice.paid}\n"
        "  - expect: {invoice: order, event: invoice.paid, state: pending, attempts: 4, at: [0, 1m, 3m, 7m]}\n"
    ),
    "time moves until an attempt, or until there is no other": (
        "  - pay: {invoice: order}\n  - advance: {until: attempt, attempt: 4, event: invoice.paid}\n"
        "  - expect: {invoice: order, event: invoice.paid, state: delivered, attempts: 1}\n"
    ),
    "time moves until events are final": (
        "  - receiver: {status: 500, times: 2, event: withdrawal.created}\n  - receiver: {status: 500}\n"
        "  - cancel: {invoice: order}\n" + WITHDRAWAL + "  - receiver: ok\n"
        "  - advance: {until: delivered, withdrawal: payout}\n"
        "  - expect: {withdrawal: payout, event: withdrawal.created, state: delivered}\n"
    ),
    "an event of a withdrawal is resent": (
        WITHDRAWAL + "  - advance: {until: idle}\n  - resend: {event: withdrawal.created}\n"
        "  - expect: {withdrawal: payout, event: withdrawal.created, attempts: 2, received: 2, applied: 1}\n"
    ),
    "durations are bounded": (
        "  - receiver: {status: 500, times: 2, event: invoice.paid}\n  - pay: {invoice: order}\n"
        "  - advance: {until: idle}\n"
        "  - expect: {invoice: order, event: invoice.paid, delivered_within: 3m, delivered_after: 3m,"
        " answered_within: 10s, answered_after: 0}\n"
    ),
}

CRASHES = {
    "transfer": ('  - transfer: {invoice: order, amount: "11.05"}\n', "invoice.confirming", "invoice: order"),
    "confirm": (
        '  - transfer: {as: first, invoice: order, amount: "11.05"}\n  - confirm: {transfer: first}\n',
        *("invoice.paid", "invoice: order"),
    ),
    "create_withdrawal": (WITHDRAWAL, "withdrawal.created", "withdrawal: payout"),
    "complete": (WITHDRAWAL + "  - complete: {withdrawal: payout}\n", "withdrawal.completed", "withdrawal: payout"),
    "cancel": (WITHDRAWAL + "  - cancel: {withdrawal: payout}\n", "withdrawal.cancelled", "withdrawal: payout"),
    "deposit": (CHANNEL + DEPOSIT + "}\n", "payment_channel.deposit.confirming", "deposit: gift"),
    "its confirmation": (CHANNEL + DEPOSIT + "}\n", "payment_channel.deposit.confirmed", "deposit: gift"),
}
"""Steps, the event at whose commit the API dies, and the resource that it tells of."""

WRONG = {
    "state": ("  - expect: {invoice: order, event: invoice.paid, state: delivered}\n", "state", "delivered", "none"),
    "announced": (
        "  - expect: {invoice: order, announced: [invoice.paid]}\n",
        *("announced", "[invoice.paid]", "[]"),
    ),
    "arrived": ("  - expect: {invoice: order, arrived: [invoice.paid]}\n", "arrived", "[invoice.paid]", "[]"),
    "shows": ("  - expect: {invoice: order, shows: {order.amont: 11}}\n", "order.amont", "11", "none"),
    "fulfilled": ("  - expect: {invoice: order, fulfilled: 1}\n", "fulfilled", "1", "0"),
    "delivered_within": (
        "  - expect: {invoice: order, event: invoice.paid, delivered_within: 3m}\n",
        *("delivered_within", "at most 3m", "none"),
    ),
    "delivered_after": (
        (
            "  - pay: {invoice: order}\n  - advance: {until: idle}\n"
            "  - expect: {invoice: order, event: invoice.paid, delivered_after: 1m}\n"
        ),
        *("delivered_after", "at least 1m", "0s"),
    ),
    "withdrawal_status": (
        WITHDRAWAL + "  - expect: {withdrawal: payout, withdrawal_status: failed}\n",
        *("withdrawal_status", "failed", "created"),
    ),
}


@pytest.mark.parametrize("case", STORIES)
async def test_story_holds(case: str, tmp_path: Path) -> None:
    """What a verb does is what its description says, and every law holds."""
    async with stage(tmp_path) as here:
        played = await here.play(STORIES[case])
    assert (played.failures, played.broken, played.passed) == ([], [], True)


@pytest.mark.parametrize("point", ["before_commit", "after_commit"])
@pytest.mark.parametrize("case", CRASHES)
async def test_command_at_a_crash_point(case: str, point: str, tmp_path: Path) -> None:
    """A command in which the API dies is asked for again as far as it is missing, and nothing happens twice."""
    steps, event, subject = CRASHES[case]
    armed = f"  - crash: {{at: dispatch.{point}, on: {{event: {event}}}}}\n"
    asked = f"  - advance: {{until: idle}}\n  - expect: {{{subject}, event: {event}, state: delivered, received: 1}}\n"
    async with stage(tmp_path) as here:
        dying = await here.play(armed + steps + asked)
        plain = await here.play(steps + asked)
    assert (dying.passed, plain.passed) == (True, True)
    assert [one.point for one in dying.of("api.died")] == [f"dispatch.{point}"]
    changes = [[(one.status, one.event_type) for one in played.of("resource.changed")] for played in (dying, plain)]
    assert changes[0] == changes[1]
    assert len(dying.of("event.summed")) == len(plain.of("event.summed"))


async def test_process_of_a_command_dies_for_real(tmp_path: Path) -> None:
    """With relays as processes the command that meets a crash point is one too, whatever it is about."""
    steps, event, subject = CRASHES["deposit"]
    armed = f"  - crash: {{at: dispatch.after_commit, on: {{event: {event}}}}}\n"
    asked = f"  - expect: {{{subject}, deposit_status: confirmed}}\n"
    settings = {"in_process": False, "database_url": f"sqlite:///{tmp_path}/story.db"}
    async with stage(tmp_path, settings=settings) as here:
        played = await here.play(armed + steps + asked)
    assert (played.failures, played.broken) == ([], [])
    assert [one.point for one in played.of("api.died")] == ["dispatch.after_commit"]


@pytest.mark.parametrize("case", WRONG)
async def test_expectation_can_fail(case: str, tmp_path: Path) -> None:
    """What is not as it was expected fails the run, with what was wanted and what was found."""
    steps, *failure = WRONG[case]
    async with stage(tmp_path) as here:
        played = await here.play(steps)
    assert (played.failures, played.passed) == ([tuple(failure)], False)


async def test_slow_answer_fails_its_bound(tmp_path: Path) -> None:
    """An attempt that took longer in real time than it may fails the run, and is shown as it was."""
    steps = (
        "  - receiver: {delay: 30ms}\n  - cancel: {invoice: order}\n"
        "  - expect: {invoice: order, event: invoice.cancelled, answered_within: 10ms}\n"
    )
    async with stage(tmp_path) as here:
        played = await here.play(steps)
    ((field, wanted, found),) = played.failures
    assert (field, wanted) == ("answered_within", "at most 10ms")
    assert found != wanted


@pytest.mark.parametrize(
    ("steps", "sentence"),
    [
        ('  - pay: {invoice: order, amount: "1"}\n  - confirm: {invoice: order}\n', "no such transfer waits"),
        ("  - advance: 1h\n  - pay: {invoice: order}\n", "a final status is never left"),
        (WITHDRAWAL.replace('"25"', '"25000"'), "10000"),
    ],
    ids=["nothing to confirm", "expired", "too little money"],
)
async def test_what_the_provider_refuses_has_its_line(steps: str, sentence: str, tmp_path: Path) -> None:
    """A command that the provider refuses ends the run with the line and the step that ask for it."""
    last = 3 + steps.count("\n")
    async with stage(tmp_path) as here:
        with pytest.raises(UsageError, match=rf"s\.yaml:{last}: step {last - 2} .*{sentence}"):
            await here.play(steps)
