"""The step ``expect``: what the sender's records and the API show is gathered once and compared, field by field."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sender.scenario import commands, receiving
from sender.scenario.findings import Finding, Since, bounded, equal
from sender.scenario.language.expectations import BOUNDS, OF_EVENT, OF_RECORDS, STATUSES
from sender.store import reads, resources, settings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sender.durations import Duration
    from sender.scenario.language.expectations import Expect
    from sender.scenario.play import Play
    from sender.store.reads import AttemptView, EventView


async def check(play: Play, expect: Expect) -> list[Finding]:
    """Return what an ``expect`` step finds. Raises ``UsageError`` for what nobody here can tell."""
    if play.receiver is not None:
        await play.receiver.idle()
    return [
        *await _of_event(play, expect),
        *await receiving.of_order(play, expect),
        *await _of_resource(play, expect),
        *await _of_statuses(play, expect),
        *await _of_endpoint(play, expect),
    ]


async def _of_event(play: Play, expect: Expect) -> list[Finding]:
    asked, about = expect.given(OF_EVENT), play.subject(expect)
    if not asked or about is None:
        return []
    endpoint_id = play.endpoint_id(expect.endpoint)
    async with play.simulator.database.read() as session:
        every = await reads.events(session, about.id)
        mine = [one for one in every if (one.event_type, one.endpoint_id) == (expect.event, endpoint_id)]
        event = mine[-1] if mine else None
        attempts = [one for one in await reads.attempts_after(session) if event and one.outbox_seq == event.seq]
    made = sorted(attempts, key=lambda one: one.number)
    return [
        *_recorded(expect, event, made),
        *_bounds(expect, made),
        *await receiving.of_event(play, expect, event),
    ]


def _recorded(expect: Expect, event: EventView | None, attempts: Sequence[AttemptView]) -> list[Finding]:
    facts: Mapping[str, Any] = {
        "state": event.state if event else None,
        "attempts": event.attempts if event else 0,
        "statuses": [one.status for one in attempts],
        "reasons": [one.reason for one in attempts],
        "at": [Since(one.started_at - attempts[0].started_at) for one in attempts],
    }
    wanted = {name: getattr(expect, name) for name in expect.given(OF_RECORDS)}
    if "at" in wanted:
        wanted["at"] = [Since(one) for one in wanted["at"]]
    return [equal(expect, name, value, facts[name]) for name, value in wanted.items()]


def _bounds(expect: Expect, attempts: Sequence[AttemptView]) -> list[Finding]:
    took: dict[str, list[Duration]] = {
        # An event is due at once, so its first attempt was due when it was announced.
        "delivered": [one.finished_at - attempts[0].due_at for one in attempts if one.outcome == "delivered"][:1],
        "answered": [one.duration for one in attempts],
    }
    return [
        bounded(expect, name, took[what], is_real=what == "answered")
        for name in expect.given(BOUNDS)
        for what in [name.partition("_")[0]]
    ]


async def _of_resource(play: Play, expect: Expect) -> list[Finding]:
    found = []
    about = play.subject(expect)
    if expect.announced is not None and about is not None:
        async with play.simulator.database.read() as session:
            history = await resources.history_of(session, about.id)
        announced = [row.event_type for row in history if row.event_type is not None]
        found.append(equal(expect, "announced", expect.announced, announced))
    if expect.arrived is not None and about is not None:
        found.append(equal(expect, "arrived", expect.arrived, await receiving.arrived(play, expect, about.id)))
    if expect.shows is not None:
        resource_id = about.id if about is not None else play.id_of(expect.channel or "")
        document = play.simulator.profile.resource(await commands.load(play.api, resource_id))
        found += [equal(expect, path, wanted, _at(document, path)) for path, wanted in expect.shows.items()]
    return found


def _at(document: Any, path: str) -> object:
    for step in path.split("."):
        if isinstance(document, list) and step.isdecimal() and int(step) < len(document):
            document = document[int(step)]
        else:
            document = document.get(step) if isinstance(document, dict) else None
    return document


async def _of_statuses(play: Play, expect: Expect) -> list[Finding]:
    found = []
    for field in expect.given(tuple(STATUSES)):
        resource = await commands.load(play.api, play.id_of(getattr(expect, STATUSES[field])))
        found.append(equal(expect, field, getattr(expect, field), resource.status))
    return found


async def _of_endpoint(play: Play, expect: Expect) -> list[Finding]:
    if expect.endpoint_status is None:
        return []
    async with play.simulator.database.read() as session:
        endpoint = await settings.read_endpoint(session, play.endpoint_id(expect.endpoint))
    return [equal(expect, "endpoint_status", expect.endpoint_status, endpoint.status)]
