"""How a run judges: blind probes, receivers that refuse everything, what is missing, what must not be shown."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import pytest

from receiver_fixture.flaws import Flaw
from sender.check.outcome import Verdict
from sender.clock import Clock
from sender.durations import SECOND
from sender.errors import NotAvailable
from sender.probe.looking import Sighting
from sender.probe.spec import make_probe
from tests.checking import QUICK, SECRET, complaints, reference, verdicts_on

if TYPE_CHECKING:
    from sender.check.means import Means
    from sender.probe.looking import Probe

HASTY = replace(QUICK, patience=SECOND // 10)


@dataclass
class Stare:
    """Sees the same, wherever it is asked to look."""

    fulfilled: int = 0

    async def look(self, order: str) -> Sighting:
        """See it."""
        return Sighting(self.fulfilled, "paid")

    async def close(self) -> None:
        """Hold nothing."""


@dataclass
class Blurred:
    """Sees how often, and no status."""

    inner: Probe

    async def look(self, order: str) -> Sighting:
        """See the half of it."""
        return Sighting((await self.inner.look(order)).fulfilled)

    async def close(self) -> None:
        """Hold nothing."""


@pytest.mark.parametrize(
    ("fulfilled", "reason"), [(0, "still sees 0 fulfilments"), (1, "of which nobody has heard yet")]
)
async def test_blind_probe(fulfilled: int, reason: str) -> None:
    """With a probe that does not see a change nothing is judged by it, and the run is no success."""
    async with reference(":memory:") as means:
        verdicts = await verdicts_on(means, "same-event-again,unsigned", pace=HASTY, probe=Stare(fulfilled))
    assert reason in (verdicts.blind or "")
    assert [(one.id, one.verdict, one.findings) for one in verdicts.results] == [
        ("same-event-again", Verdict.NOT_CHECKED, ("needs a probe that sees a change",)),
        ("unsigned", Verdict.PASSED, ()),
    ]
    assert verdicts.exit_code == 2


async def test_probe_that_cannot_look() -> None:
    """A probe that fails ends the run with what was asked and what came."""
    async with reference(":memory:") as means:
        closed = make_probe("orders:http://127.0.0.1:1", Clock())
        with pytest.raises(NotAvailable, match=r"probe: GET http://127\.0\.0\.1:1/orders/check-.* failed"):
            await verdicts_on(means, "same-event-again", probe=closed)
        await closed.close()


async def test_wrong_secret_is_told_first() -> None:
    """A receiver that takes no genuine delivery fails, with the likely reason; nothing else is counted."""
    async with reference(":memory:") as means:
        verdicts = await verdicts_on(replace(means, secret="whsec_test_a_typing_error"), "unsigned,same-event-again")
    first, *others = verdicts.results
    assert (first.id, first.verdict) == ("genuine-delivery", Verdict.FAILED)
    assert "was answered 401" in first.findings[0]
    assert "Is --secret the secret that your receiver has?" in first.mend
    assert {one.verdict for one in others} == {Verdict.NOT_CHECKED}
    assert verdicts.exit_code == 1


async def test_nobody_listens() -> None:
    """A receiver that is not there is no verdict."""
    async with reference(":memory:") as means:
        pass
    with pytest.raises(NotAvailable, match=r"--target: .*; start your receiver first"):
        await verdicts_on(replace(means, probe=None), "unsigned")


async def test_what_is_missing_is_named() -> None:
    """Checks that lack something say what; those that need nothing are made."""
    async with reference(":memory:") as means:
        bare: Means = replace(means, probe=None, restart=None, retired=None, asked=None)
        verdicts = await verdicts_on(bare)
    reasons = {one.id: one.findings[0] for one in verdicts.of(Verdict.NOT_CHECKED)}
    assert reasons["first-delivery"] == "needs a probe (--probe)"
    assert reasons["restart-forgets"].startswith("needs a command that kills and restarts the receiver (--restart-cmd)")
    assert reasons["old-secret"].startswith("needs a webhook secret that was replaced")
    assert reasons["re-read"].startswith("needs the address at which the receiver asks the API")
    assert {"unsigned", "raw-body", "invalid-json", "unknown-type"} <= {one.id for one in verdicts.of(Verdict.PASSED)}
    assert verdicts.exit_code == 0


async def test_a_probe_without_status() -> None:
    """Where the status is not seen, its changes are not checked; that it was fulfilled once is."""
    async with reference(":memory:") as means:
        assert means.probe is not None
        verdicts = await verdicts_on(means, "older-event-late", probe=Blurred(means.probe))
    (result,) = verdicts.results
    assert (result.verdict, result.findings) == (
        Verdict.NOT_CHECKED,
        ("needs a probe that shows the status of an order (status=… in --probe)",),
    )


async def test_no_secret_is_shown() -> None:
    """A receiver that tells its secret is failed, and the report does not tell it again."""
    async with reference(":memory:", Flaw.LEAKS_SIGNATURE) as means:
        verdicts = await verdicts_on(means, "secret-in-answer")
    assert "holds the right one" in complaints(verdicts)["secret-in-answer"][0]
    assert SECRET not in repr(verdicts)
    assert means.masked(f"expected {SECRET}!") == "expected (the webhook secret)!"


async def test_the_requests_that_show_it() -> None:
    """A failure carries the requests of its own check, in order, and no others."""
    async with reference(":memory:", Flaw.NO_SIGNATURE) as means:
        verdicts = await verdicts_on(means, "same-event-again,unsigned")
    (result,) = verdicts.of(Verdict.FAILED)
    (exchange,) = result.exchanges
    assert exchange.note == "no signature"
    assert "X-Webhook-Signature" not in dict(exchange.headers)
    assert exchange.status == 200


async def test_receiver_that_stays_away() -> None:
    """A receiver that ends during a run fails the check that saw it, and nothing after it is judged."""

    async def kill() -> None:
        await reborn.receiver.stop()  # type: ignore[union-attr]

    async with reference(":memory:") as means:
        reborn = means.restart
        verdicts = await verdicts_on(replace(means, restart=kill), "restart-forgets,unsigned", pace=HASTY)
    assert [one.verdict for one in verdicts.results] == [Verdict.FAILED, Verdict.NOT_CHECKED]
    assert verdicts.results[1].findings == ("needs a receiver that answers; it does not since restart-forgets",)
