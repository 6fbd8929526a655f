"""What only the receiver can tell: the reference receiver by its control interface, another one by a probe."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sender.errors import UsageError
from sender.probe.looking import seen
from sender.scenario.findings import Finding, equal
from sender.scenario.language.expectations import COUNTED, OF_ORDER
from sender.store import reads

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sender.probe.looking import Probe, Sighting
    from sender.scenario.language import Step
    from sender.scenario.language.expectations import Expect
    from sender.scenario.play import Play
    from sender.store.reads import EventView

FULFILLING = frozenset({"invoice.paid", "invoice.paid_over"})
"""The events that release the goods: only these does a fulfilled order tell of."""

_BY_PROBE = {"applied": "fulfilled", "fulfilled": "fulfilled", "order": "status"}
"""What a probe answers, and by which part of its sighting."""


def beyond_reach(step: Step, *, probed: bool) -> list[str]:
    """Return what of a step only the reference receiver can do or tell, where another one is under test."""
    if step.verb == "receiver":
        return ["receiver"]
    expect = step.expect
    if expect is None:
        return []
    asked = expect.given((*COUNTED, *OF_ORDER, "arrived"))
    return [name for name in asked if not (probed and _can_be_probed(name, expect))]


def _can_be_probed(name: str, expect: Expect) -> bool:
    return name in _BY_PROBE and (name != "applied" or expect.event in FULFILLING)


async def of_event(play: Play, expect: Expect, event: EventView | None) -> list[Finding]:
    """Return how often the event was received and carried out, as far as that is asked."""
    asked = expect.given(COUNTED)
    if play.receiver is None:
        return [await _probed(play, expect, name) for name in asked]
    summary = (await play.receiver.received()).get(event.event_id, {}) if asked and event else {}
    return [equal(expect, name, getattr(expect, name), summary.get(name, 0)) for name in asked]


async def of_order(play: Play, expect: Expect) -> list[Finding]:
    """Return what became of the order at the receiver, as far as that is asked."""
    asked = expect.given(OF_ORDER)
    if not asked or play.receiver is None:
        return [await _probed(play, expect, name) for name in asked]
    order = await play.receiver.order(play.created[expect.invoice or ""].order_id)
    facts = {"order": order["status"] if order else None, "fulfilled": order["fulfilled"] if order else 0}
    return [equal(expect, name, getattr(expect, name), facts[name]) for name in asked]


async def arrived(play: Play, expect: Expect, resource_id: str) -> list[str]:
    """Return the events of a resource in the order in which the reference receiver first saw them."""
    endpoint_id = play.endpoint_id(expect.endpoint)
    async with play.simulator.database.read() as session:
        events = await reads.events(session, resource_id)
    types = {one.event_id: one.event_type for one in events if one.endpoint_id == endpoint_id}
    return [types[event_id] for event_id in await play.reference().received() if event_id in types]


async def orders_seen(play: Play, probe: Probe, due: Mapping[str, int]) -> dict[str, int]:
    """Return how often each order was fulfilled; each is looked at until that is as often as it is due at the least."""
    found = {}
    for order, least in due.items():
        sighting = await seen(
            probe,
            order,
            lambda one, least=least: one.fulfilled >= least,  # type: ignore[misc]
            play.patience,
            play.simulator.clock,
        )
        found[order] = sighting.fulfilled
    return found


async def _probed(play: Play, expect: Expect, name: str) -> Finding:
    if play.probe is None or not _can_be_probed(name, expect):
        raise UsageError(f"{name} needs the reference receiver; leave it out, or run without --target")
    part, order = _BY_PROBE[name], play.created[expect.invoice or ""].order_id
    wanted: Any = getattr(expect, name)

    def holds(one: Sighting) -> bool:
        return equal(expect, name, wanted, getattr(one, part)).holds

    patience = play.patience if expect.within is None else expect.within
    sighting = await seen(play.probe, order, holds, patience, play.simulator.clock)
    return equal(expect, name, wanted, getattr(sighting, part))
