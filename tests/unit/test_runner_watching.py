"""How a run notices what happened: deaths by the log, crash points by what is used up, steps in words."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from sender.domain.fault import Fault, FaultMatch
from sender.scenario.findings import Since, shown
from sender.scenario.language import VERBS, load_scenario
from sender.scenario.telling import told
from sender.scenario.watching import Death, Ear, used_up
from sender.telemetry import Event
from tests.simulators import RecordingLog

if TYPE_CHECKING:
    from pathlib import Path

STORY = """\
name: every verb
endpoints: [{as: shop}, {as: books, url: http://127.0.0.1:9/x}]
steps:
  - create_invoice: {as: order, amount: "11.05", currency: USD}
  - confirm_payment: {invoice: order, currency: USDT, network: TRC20}
  - receiver: {status: 503, event: invoice.paid, times: 3}
  - receiver: {status: 500, times: 1, handled: true}
  - receiver: {fault: slow_close, delay: 5s, times: 1}
  - receiver: ok
  - crash: {at: relay.after_send, on: {event: invoice.paid, attempt: 2, endpoint: shop}, times: 2}
  - wire: {fault: duplicate, copies: 2, spacing: 10ms}
  - pay: {invoice: order, amount: "5"}
  - pay: {invoice: order, stage: overpaid}
  - suspend: {endpoint: shop}
  - resume: {endpoint: shop}
  - rotate_secret: {endpoint: shop}
  - advance: 1h30m
  - advance: {to: 16h}
  - advance: {until: idle}
  - advance: {until: delivered, invoice: order, event: invoice.paid_over}
  - resend: {invoice: order, event: invoice.paid_over}
  - restart:
  - expect: {invoice: order, event: invoice.paid_over, endpoint: shop, attempts: 1}
  - expect: {endpoint: shop, endpoint_status: active}
  - create_invoice: {as: second, amount: "1", currency: USD}
  - cancel: {invoice: second}
  - create_invoice: {as: third, amount: "1", currency: USD}
  - transfer: {as: first, invoice: third, amount: "5"}
  - transfer: {invoice: third, amount: "5", confirmations: 20}
  - confirm: {transfer: first}
  - reorg: {invoice: third}
  - create_withdrawal: {as: payout, amount: "25", currency: USDT, network: TRC20}
  - create_withdrawal: {as: other, amount: "25", currency: USDT, network: TRC20}
  - review: {withdrawal: payout}
  - process: {withdrawal: payout}
  - complete: {withdrawal: payout}
  - fail: {withdrawal: other}
  - create_withdrawal: {as: last, amount: "1", currency: USDT, network: TRC20}
  - cancel: {withdrawal: last}
  - create_channel: {as: ann}
  - block: {channel: ann}
  - unblock: {channel: ann}
  - deposit: {as: gift, channel: ann, amount: "20", currency: USDT, network: TRC20}
  - advance: {until: attempt, attempt: 3, deposit: gift}
  - resend: {withdrawal: payout, event: withdrawal.created, endpoint: shop}
  - edit: {endpoint: shop, url: "http://127.0.0.1:9/y", categories: [invoice, withdrawal]}
  - expect: {channel: ann, channel_status: active}
  - expire: {invoice: third}
  - endpoint: {as: new}
  - delete: {endpoint: new}
"""
WORDS = [
    "order, 11.05 USD",
    "order with USDT on TRC20",
    "answers 503 to invoice.paid, 3 times",
    "answers 500, handles it",
    "does slow_close, takes 5s",
    "answers as it would",
    "relay.after_send on invoice.paid, attempt 2, at shop, 2 times",
    "duplicate, copies 2, spacing 10ms",
    "order, 5",
    "order, overpaid",
    "shop",
    "shop",
    "shop",
    "1h30m",
    "to 16h",
    "until idle",
    "until delivered invoice.paid_over of order",
    "invoice.paid_over of order",
    "the relay",
    "invoice.paid_over of order",
    "shop",
    "second, 1 USD",
    "second",
    "third, 1 USD",
    "5 to third as first",
    "5 to third, 20 confirmations",
    "first",
    "third",
    "payout, 25 USDT on TRC20",
    "other, 25 USDT on TRC20",
    "payout",
    "payout",
    "payout",
    "other",
    "last, 1 USDT on TRC20",
    "last",
    "ann",
    "ann",
    "ann",
    "gift, 20 USDT on TRC20 to ann, confirmed",
    "until attempt 3 gift",
    "withdrawal.created of payout to shop",
    "shop: url http://127.0.0.1:9/y, categories invoice, withdrawal",
    "ann",
    "third",
    "new at the receiver",
    "new",
]


def test_ear_keeps_jumps_and_deaths() -> None:
    """Jumps of time and deaths are kept with their instant; a death is not logged too, everything else is."""
    behind = RecordingLog()
    ear = Ear(behind)
    ear.info(Event.CLOCK_MOVED, to=60)
    ear.warning(Event.RELAY_DIED, exit_code=137, given_back=2)
    ear.bind(relay="x").warning(Event.STORE_FAILED, detail="gone")
    assert (ear.now, ear.jumps) == (60, [60])
    assert ear.deaths == [Death(60, None, 137, 2)]
    assert [line["event"] for line in behind.lines] == ["clock.moved", "store.failed"]


@pytest.mark.parametrize(
    ("death", "is_crash"),
    [
        (Death(0, None, 137, 0), True),
        (Death(0, None, -9, 0), False),
        (Death(0, "relay.after_send", None, 0), True),
        (Death(0, "killed", None, 0), False),
    ],
    ids=["crash of a child", "kill of a child", "crash in process", "restart in process"],
)
def test_crash_or_kill(death: Death, *, is_crash: bool) -> None:
    """A death at a crash point is told from one that a person brought about."""
    assert death.is_crash is is_crash


def test_crashes_that_struck_are_those_used_up() -> None:
    """A fault that was armed twice and is armed once has struck once; one that is gone as often as it could."""
    twice = Fault("crash", "relay.after_send", FaultMatch(), {}, 2, 1)
    once = Fault("crash", "relay.after_claim", FaultMatch(), {}, 1, 2)
    assert used_up([twice, once], [replace(twice, remaining=1), once]) == [twice]
    assert used_up([twice, once], []) == [twice, twice, once]
    assert used_up([], [twice]) == []


def test_steps_in_words(tmp_path: Path) -> None:
    """Each step is told in a few words behind its verb."""
    file = tmp_path / "story.yaml"
    file.write_text(STORY)
    steps = load_scenario(file).steps
    assert [told(step) for step in steps] == WORDS
    assert {step.verb for step in steps} == {*VERBS}


def test_findings_are_shown_as_they_are_written() -> None:
    """What was found is written as a story would write it."""
    assert shown([500, None, 200]) == "[500, none, 200]"
    assert shown([Since(0), Since(70_000_000)]) == "[0s, 1m10s]"
    assert shown(None) == "none"
