"""The laws of a run: each holds on good evidence, and each names what breaks it."""

from __future__ import annotations

import pytest

from sender.durations import MINUTE, SECOND
from sender.scenario.breach import Witness
from sender.scenario.evidence import Evidence, Fulfilment
from sender.scenario.judging import sums, verdicts
from sender.scenario.receiver_laws import LAWS
from tests.evidence import attempt, event, evidence, refused, seen, transitioned

PAID, UNPAID, PAID_AND_NOT_TOLD = (1, 1), (0, 0), (0, 1)
"""How often an order may be fulfilled, at the least and at the most."""

GOOD = {
    "delivered at once": evidence(),
    "the whole ladder": evidence(
        refused(1, 0), refused(2, MINUTE), refused(3, 3 * MINUTE), of=event(state="failed", attempts=3, failures=3),
        seen=seen(events={"evt_1": {"received": 3, "applied": 0}}, orders=[]),
    ),
    "a timeout": evidence(
        attempt(finished_at=10 * SECOND, outcome="failed", status=None, reason="timeout"),
        attempt(number=2, due_at=70 * SECOND, started_at=70 * SECOND, finished_at=70 * SECOND),
        of=event(failures=1), seen=seen(events={"evt_1": {"received": 2, "applied": 1}}),
    ),
    "still due": evidence(refused(1, 0), of=event(state="pending", due_at=MINUTE, failures=1)),
    "cancelled with its endpoint": evidence(
        refused(1, 0), of=event(state="cancelled", failures=1), deleted={"whe_1"}, seen=seen(events={}, orders=[])
    ),
    "a silent transition": evidence(history=[transitioned(), transitioned(seq=2, event_type=None, deliveries=0)]),
    "fulfilled when it was taken": evidence(
        probed={"order-1": Fulfilment(*PAID, 1), "order-2": Fulfilment(*UNPAID, 0)}
    ),
    "fulfilled by asking the API": evidence(probed={"order-1": Fulfilment(*PAID_AND_NOT_TOLD, 1)}),
    "not told and not fulfilled": evidence(probed={"order-1": Fulfilment(*PAID_AND_NOT_TOLD, 0)}),
    "resent by hand": evidence(
        attempt(), attempt(number=2, trigger="manual", due_at=5, started_at=5, finished_at=5),
        seen=seen(events={"evt_1": {"received": 2, "applied": 1}}),
    ),
    "sent again after a death": evidence(deaths=1, seen=seen(events={"evt_1": {"received": 2, "applied": 1}})),
    "sent twice by a fault": evidence(
        attempt(faults=("duplicate",)), seen=seen(events={"evt_1": {"received": 2, "applied": 1}})
    ),
    "a lost lease": evidence(
        attempt(counted=False), attempt(), seen=seen(events={"evt_1": {"received": 2, "applied": 1}})
    ),
}  # fmt: skip

BROKEN = {
    "committed_together": evidence(history=[transitioned(deliveries=2)]),
    "nothing_lost": evidence(of=event(state="pending", due_at=None)),
    "ends_for_a_reason": evidence(refused(1, 0)),
    "rung_is_failures": evidence(of=event(failures=1)),
    "ladder_ends": evidence(*(refused(number, 0) for number in (1, 2, 3, 4))),
    "gaps_are_the_ladders": evidence(
        refused(1, 0), refused(2, 2 * MINUTE), of=event(state="pending", due_at=4 * MINUTE, failures=2)
    ),
    "settled_rests": evidence(attempt(), attempt(number=2)),
    "body_never_changes": evidence(bodies={"evt_1": b"something else"}),
    "delivered_means_received": evidence(seen=seen(events={})),
    "no_unplanned_duplicate": evidence(seen=seen(events={"evt_1": {"received": 2, "applied": 1}})),
    "only_what_happened": evidence(seen=seen(events={"evt_1": {"received": 1, "applied": 1}, "evt_2": {"applied": 1}})),
    "applied_once": evidence(seen=seen(orders=[{"external_order_id": "order-1", "paid": True, "fulfilled": 2}])),
    "fulfilled_once": evidence(probed={"order-1": Fulfilment(*PAID, 2)}),
}

ALSO_BROKEN = {
    "in the hands of nobody": ("nothing_lost", evidence(of=event(state="pending", due_at=0, in_flight=True))),
    "announced without a transition": ("committed_together", evidence(history=[])),
    "another event than was committed": (
        "committed_together",
        evidence(history=[transitioned(event_type="invoice.expired")]),
    ),
    "given up early": ("ends_for_a_reason", evidence(refused(1, 0), of=event(state="failed", failures=1))),
    "cancelled with its endpoint there": ("ends_for_a_reason", evidence(of=event(state="cancelled"))),
    "a death that spent a rung": ("rung_is_failures", evidence(refused(1, 0), of=event(state="pending", failures=2))),
    "paid, taken and not fulfilled": ("fulfilled_once", evidence(probed={"order-1": Fulfilment(*PAID, 0)})),
    "fulfilled and not paid": ("fulfilled_once", evidence(probed={"order-1": Fulfilment(*UNPAID, 1)})),
    "too early": ("gaps_are_the_ladders", evidence(attempt(due_at=SECOND))),
    "a number left out": ("settled_rests", evidence(attempt(number=2))),
    "unsigned": ("body_never_changes", evidence(attempt(request_headers=()))),
    "applied twice": ("applied_once", evidence(seen=seen(events={"evt_1": {"received": 1, "applied": 2}}))),
    "paid and not fulfilled": (
        "applied_once",
        evidence(seen=seen(orders=[{"external_order_id": "order-1", "paid": True, "fulfilled": 0}])),
    ),
}


def broken(given: Evidence) -> set[str]:
    """Return the names of the laws that do not hold."""
    return {law.name for law in LAWS if any(law.breaches(given))}


@pytest.mark.parametrize("case", GOOD)
def test_laws_hold(case: str) -> None:
    """What is planned, explained or simply good breaks no law."""
    assert broken(GOOD[case]) == set()


@pytest.mark.parametrize("law", [law.name for law in LAWS])
def test_each_law_can_be_broken(law: str) -> None:
    """Each law is broken by what it forbids."""
    assert law in broken(BROKEN[law])


@pytest.mark.parametrize("case", ALSO_BROKEN)
def test_law_is_broken(case: str) -> None:
    """A law is broken by each of the things that it forbids."""
    law, given = ALSO_BROKEN[case]
    assert law in broken(given)


def test_breach_names_the_event() -> None:
    """A broken law says where it shows and what was found."""
    (verdict,) = [one for one in verdicts(BROKEN["gaps_are_the_ladders"], 0) if one.kind == "law.broken"]
    assert getattr(verdict, "subject", "") == "invoice.paid evt_1"
    assert getattr(verdict, "detail", "") == "attempt 2 was due 1m off its rung"


def test_laws_of_the_receiver_need_the_receiver() -> None:
    """Against somebody else's receiver the laws that only ours can tell are left out, and the others are checked."""
    told = {getattr(one, "law", "") for one in verdicts(evidence(seen=None), 0)}
    assert told == {law.name for law in LAWS if law.witness is Witness.SENDER}
    probed = {getattr(one, "law", "") for one in verdicts(evidence(seen=None, probed={}), 0)}
    assert probed - told == {"fulfilled_once"}
    (summed,) = sums(evidence(seen=None), 0, {"inv_1": "order", "whe_1": "default"})
    assert (summed.resource, summed.endpoint, summed.received) == ("order", "default", None)
