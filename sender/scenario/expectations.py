"""The step ``expect``: what was found is gathered once and compared, field by field."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sender.durations import format_duration
from sender.scenario.language.expectations import OF_EVENT
from sender.store import reads, settings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sender.durations import Duration
    from sender.scenario.language.expectations import Expect
    from sender.scenario.play import Play
    from sender.store.reads import AttemptView, EventView

NONE = "none"
"""The word for what is not there."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One comparison, as text: what was asked, of what, what was wanted and what was found."""

    subject: str
    field: str
    wanted: str
    found: str

    @property
    def holds(self) -> bool:
        """Whether it is as it was wanted."""
        return self.wanted == self.found


async def check(play: Play, expect: Expect) -> list[Finding]:
    """Return what an ``expect`` step finds. Raises ``UsageError`` for what only the reference receiver can tell."""
    if play.receiver is not None:
        await play.receiver.idle()
    found = {
        **await _of_event(play, expect),
        **await _of_invoice(play, expect),
        **await _of_endpoint(play, expect),
    }
    return [
        Finding(subject_of(expect, name), name, shown(_wanted(expect, name)), shown(value))
        for name, value in found.items()
    ]


async def _of_event(play: Play, expect: Expect) -> Mapping[str, Any]:
    asked = [name for name in OF_EVENT if getattr(expect, name) is not None]
    if not asked:
        return {}
    endpoint_id = play.endpoint_id(expect.endpoint)
    async with play.simulator.database.read() as session:
        every = await reads.events(session, play.invoice(expect.invoice).id)
        mine = [one for one in every if (one.event_type, one.endpoint_id) == (expect.event, endpoint_id)]
        event = mine[-1] if mine else None
        attempts = [one for one in await reads.attempts_after(session) if event and one.outbox_seq == event.seq]
    counted = await _counted(play, event) if {"received", "applied"} & set(asked) else {}
    facts = {**_facts(event, sorted(attempts, key=lambda one: one.number)), **counted}
    return {name: facts[name] for name in asked}


def _facts(event: EventView | None, attempts: Sequence[AttemptView]) -> dict[str, Any]:
    return {
        "state": event.state if event else None,
        "attempts": event.attempts if event else 0,
        "statuses": [one.status for one in attempts],
        "reasons": [one.reason for one in attempts],
        "at": [Since(one.started_at - attempts[0].started_at) for one in attempts],
    }


async def _counted(play: Play, event: EventView | None) -> dict[str, int]:
    received = await play.reference().received()
    summary = received.get(event.event_id, {}) if event else {}
    return {"received": summary.get("received", 0), "applied": summary.get("applied", 0)}


async def _of_invoice(play: Play, expect: Expect) -> Mapping[str, Any]:
    found: dict[str, Any] = {}
    if expect.order is not None:
        order = await play.reference().order(play.invoice(expect.invoice).order_id)
        found["order"] = order["status"] if order else None
    if expect.invoice_status is not None:
        found["invoice_status"] = (await play.api.invoice(play.invoice(expect.invoice).id)).status.value
    return found


async def _of_endpoint(play: Play, expect: Expect) -> Mapping[str, Any]:
    if expect.endpoint_status is None:
        return {}
    async with play.simulator.database.read() as session:
        endpoint = await settings.read_endpoint(session, play.endpoint_id(expect.endpoint))
    return {"endpoint_status": endpoint.status.value}


@dataclass(frozen=True, slots=True)
class Since:
    """A virtual duration, which is shown with its unit."""

    duration: Duration


def shown(value: object) -> str:
    """Return a value of an expectation as it is written in a story."""
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(shown, value))}]"
    if value is None:
        return NONE
    return format_duration(value.duration) if isinstance(value, Since) else str(value)


def _wanted(expect: Expect, name: str) -> object:
    value = getattr(expect, name)
    return [Since(one) for one in value] if name == "at" else value


def subject_of(expect: Expect, field: str) -> str:
    """Return what a field of an ``expect`` step is about, in words."""
    if field == "endpoint_status":
        return f"endpoint {expect.endpoint}" if expect.endpoint else "the endpoint"
    if field in OF_EVENT:
        where = f" at {expect.endpoint}" if expect.endpoint else ""
        return f"{expect.event} of {expect.invoice}{where}"
    return f"invoice {expect.invoice}"
