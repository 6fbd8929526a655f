"""Every wire fault in a story against the reference receiver: what it sees, what is recorded, and no law is broken."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.playing import stage

if TYPE_CHECKING:
    from pathlib import Path

PAY = "  - pay: {invoice: order}\n  - advance: {until: idle}\n"
PAID = "  - expect: {invoice: order, event: invoice.paid, "
TAKEN = "state: delivered, attempts: 1, received: 1, applied: 1}\n"
REFUSED = PAY + PAID + "state: delivered, attempts: 2, statuses: [401, 200], applied: 1}\n"

STORIES = {
    "delay": PAY + PAID + TAKEN,
    "reorder": PAY + PAID + TAKEN,
    "drop": PAY + PAID + "state: delivered, attempts: 1, statuses: [200], received: 0, applied: 0}\n"
    "  - resend: {invoice: order, event: invoice.paid}\n" + PAID + "attempts: 2, received: 1, applied: 1}\n",
    "duplicate, copies: 2, ids: new": PAY + PAID + "state: delivered, attempts: 1, received: 3, applied: 1}\n",
    "bad_signature": REFUSED,
    "wrong_secret": REFUSED,
    "stale_timestamp": REFUSED,
    "stale_timestamp, age: -10m": REFUSED,
    "missing_header": REFUSED,
    "tampered_body": REFUSED,
}


@pytest.mark.parametrize("fault", STORIES)
async def test_story_with_a_wire_fault(fault: str, tmp_path: Path) -> None:
    """A good receiver turns a forgery away and takes the next attempt; nothing that was ordered breaks a law."""
    async with stage(tmp_path) as here:
        played = await here.play(
            f"  - wire: {{fault: {fault}, on: {{event: invoice.paid, attempt: 1}}}}\n{STORIES[fault]}"
        )
    assert (played.failures, played.broken, played.passed) == ([], [], True)


async def test_events_arrive_in_the_other_order(tmp_path: Path) -> None:
    """The held event arrives behind the one that was committed after it, each in its first attempt."""
    async with stage(tmp_path) as here:
        played = await here.play(
            "  - wire: {fault: reorder, at_most: 20s, on: {event: invoice.confirming}}\n"
            + PAY
            + "  - expect: {invoice: order, announced: [invoice.confirming, invoice.paid],"
            " arrived: [invoice.paid, invoice.confirming], order: paid, fulfilled: 1}\n"
            "  - expect: {invoice: order, event: invoice.confirming, attempts: 1, received: 1}\n"
        )
    assert (played.failures, played.broken, played.passed) == ([], [], True)
