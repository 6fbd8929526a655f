"""What is said about a bad story: the place of the very value, what is wrong with it, and what would be right."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.scenarios import CREATE, refusal

if TYPE_CHECKING:
    from pathlib import Path

WITHDRAW = "  - create_withdrawal: {as: out, amount: 25, currency: USDT, network: TRC20}\n"
DEPOSIT = (
    "  - create_channel: {as: ann}\n  - deposit: {as: gift, channel: ann, amount: 20, currency: USDT, network: TRC20}\n"
)

# What is typed as the second step, where the complaint points, and what it says: wrong and right.
BAD_STEPS = {
    "pay: {invoice: ordr}": ("4:20", "step 2 (pay): invoice: there is no invoice named 'ordr'; did you mean 'order'?"),
    "pay: {invoice: default}": ("4:20", "step 2 (pay): invoice: 'default' is an endpoint and not an invoice"),
    "pay: {}": ("4:10", "step 2 (pay): invoice is missing; write it as in pay: {invoice: order}"),
    "pay:": ("4:9", "step 2 (pay): fields are missing; write them as in pay: {invoice: order}"),
    "pay: order": ("4:10", "step 2 (pay): fields are missing here; write them as in pay: {invoice: order}"),
    "pay": ("4:5", "step 2: this is no step; a step is a verb with its fields, as in pay: {invoice: order}"),
    "payy: {invoice: order}": ("4:5", "step 2: the verb 'payy' is not known; did you mean 'pay'?"),
    "pay: {invoce: order}": ("4:11", "step 2 (pay): the field 'invoce' is not known; did you mean 'invoice'?"),
    "pay: {invoice: }": ("4:20", "step 2 (pay): invoice: a value is missing; write one"),
    "pay: {invoice: [order]}": ("4:20", "step 2 (pay): invoice: this must be a single value, not a list"),
    "pay: {invoice: order, stage: cancel}": ("4:34", "step 2 (pay): stage: cancel is a step of its own; write cancel:"),
    "pay: {invoice: order, stage: payed}": ("4:34", "step 2 (pay): stage: 'payed' is not a stage of payment; did you"),
    "pay: {invoice: order, stage: paid, amount: 1}": (
        "4:10",
        "step 2 (pay): amount and stage say the same thing twice",
    ),
    "pay: {invoice: order, amount: 1_000}": ("4:35", "step 2 (pay): amount: '1_000' is not a plain amount; write 1000"),
    "pay: {invoice: order, amount: 1e3}": ("4:35", "step 2 (pay): amount: '1e3' is not an amount; write digits"),
    "pay: {invoice: order, amount: -5}": ("4:35", "step 2 (pay): amount: '-5' is not an amount; write digits"),
    "pay: {invoice: order, amount: 0.00}": ("4:35", "step 2 (pay): amount: '0.00' is no money; an amount is more than"),
    "pay: {invoice: order, amount: 0510}": ("4:35", "step 2 (pay): amount: '0510' begins with a 0 that says nothing"),
    f"pay: {{invoice: order, amount: {'9' * 39}}}": ("4:35", "step 2 (pay): amount: an amount has at most 38 digits"),
    "create_invoice: {as: order, amount: 1, currency: USD}": (
        "4:26",
        "step 2 (create_invoice): as: the name 'order' is given in step 1 already; choose another",
    ),
    "create_invoice: {as: a, amount: 0.001, currency: USD}": (
        "4:21",
        "step 2 (create_invoice): amount: 0.001 is too fine for USD, which has 2 decimals",
    ),
    "create_invoice: {as: 1a, amount: 1, currency: usd}": (
        "4:26",
        "step 2 (create_invoice): as: '1a' is not a name; write",
    ),
    "create_invoice: {as: a, amount: 1, currency: USD, allow_multiple_payments: NO}": (
        "4:80",
        "step 2 (create_invoice): allow_multiple_payments: 'NO' is neither true nor false; write one of these two",
    ),
    "create_invoice: {as: a, amount: 1, currency: USD, client_id: '${x}'}": (
        "4:66",
        "step 2 (create_invoice): client_id: nothing is filled in here; ${env:NAME} stands only in the url and secret",
    ),
    "confirm_payment: {invoice: order, currency: USDT, network: TRC2}": (
        "4:64",
        "step 2 (confirm_payment): network: 'TRC2' is not a network; did you mean 'TRC20'?",
    ),
    "advance: 600": ("4:14", "step 2 (advance): by: '600' has no unit; write 600s, 600m or 600h"),
    "advance: {by: 90:00}": ("4:19", "step 2 (advance): by: '90:00' is not a duration"),
    "advance: {by: -5s}": ("4:19", "step 2 (advance): by: '-5s' is negative"),
    "advance: {by: PT10S}": ("4:19", "step 2 (advance): by: 'PT10S' is not a duration"),
    "advance: {to: 2026-03-01}": (
        "4:19",
        "step 2 (advance): to: '2026-03-01' is not an instant; write date, time and zone",
    ),
    "advance: {}": ("4:14", "step 2 (advance): how far is not said; give exactly one of by, to and until"),
    "advance: {by: 1m, until: idle}": ("4:14", "step 2 (advance): by and until are too many; give exactly one"),
    "advance: {until: idl}": (
        "4:22",
        "step 2 (advance): until: 'idl' is not what an advance can wait for; did you mean",
    ),
    "advance: {by: 1m, invoice: order}": ("4:14", "step 2 (advance): invoice belongs to until: delivered and until:"),
    "advance: {until: delivered, event: invoice.paid}": (
        "4:40",
        "step 2 (advance): event: there can be no invoice.paid here",
    ),
    "resend: {event: invoice.paid}": (
        "4:21",
        "step 2 (resend): event: there can be no invoice.paid here; a step that brings it about comes before it: pay",
    ),
    "resend: {event: invoice.payed}": ("4:21", "step 2 (resend): event: 'invoice.payed' is not an event; did you mean"),
    "resend: {event: invoice.awaiting_payment}": (
        "4:21",
        "step 2 (resend): event: there can be no invoice.awaiting_payment",
    ),
    "crash: {at: relay.after_sent}": (
        "4:17",
        "step 2 (crash): at: 'relay.after_sent' is not a crash point; did you mean 'relay.after_send'?",
    ),
    "crash: {at: relay.after_send, on: {attemt: 1}}": ("4:40", "step 2 (crash): on: the field 'attemt' is not known"),
    "crash: {at: relay.after_send, on: {attempt: 0}}": ("4:49", "step 2 (crash): on: attempt: 0 is not the number of"),
    "crash: {at: relay.after_send, on: {endpoint: shop}}": (
        "4:50",
        "step 2 (crash): on: endpoint: there is no endpoint",
    ),
    "crash: {at: relay.after_send, times: 1.5}": (
        "4:42",
        "step 2 (crash): times: '1.5' is not a number of times; write",
    ),
    "crash: {at: dispatch.after_commit, on: {attempt: 1}}": (
        "4:12",
        "step 2 (crash): dispatch.after_commit precedes every",
    ),
    "wire: {fault: loose_request}": ("4:19", "step 2 (wire): fault: 'loose_request' is not a wire fault; did you mean"),
    "receiver: okay": ("4:15", "step 2 (receiver): 'okay' is no answer; write receiver: ok, or fields, as in"),
    "receiver: {times: 2}": ("4:15", "step 2 (receiver): no answer is given; name status, delay or fault, as in"),
    "receiver: {status: 100}": ("4:24", "step 2 (receiver): status: 100 is not a final HTTP status; it goes from 200"),
    "receiver: {delay: 10}": ("4:23", "step 2 (receiver): delay: '10' has no unit; write 10s, 10m or 10h"),
    "receiver: {delay: 2h}": ("4:23", "step 2 (receiver): delay: '2h' of real time is too long to wait; at most 1h"),
    "receiver: {fault: timeout, status: 500}": ("4:15", "step 2 (receiver): timeout sends no status; leave status out"),
    "receiver: {fault: slow_close}": ("4:15", "step 2 (receiver): slow_close needs delay"),
    "receiver: {fault: redirect, status: 200}": ("4:15", "step 2 (receiver): a redirect has a status from 300 to 399"),
    "expect: {invoice: order}": (
        "4:13",
        "step 2 (expect): nothing is expected; name what must be true: state, attempts,",
    ),
    "expect: {invoice: order, state: failed}": (
        "4:13",
        "step 2 (expect): state is about an event; add event: invoice.paid",
    ),
    "expect: {order: paid}": ("4:13", "step 2 (expect): order is about an invoice; add invoice: order"),
    "expect: {invoice: order, event: invoice.paid, attempts: ten}": (
        "4:61",
        "step 2 (expect): attempts: 'ten' is not a count",
    ),
    "expect: {invoice: order, event: invoice.paid, statuses: 500}": (
        "4:61",
        "step 2 (expect): statuses: this must be a list",
    ),
    "expect: {invoice: order, event: invoice.paid, at: [0, 60]}": (
        "4:59",
        "step 2 (expect): at: entry 2: '60' has no unit",
    ),
    "expect: {invoice: order, event: invoice.paid, reasons: [statu]}": (
        "4:61",
        "step 2 (expect): reasons: entry 1: 'statu' is not a reason, nor none; did you mean 'status'?",
    ),
    "advance: {until: attempt}": (
        "4:14",
        "step 2 (advance): until: attempt and attempt go together, as in {until: attempt, attempt: 3}",
    ),
    "advance: {until: delivered, invoice: order, event: withdrawal.created}": (
        "4:14",
        "step 2 (advance): withdrawal.created is about a withdrawal and not an invoice",
    ),
    "resend: {event: withdrawal.created}": (
        "4:13",
        "step 2 (resend): which withdrawal is meant is not said; make one before, as in create_withdrawal:",
    ),
    "confirm: {invoice: order}": ("4:24", "step 2 (confirm): invoice: nothing was paid on order yet; put a transfer"),
    "confirm: {invoice: order, transfer: first}": (
        "4:14",
        "step 2 (confirm): name exactly one of invoice, transfer and deposit, as in confirm: {invoice: order}",
    ),
    "reorg: {transfer: first}": ("4:23", "step 2 (reorg): transfer: there is no transfer named 'first'; let one be"),
    "reorg: {deposit: order}": ("4:22", "step 2 (reorg): deposit: 'order' is an invoice and not a deposit; let one"),
    "complete: {withdrawal: order}": (
        "4:28",
        "step 2 (complete): withdrawal: 'order' is an invoice and not a withdrawal; make one before",
    ),
    "create_withdrawal: {as: a, amount: 1, currency: USDT, network: TRC2}": (
        "4:68",
        "step 2 (create_withdrawal): network: 'TRC2' is not a network; did you mean 'TRC20'?",
    ),
    "create_withdrawal: {as: a, amount: 1, currency: USDC, network: TRC20}": (
        "4:24",
        "step 2 (create_withdrawal): USDC cannot be paid on TRC20; it can be paid on ",
    ),
    "create_channel: {as: ann, customer_fee_percent: 101}": (
        "4:53",
        "step 2 (create_channel): customer_fee_percent: 101 is not a percentage; it goes from 0 to 100",
    ),
    "deposit: {as: a, channel: ann, amount: 1, currency: USDT, network: TRC20}": (
        "4:31",
        "step 2 (deposit): channel: there is no channel named 'ann'; open one before, as in create_channel:",
    ),
    "cancel: {}": ("4:13", "step 2 (cancel): name exactly one of invoice and withdrawal, as in cancel: {invoice:"),
    "expect: {invoice: order, withdrawal: order, announced: []}": (
        "4:13",
        "step 2 (expect): invoice and withdrawal are too many; an event is about one of them",
    ),
    "expect: {invoice: order, withdrawal_status: failed}": (
        "4:13",
        "step 2 (expect): withdrawal_status is about a withdrawal; add withdrawal: and its name",
    ),
    "expect: {invoice: order, announced: [withdrawal.created]}": (
        "4:13",
        "step 2 (expect): withdrawal.created is about a withdrawal and not an invoice",
    ),
    "expect: {arrived: []}": ("4:13", "step 2 (expect): arrived is about a resource; add invoice: order, or a"),
    "expect: {invoice: order, invoice_status: paid, within: 5s}": (
        "4:13",
        "step 2 (expect): within belongs to applied, fulfilled, order; leave it out",
    ),
    "expect: {invoice: order, order: paid, within: 5}": ("4:51", "step 2 (expect): within: '5' has no unit; write 5s"),
    "expect: {invoice: order, event: invoice.paid, delivered_within: 10 min}": (
        "4:69",
        "step 2 (expect): delivered_within: '10 min' is not a duration",
    ),
    "expect: {invoice: order, shows: {}}": ("4:37", "step 2 (expect): shows: "),
    "expect: {invoice: order, shows: {status: [paid]}}": (
        "4:46",
        "step 2 (expect): shows: status: this must be a single value, not a list",
    ),
    "rotate_secret: {endpoint: shop}": (
        "4:31",
        "step 2 (rotate_secret): endpoint: there is no endpoint named 'shop'; name",
    ),
    "edit: {endpoint: default}": ("4:11", "step 2 (edit): nothing is changed; name url, categories or project"),
    "endpoint: {as: shop, url: 'ftp://x'}": (
        "4:31",
        "step 2 (endpoint): url: 'ftp://x' is not an address; write http or",
    ),
    "endpoint: {as: shop, url: '${env:A}${b}'}": ("4:31", "step 2 (endpoint): url: only ${env:NAME} is filled in"),
    "endpoint: {as: shop, categories: [invoices]}": (
        "4:39",
        "step 2 (endpoint): categories: entry 1: 'invoices' is not a",
    ),
    "endpoint: {as: shop, categories: []}": (
        "4:38",
        "step 2 (endpoint): categories: this list is empty; it needs an entry",
    ),
}


SAY_MORE = {
    "create_invoice: {as: 1a, amount: 1, currency: usd}",
    "resend: {event: withdrawal.created}",
    "confirm: {invoice: order, transfer: first}",
    "expect: {invoice: order, withdrawal: order, announced: []}",
}
"""Steps with more than one thing wrong."""


@pytest.mark.parametrize("typed", BAD_STEPS)
def test_a_bad_step_is_refused_with_place_and_remedy(typed: str, tmp_path: Path) -> None:
    """Line and column of the very value, the step and its verb, what is wrong and what would be right."""
    place, sentence = BAD_STEPS[typed]
    said = refusal(tmp_path, f"name: x\nsteps:\n{CREATE}  - {typed}\n")
    assert said[0].startswith(f"{place}: {sentence}")
    assert len(said) == 1 or typed in SAY_MORE


# A whole file, where the first complaint points, and what it says.
BAD_FILES = {
    "steps:\n" + CREATE: ("1:1", "name is missing"),
    "name: x\n": ("1:1", "steps is missing"),
    "name: x\nsteps: []\n": ("2:8", "steps: this list is empty; it needs an entry"),
    "name: x\nsteps: {pay: {}}\n": ("2:8", "steps: this must be a list of steps, as in - pay: {invoice: order}"),
    "name:\nsteps:\n" + CREATE: ("1:6", "name: a value is missing"),
    "name: x\nclok: manual\nsteps:\n" + CREATE: ("2:1", "the field 'clok' is not known; did you mean 'clock'?"),
    "name: x\nclock: scale\nsteps:\n" + CREATE: (
        "2:8",
        "clock: 'scale' is not a clock mode; write real, manual, skip or",
    ),
    "name: x\nseed: 0x1\nsteps:\n" + CREATE: ("2:7", "seed: '0x1' is not a seed; write plain digits"),
    "name: x\nseed:\nsteps:\n" + CREATE: ("2:6", "seed: a value is missing"),
    "name: x\nladder: stripe\nsteps:\n" + CREATE: ("2:9", "ladder: 'stripe' is neither one of the shipped ladders nor"),
    "name: x\nladder: no.yaml\nsteps:\n" + CREATE: ("2:9", "ladder: /"),
    "name: x\nattempt_timeout: 0\nsteps:\n" + CREATE: ("2:18", "attempt_timeout: '0' is no time at all"),
    "name: x\nname: y\nsteps:\n" + CREATE: ("2:1", "the key 'name' is given twice, first in line 1; keep one of them"),
    "name: x\nsteps:\n  - pay:\n    invoice: a\n": (
        "3:5",
        "step 1: the fields of pay belong below it; indent them more",
    ),
    "name: x\nsteps:\n  - pay: {invoice: a}\n    cancel: {invoice: a}\n": (
        "3:5",
        "step 1: a step has one verb, and this",
    ),
    "name: x\nsteps:\n  - pay: {invoice: order}\n" + CREATE: (
        "3:20",
        "step 1 (pay): invoice: there is no invoice named 'order'; it is made in step 2, so this step must come",
    ),
    "name: x\nsteps:\n  - resend: {event: invoice.paid}\n": (
        "3:13",
        "step 1 (resend): which invoice is meant is not said",
    ),
    "name: x\nsteps:\n  - delete:\n  - suspend:\n": (
        "4:13",
        "step 2 (suspend): the endpoint 'default' is deleted in step 1",
    ),
    "name: x\nsteps:\n  - endpoint: {as: b}\n  - rotate_secret:\n": (
        "4:19",
        "step 2 (rotate_secret): which endpoint is meant is not said; name one of default, b",
    ),
    "name: x\nendpoints: [{as: a}, {as: a}]\nsteps: [restart: ]\n": (
        "2:27",
        "endpoints: entry 2: as: the name 'a' is there",
    ),
    "name: x\nsteps:\n  - receiver: {status: 500}\n  - receiver: {status: 503, event: invoice.paid}\n": (
        "4:15",
        "step 2 (receiver): this answer is never given, as step 1 answers for ever; put receiver: ok before this step",
    ),
    f"name: x\nsteps:\n{CREATE}  - cancel: {{invoice: order}}\n  - pay: {{invoice: order}}\n": (
        "5:20",
        "step 3 (pay): invoice: order has ended in step 2; pay needs an invoice that is open",
    ),
    f"name: x\nsteps:\n{CREATE}  - pay: {{invoice: order}}\n  - pay: {{invoice: order, stage: paid_late}}\n": (
        "5:20",
        "step 3 (pay): invoice: order has ended in step 2",
    ),
    f"name: x\nsteps:\n{WITHDRAW}  - fail: {{withdrawal: out}}\n  - complete: {{withdrawal: out}}\n": (
        "5:28",
        "step 3 (complete): withdrawal: out is failed since step 2; complete needs one that is created or",
    ),
    f"name: x\nsteps:\n{WITHDRAW}  - process: {{withdrawal: out}}\n  - cancel: {{withdrawal: out}}\n": (
        "5:26",
        "step 3 (cancel): withdrawal: out is signed since step 2; cancel needs one that is created or pending_review",
    ),
    f"name: x\nsteps:\n{DEPOSIT}  - reorg: {{deposit: gift}}\n": (
        "5:22",
        "step 3 (reorg): deposit: gift is confirmed since step 2; reorg needs one that is confirming",
    ),
    "name: x\nsteps:\n" + DEPOSIT.replace("  - deposit", "  - block: {channel: ann}\n  - deposit"): (
        "5:34",
        "step 3 (deposit): channel: ann is blocked since step 2; deposit needs one that is active",
    ),
    "name: x\nsteps:\n" + "  - restart:\n" * 1001: ("3:3", "steps: 1001 are too many; cut the story into files"),
}


@pytest.mark.parametrize("text", BAD_FILES)
def test_a_bad_file_is_refused_with_place_and_remedy(text: str, tmp_path: Path) -> None:
    """What is wrong with a file as a whole, or between its steps, has its place too."""
    place, sentence = BAD_FILES[text]
    (said, *_) = refusal(tmp_path, text)
    assert said.startswith(f"{place}: {sentence}")


def test_all_errors_of_a_file_come_in_one_go(tmp_path: Path) -> None:
    """Bad steps, bad fields, names and settings are named together, in file order; one fault hides no other."""
    said = refusal(
        tmp_path,
        "name: x\nclock: fast\nsteps:\n"
        "  - create_invoice: {as: order, amount: 1_0, currency: USD}\n"
        "  - pay: {invoice: order, stage: full}\n"
        "  - payy: {invoice: order}\n"
        "  - crash: {at: nowhere, times: 0}\n"
        "  - cancel: {invoice: other}\n",
    )
    assert [line.partition(": ")[0] for line in said] == ["2:8", "4:41", "5:34", "6:5", "7:17", "7:33", "8:23"]
