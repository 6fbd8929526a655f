"""Clears what a simulator holds, scope by scope, so that the next test begins as if nothing had been."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import case, delete, func, or_, select, update

from sender.domain.access import first_keys, make_project
from sender.store import balances
from sender.store.schema import (
    api_keys,
    attempts,
    bodies,
    deposit_feed,
    endpoints,
    faults,
    history,
    instance,
    mishaps,
    outbox,
    projects,
    resources,
)
from sender.store.schema import balances as balances_table

if TYPE_CHECKING:
    from sender.store.engine import Session

_ended = {"state": case((outbox.c.state == "pending", "cancelled"), else_=outbox.c.state), "due_at": None}
_leased = outbox.c.lease_token.is_not(None)
_CALL_OFF = (
    update(outbox)
    .where(~_leased, or_(outbox.c.state == "pending", outbox.c.claim_at.is_not(None)))
    .values(claim_at=None, **_ended)
)
_TAKE_AWAY = update(outbox).where(_leased).values(lease_token=None, lease_owner=None, leased_until_real=None, **_ended)
_LEASED = select(func.count()).select_from(outbox).where(_leased)
_IN_ORDER = (attempts, mishaps, bodies, deposit_feed, outbox, history, resources, balances_table)
"""The tables of the state, each before those that it refers to."""

_COUNT_RESET = update(instance).values(resets=instance.c.resets + 1)
_RESETS = select(instance.c.resets, instance.c.seed)


async def call_off(session: Session) -> int:
    """Cancel every delivery that is not in the hands of a relay; return how many are."""
    await session.run(_CALL_OFF)
    ((leased,),) = await session.rows(_LEASED)
    return int(leased)


async def take_away(session: Session) -> int:
    """Cancel every delivery that is in the hands of a relay, which then can record nothing of it; return how many."""
    return await session.run(_TAKE_AWAY)


async def clear_state(session: Session) -> None:
    """Remove resources, history, deliveries and attempts, and give the sandbox its balances back.

    Numbers go on where they were: an id that a receiver has seen never means something else.
    """
    for table in _IN_ORDER:
        await session.run(delete(table))
    await balances.open_balances(session)
    await session.run(_COUNT_RESET)


async def clear_faults(session: Session) -> None:
    """Remove every fault, also those that have struck."""
    await session.run(delete(faults))


async def clear_endpoints(session: Session) -> None:
    """Remove every endpoint; no delivery may be left."""
    await session.run(delete(endpoints))


async def clear_access(session: Session) -> None:
    """Remove the projects and keys that were added; the first ones, which follow from the seed, stay."""
    ((_, seed),) = await session.rows(_RESETS)
    await session.run(delete(projects).where(projects.c.id != make_project(seed, 0).id))
    await session.run(delete(api_keys).where(api_keys.c.id.not_in([key.id for key in first_keys(seed)])))


async def resets(session: Session) -> int:
    """Return how often the state was cleared."""
    ((count, _),) = await session.rows(_RESETS)
    return int(count)
