"""The outbox's own statements: queue, look, claim, settle, give back, resend, cancel.

A row is leased by a token. Settling is compare-and-set on it: a relay that lost its lease touches no row and leaves its
attempt as evidence. Every statement is for a batch, so that a transaction of the relay is a handful of round trips
however many rows it moves.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import BigInteger, Text, bindparam, case, func, or_, select, update

from sender.domain.delivery import Delivery, DeliveryState, Trigger
from sender.store import mishaps
from sender.store.engine import batch, batch_of
from sender.store.moves import NO_LEASE, move
from sender.store.records import made, there
from sender.store.schema import attempts, bodies, endpoints, outbox

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import Row

    from sender.durations import Instant
    from sender.store.engine import Session

_PARKED_MANUAL = 0
"""``claim_at`` of a manual attempt whose lease was given back: due at once, before anything else."""


@dataclass(frozen=True, slots=True)
class Queued:
    """A new outbox row: the copy of one transition for one endpoint."""

    seq: int
    event_id: str
    event_type: str
    resource_id: str
    endpoint_id: str
    delivery: Delivery
    body: bytes


@dataclass(frozen=True, slots=True)
class Lease:
    """In whose name rows are claimed, and until which real instant."""

    owner: str
    token: str
    until_real: Instant


class Claimed(NamedTuple):
    """A row that is leased to a relay: what to send, and where the delivery stood.

    A tuple, as ``Settlement`` is: there is one for each attempt, and a frozen dataclass takes four times as long.
    """

    seq: int
    event_id: str
    event_type: str
    resource_id: str
    endpoint_id: str
    delivery: Delivery
    body: bytes
    token: str


class Settlement(NamedTuple):
    """What a finished attempt makes of its row, with the record of the attempt: the columns of ``attempts``."""

    row: Claimed
    delivery: Delivery
    record: Mapping[str, Any]


_claimable = (
    select(outbox.c.claim_at)
    .where(outbox.c.endpoint_id == endpoints.c.id, outbox.c.claim_at.is_not(None))
    .order_by(outbox.c.claim_at, outbox.c.seq)
    .limit(1)
    .correlate(endpoints)
    .scalar_subquery()
)
_HEADS = select(endpoints.c.id, _claimable.label("claim_at")).where(endpoints.c.status == "active")

_DUE = (
    select(
        outbox.c.seq,
        outbox.c.event_id,
        outbox.c.event_type,
        outbox.c.resource_id,
        outbox.c.state,
        outbox.c.due_at,
        outbox.c.trigger,
        outbox.c.attempts,
        outbox.c.failures,
        bodies.c.body,
    )
    .join(bodies, bodies.c.outbox_seq == outbox.c.seq)
    .where(
        outbox.c.endpoint_id == bindparam("b_endpoint"),
        outbox.c.claim_at.is_not(None),
        outbox.c.claim_at <= bindparam("b_now"),
    )
    .order_by(outbox.c.claim_at, outbox.c.seq)
    .limit(bindparam("b_limit"))
    .with_for_update(skip_locked=True, of=outbox)
)
_named = batch(seq=BigInteger())
_LEASE = (
    update(outbox)
    .where(outbox.c.seq.in_(select(_named.c.seq)))
    .values(
        claim_at=None,
        lease_token=bindparam("b_token"),
        lease_owner=bindparam("b_owner"),
        leased_until_real=bindparam("b_until"),
    )
)

_BACK: dict[str, Any] = {
    "claim_at": case((outbox.c.trigger == Trigger.MANUAL.value, _PARKED_MANUAL), else_=outbox.c.due_at),
    **NO_LEASE,
}
_leased = outbox.c.lease_token.is_not(None)
_GIVE_BACK = update(outbox).where(outbox.c.lease_owner == bindparam("b_owner"), _leased).values(_BACK)
_UNDO_CLAIM = (
    update(outbox)
    .where(outbox.c.lease_owner == bindparam("b_owner"), outbox.c.lease_token == bindparam("b_token"))
    .values(_BACK)
)
_returned = batch(seq=BigInteger(), token=Text())
_PUT_BACK = (
    update(outbox).where(outbox.c.seq == _returned.c.seq, outbox.c.lease_token == _returned.c.token).values(_BACK)
)
_REAP = update(outbox).where(_leased, outbox.c.leased_until_real < bindparam("b_real")).values(_BACK)
_RENEW = (
    update(outbox)
    .where(outbox.c.lease_owner == bindparam("b_owner"), _leased)
    .values(leased_until_real=bindparam("b_until"))
)
_LEASED = select(func.count()).select_from(outbox).where(_leased)

_ROW = select(
    outbox.c.seq, outbox.c.state, outbox.c.due_at, outbox.c.claim_at, outbox.c.trigger, outbox.c.attempts,
    outbox.c.failures, outbox.c.lease_token,
).where(outbox.c.event_id == bindparam("b_event_id"))  # fmt: skip
_RESEND = (
    update(outbox)
    .where(outbox.c.seq == bindparam("b_seq"), outbox.c.lease_token.is_(None))
    .values(claim_at=bindparam("b_claim_at"), trigger=Trigger.MANUAL.value)
)
_CANCEL = (
    update(outbox)
    .where(
        outbox.c.endpoint_id == bindparam("b_endpoint"),
        or_(outbox.c.state == "pending", outbox.c.claim_at.is_not(None)),
    )
    .values(
        state=case((outbox.c.state == "pending", "cancelled"), else_=outbox.c.state),
        due_at=None,
        claim_at=None,
        trigger=Trigger.SCHEDULED.value,
        **NO_LEASE,
    )
)


async def queue(session: Session, rows: Sequence[Queued]) -> None:
    """Add rows, each due when its delivery says so."""
    if not rows:
        return
    await session.add(outbox, [_columns(row) for row in rows])
    await session.add(bodies, [{"outbox_seq": row.seq, "body": row.body} for row in rows])
    await session.announce()


async def heads(session: Session) -> dict[str, Instant | None]:
    """Return for each active endpoint when its next row can be claimed; a row of a suspended one waits."""
    return {row.id: row.claim_at for row in await session.rows(_HEADS)}


async def leased(session: Session) -> int:
    """Return how many rows are in the hands of relays."""
    ((count,),) = await session.rows(_LEASED)
    return int(count)


async def claim(session: Session, endpoint_id: str, now: Instant, limit: int, lease: Lease) -> list[Claimed]:
    """Lease up to ``limit`` rows of one endpoint that are due at ``now``, in the order in which to try them."""
    due = await session.rows(_DUE, {"b_endpoint": endpoint_id, "b_now": now, "b_limit": limit})
    if due:
        params = {"b_token": lease.token, "b_owner": lease.owner, "b_until": lease.until_real}
        await session.run(_LEASE, {"batch": batch_of((row.seq,) for row in due), **params})
    # What was queued together stands alike, so that few values stand for many rows.
    standing = cache(_standing)
    return [
        Claimed(seq, event_id, event_type, resource_id, endpoint_id, standing(*stands), body, lease.token)
        for seq, event_id, event_type, resource_id, *stands, body in due
    ]


async def settle(session: Session, settlements: Sequence[Settlement]) -> list[Settlement]:
    """Move the rows that are still leased under their token, and record every attempt.

    Returns the settlements that moved nothing because their lease was lost; their attempts are kept as evidence
    (``counted`` false), except for rows that a reset has taken away altogether.
    """
    claims: dict[str, list[Settlement]] = {}
    for one in settlements:
        claims.setdefault(one.row.token, []).append(one)
    unmoved: list[Settlement] = []
    for token, mine in claims.items():
        moved = await move(session, token, [(one.row.seq, one.delivery) for one in mine])
        unmoved += [one for one in mine if one.row.seq not in moved]
    if not unmoved:
        await session.add(attempts, [one.record for one in settlements])
        return []
    records, lost = await _evidence(session, settlements, unmoved)
    if records:
        await session.add(attempts, records)
    return lost


async def _evidence(
    session: Session, settlements: Sequence[Settlement], unmoved: Sequence[Settlement]
) -> tuple[list[Mapping[str, Any]], list[Settlement]]:
    """Return the records where some settlements moved nothing, and which of those have lost their lease.

    One that is on record under its own token has lost nothing: it was settled by a commit of which nobody heard,
    because the connection broke before the answer, and what is on record already is not recorded again.
    """
    seqs = [one.row.seq for one in unmoved]
    left, known = await there(session, seqs), await made(session, seqs)
    lost = [one for one in unmoved if (one.row.seq, one.row.token) not in known]
    stale = {id(one) for one in lost if one.row.seq in left}
    gone = {id(one) for one in unmoved} - stale
    records = [
        {**one.record, "counted": False} if id(one) in stale else one.record
        for one in settlements
        if id(one) not in gone
    ]
    return records, lost


async def put_back(session: Session, rows: Sequence[Claimed]) -> None:
    """Make claimed rows that were not sent claimable again, as far as they are still leased under their token."""
    if rows:
        await session.run(_PUT_BACK, {"batch": batch_of((row.seq, row.token) for row in rows)})


async def undo_claim(session: Session, owner: str, token: str) -> int:
    """Make the rows of one claim claimable again, as far as it was made at all; return how many there were."""
    return await session.run(_UNDO_CLAIM, {"b_owner": owner, "b_token": token})


async def give_back(session: Session, owner: str) -> int:
    """Make the rows of a relay that is known to be dead claimable again; return how many there were."""
    await mishaps.note_dead(session, owner)
    return await session.run(_GIVE_BACK, {"b_owner": owner})


async def reap(session: Session, real: Instant) -> int:
    """Make rows claimable whose lease ran out in real time; return how many there were."""
    await mishaps.note_overdue(session, real)
    return await session.run(_REAP, {"b_real": real})


async def renew(session: Session, owner: str, until_real: Instant) -> int:
    """Prolong every lease of a relay; return how many it still has."""
    return await session.run(_RENEW, {"b_owner": owner, "b_until": until_real})


async def find(session: Session, event_id: str) -> tuple[int, Delivery, bool] | None:
    """Return (seq, delivery, in flight) of an event, or ``None``."""
    for row in await session.rows(_ROW, {"b_event_id": event_id}):
        return row.seq, _delivery(row, row.claim_at), row.lease_token is not None
    return None


async def resend(session: Session, seq: int, delivery: Delivery) -> bool:
    """Store a delivery that a person resent; tell whether it was still at rest."""
    done = await session.run(_RESEND, {"b_seq": seq, "b_claim_at": delivery.claim_at})
    await session.announce()
    return done == 1


async def cancel(session: Session, endpoint_id: str) -> int:
    """Cancel what is pending for a deleted endpoint, in flight or not; return how many rows changed."""
    return await session.run(_CANCEL, {"b_endpoint": endpoint_id})


def _columns(row: Queued) -> dict[str, Any]:
    delivery = row.delivery
    return {
        "seq": row.seq,
        "event_id": row.event_id,
        "event_type": row.event_type,
        "resource_id": row.resource_id,
        "endpoint_id": row.endpoint_id,
        "state": delivery.state.value,
        "due_at": delivery.due_at,
        "claim_at": delivery.claim_at,
        "trigger": delivery.trigger.value,
        "attempts": delivery.attempts,
        "failures": delivery.failures,
        # A new delivery is due at once, so this is the instant of its transition.
        "created_at": delivery.due_at or 0,
    }


def _standing(state: str, due_at: Instant | None, trigger: str, attempts_made: int, failures: int) -> Delivery:
    return Delivery(DeliveryState(state), due_at, None, Trigger(trigger), attempts_made, failures)


def _delivery(row: Row[Any], claim_at: Instant | None) -> Delivery:
    return Delivery(DeliveryState(row.state), row.due_at, claim_at, Trigger(row.trigger), row.attempts, row.failures)
