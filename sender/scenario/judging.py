"""What is told when a story is over: where every delivery stands, and which laws hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sender.scenario.breach import Witness
from sender.scenario.events import EventSummed, ExchangeKept, LawBroken, LawHeld
from sender.scenario.receiver_laws import LAWS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from sender.durations import Instant
    from sender.scenario.evidence import Evidence
    from sender.store.headers import Pairs


def sums(evidence: Evidence, now: Instant, names: Mapping[str, str]) -> Iterator[EventSummed]:
    """Return where each delivery stands; ``names`` are those of resources and endpoints, by id."""
    for one in evidence.events:
        seen = evidence.seen.events.get(one.event_id, {}) if evidence.seen else None
        yield EventSummed(
            virtual_time=now,
            event_id=one.event_id,
            event_type=one.event_type,
            resource_id=one.resource_id,
            resource=names.get(one.resource_id, one.resource_id),
            endpoint=names.get(one.endpoint_id, one.endpoint_id),
            state=one.state,
            attempts=one.attempts,
            received=None if seen is None else seen.get("received", 0),
            applied=None if seen is None else seen.get("applied", 0),
            next_due_at=one.due_at,
        )


def exchanges(evidence: Evidence, now: Instant) -> Iterator[ExchangeKept]:
    """Return what went over the wire, attempt by attempt."""
    for event in evidence.events:
        body = evidence.bodies.get(event.event_id, b"").decode("utf-8", "replace")
        for one in evidence.attempts_of(event):
            yield ExchangeKept(
                virtual_time=now,
                event_id=one.event_id,
                number=one.number,
                started_at=one.started_at,
                url=one.url,
                request_headers=_masked_pairs(one.request_headers, evidence.secrets),
                request_body=_masked(body, evidence.secrets),
                answer_headers=_masked_pairs(one.answer_headers, evidence.secrets),
                answer_body=_masked(one.answer_body.decode("utf-8", "replace"), evidence.secrets),
                answer_cut=one.answer_cut,
            )


def _masked_pairs(pairs: Pairs, secrets: Collection[str]) -> Pairs:
    return tuple((_masked(name, secrets), _masked(value, secrets)) for name, value in pairs)


def _masked(text: str, secrets: Collection[str]) -> str:
    """Return text in which a secret, should a receiver have said it, shows its last four characters only."""
    for secret in secrets:
        text = text.replace(secret, f"…{secret[-4:]}")
    return text


def verdicts(evidence: Evidence, now: Instant) -> Iterator[LawHeld | LawBroken]:
    """Return what became of each law; those whose witness is not there are left out."""
    for law in LAWS:
        if law.witness not in witnesses(evidence):
            continue
        breaches = list(law.breaches(evidence))
        if not breaches:
            yield LawHeld(virtual_time=now, law=law.name, says=law.says)
        for one in breaches:
            yield LawBroken(virtual_time=now, law=law.name, says=law.says, subject=one.subject, detail=one.detail)


def witnesses(evidence: Evidence) -> set[Witness]:
    """Return who was there to tell."""
    receiver = {Witness.RECEIVER} if evidence.seen is not None else set()
    probe = {Witness.PROBE} if evidence.probed is not None else set()
    return {Witness.SENDER, *receiver, *probe}
