"""What a database holds once: its schema version and seed, the counter of numbers, and the timeline."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import bindparam, insert, select, update

from sender.clock import Timeline
from sender.errors import NotAvailable
from sender.store import access, balances
from sender.store.schema import VERSION, instance, timeline

if TYPE_CHECKING:
    from sender.store.engine import Database, Session

_READ = select(timeline.c.mode, timeline.c.rate, timeline.c.real_base, timeline.c.virtual_base, timeline.c.revision)
_MOVE = update(timeline).values(
    mode=bindparam("b_mode"),
    rate=bindparam("b_rate"),
    real_base=bindparam("b_real"),
    virtual_base=bindparam("b_virtual"),
)
_REVISE = update(timeline).values(revision=timeline.c.revision + 1)
_RESERVE = (
    update(instance).values(issued=instance.c.issued + bindparam("count")).returning(instance.c.seed, instance.c.issued)
)
_VERSION = select(instance.c.schema_version)


@dataclass(frozen=True, slots=True)
class World:
    """The timeline, and the revision of the settings that every process reads with it."""

    timeline: Timeline
    revision: int


@dataclass(frozen=True, slots=True)
class Numbers:
    """Numbers reserved for one transaction, with the seed that turns them into ids."""

    seed: int
    first: int


async def prepare(database: Database, seed: int, start: Timeline) -> None:
    """Make the schema with what is there from the start, or check that the one which is there has this version.

    Raises ``NotAvailable`` for a database of another version.
    """
    async with database.write() as session:
        if await session.has_tables():
            await _check_version(session)
            return
        await session.create_tables()
        first = {"id": 1, "schema_version": VERSION, "seed": seed, "issued": 0, "resets": 0}
        await session.run(insert(instance), first)
        await session.run(insert(timeline), {"id": 1, "revision": 1, **_columns(start)})
        await access.seed_access(session, seed)
        await balances.open_balances(session)


async def _check_version(session: Session) -> None:
    ((version,),) = await session.rows(_VERSION)
    if version != VERSION:
        message = (
            f"the database has schema version {version} and this program has {VERSION}; "
            "start with a new database file, or use the program that made it"
        )
        raise NotAvailable(message)


async def read_world(session: Session) -> World:
    """Return the timeline and the revision."""
    ((mode, rate, real_base, virtual_base, revision),) = await session.rows(_READ)
    return World(Timeline(mode, rate, real_base, virtual_base), revision)


async def timeline_to_move(session: Session) -> Timeline:
    """Return the timeline for whoever writes it next; others who want to wait until this transaction ends."""
    ((mode, rate, real_base, virtual_base, _),) = await session.rows(_READ.with_for_update())
    return Timeline(mode, rate, real_base, virtual_base)


async def write_timeline(session: Session, value: Timeline) -> None:
    """Store a timeline that was moved or changed its mode."""
    params = _columns(value)
    await session.run(_MOVE, {"b_mode": params["mode"], "b_rate": params["rate"],
                              "b_real": params["real_base"], "b_virtual": params["virtual_base"]})  # fmt: skip


async def revise(session: Session) -> None:
    """Mark endpoints or faults as changed."""
    await session.run(_REVISE)
    await session.announce()


async def reserve(session: Session, count: int) -> Numbers:
    """Reserve ``count`` numbers; other dispatches wait from here until this transaction ends."""
    ((seed, issued),) = await session.rows(_RESERVE, {"count": count})
    return Numbers(seed, issued - count + 1)


def _columns(value: Timeline) -> dict[str, object]:
    return {
        "mode": value.mode,
        "rate": value.rate,
        "real_base": value.real_base,
        "virtual_base": value.virtual_base,
    }
