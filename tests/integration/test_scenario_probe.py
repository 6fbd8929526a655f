"""Somebody else's receiver under test: what a probe can tell of it, how long is waited, and what nobody can tell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from sender.errors import UsageError
from sender.probe.looking import Sighting
from sender.scenario.receiving import beyond_reach
from tests.playing import stage
from tests.scenarios import CREATE, read_story

if TYPE_CHECKING:
    from pathlib import Path

    from tests.playing import Stage

PAID = "  - pay: {invoice: order}\n  - advance: {until: idle}\n"
NOT_LONG = "within: 0"


@dataclass
class Shop:
    """Looks into the receiver of a stage, and may see what is not there. ``blind``: so many looks see nothing yet."""

    stage: Stage | None = None
    extra: int = 0
    blind: int = 0
    looks: int = 0

    async def look(self, order: str) -> Sighting:
        """Return what the receiver made of the order."""
        self.looks += 1
        if self.stage is None or self.looks <= self.blind:
            return Sighting(0)
        found = await self.stage.receiver.order(order)
        return Sighting(found["fulfilled"] + self.extra, found["status"]) if found else Sighting(0)

    async def close(self) -> None:
        """Hold nothing."""


async def test_probe_answers_for_the_receiver(tmp_path: Path) -> None:
    """``applied`` of a payment, ``fulfilled`` and ``order`` are what a probe sees, once it is true."""
    shop = Shop(blind=2)
    async with stage(tmp_path, strange=True, probe=shop) as here:
        shop.stage = here
        played = await here.play(
            PAID + "  - expect: {invoice: order, event: invoice.paid, state: delivered, applied: 1}\n"
            "  - expect: {invoice: order, order: paid, fulfilled: 1, within: 2s}\n"
        )
    assert (played.failures, played.broken, played.passed) == ([], [], True)
    assert shop.looks > 3
    assert [one.law for one in played.of("law.held")][-1] == "fulfilled_once"


async def test_probe_that_never_sees_it(tmp_path: Path) -> None:
    """What is not true when the time is up fails the run; the law that every paid order is fulfilled is broken."""
    async with stage(tmp_path, strange=True, probe=Shop()) as here:
        played = await here.play(PAID + f"  - expect: {{invoice: order, fulfilled: 1, {NOT_LONG}}}\n")
    assert played.failures == [("fulfilled", "1", "0")]
    assert played.broken == [("fulfilled_once", "order order")]


async def test_order_that_is_fulfilled_twice(tmp_path: Path) -> None:
    """A law that nobody asked about fails a run whose receiver ships twice."""
    shop = Shop(extra=1)
    async with stage(tmp_path, strange=True, probe=shop) as here:
        shop.stage = here
        played = await here.play(PAID)
    assert played.broken == [("fulfilled_once", "order order")]
    (broken,) = played.of("law.broken")
    assert broken.detail == "its payment was announced and taken, and it was fulfilled 2 times"


async def test_order_that_is_fulfilled_unpaid(tmp_path: Path) -> None:
    """Whoever ships what nobody has paid breaks the law too."""
    shop = Shop(extra=1)
    async with stage(tmp_path, strange=True, probe=shop) as here:
        shop.stage = here
        played = await here.play("  - cancel: {invoice: order}\n  - advance: {until: idle}\n")
    assert [one.detail for one in played.of("law.broken")] == ["it is not paid, and it was fulfilled once"]


async def test_law_waits_for_the_receiver(tmp_path: Path) -> None:
    """A receiver that works in the background gets its time, also where no step asks."""
    shop = Shop(blind=2)
    async with stage(tmp_path, strange=True, probe=shop) as here:
        shop.stage = here
        played = await here.play(PAID)
    assert (played.broken, shop.looks) == ([], 3)


async def test_without_a_probe_the_senders_laws_are_checked(tmp_path: Path) -> None:
    """Against a receiver that nobody can look into, the eight laws of the sender's records are checked."""
    async with stage(tmp_path, strange=True) as here:
        played = await here.play(PAID)
    assert len(played.of("law.held")) == 8
    assert played.passed


async def test_what_a_probe_cannot_tell_is_refused(tmp_path: Path) -> None:
    """How often news was taken that fulfils nothing, only the reference receiver can tell."""
    steps = PAID + "  - expect: {invoice: order, event: invoice.confirming, applied: 1}\n"
    async with stage(tmp_path, strange=True, probe=Shop()) as here:
        with pytest.raises(UsageError, match=r"s\.yaml:6: step 4 \(expect\): applied needs the reference receiver"):
            await here.play(steps)


@pytest.mark.parametrize(
    ("step", "with_probe", "without"),
    [
        ("receiver: ok", ["receiver"], ["receiver"]),
        ("expect: {invoice: order, event: invoice.paid, attempts: 1}", [], []),
        (
            "expect: {invoice: order, event: invoice.paid, received: 1, applied: 1}",
            ["received"],
            ["received", "applied"],
        ),
        ("expect: {invoice: order, event: invoice.confirming, applied: 1}", ["applied"], ["applied"]),
        ("expect: {invoice: order, order: paid, fulfilled: 1}", [], ["order", "fulfilled"]),
        ("expect: {invoice: order, arrived: [invoice.paid]}", ["arrived"], ["arrived"]),
    ],
)
def test_what_is_beyond_reach(step: str, with_probe: list[str], without: list[str], tmp_path: Path) -> None:
    """Before anything starts it is known what of a story somebody else's receiver cannot answer for."""
    (_, read) = read_story(tmp_path, f"name: x\nsteps:\n{CREATE}  - {step}\n").steps
    assert beyond_reach(read, probed=True) == with_probe
    assert beyond_reach(read, probed=False) == without
