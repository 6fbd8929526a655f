"""What a database holds once: schema version, seed, the counter, the timeline. On both databases."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import text, update

from sender.clock import Clock, Timeline, start_timeline
from sender.durations import HOUR, SECOND
from sender.errors import NotAvailable
from sender.store import world
from sender.store.engine import open_database
from sender.store.schema import VERSION, instance
from tests.receivers import PATIENCE
from tests.simulators import START
from tests.stores import opened

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sender.store.engine import Database

ROOT = Path(__file__).parents[2]
REAL = 1_800_000_000 * SECOND


async def test_the_timeline_is_kept_as_it_was_started(database_url: str) -> None:
    """A second look finds the same map, exactly."""
    start = start_timeline("scale:0.1", REAL, START)
    async with _bare(database_url) as database:
        await world.prepare(database, 7, start)
        async with database.read() as session:
            assert (await world.read_world(session)).timeline == start


async def test_a_restart_continues_time_and_seed(database_url: str) -> None:
    """Preparing a database that is there already changes neither its timeline nor its seed nor its counter."""
    async with opened(database_url) as database:
        async with database.write() as session:
            moved = Timeline("manual", 0.0, REAL, START + HOUR)
            await world.write_timeline(session, moved)
            await world.reserve(session, 5)
        again = open_database(database_url, Clock())
        await world.prepare(again, 99, start_timeline("real", REAL + SECOND))
        async with again.write() as session:
            assert (await world.read_world(session)).timeline == moved
            assert await world.reserve(session, 1) == world.Numbers(1, 6)
        await again.close()


async def test_numbers_are_reserved_in_blocks(database_url: str) -> None:
    """Each reservation starts behind the one before; one that is rolled back is given out again."""
    async with opened(database_url) as database:
        async with database.write() as session:
            assert [(await world.reserve(session, count)).first for count in (3, 1, 2)] == [1, 4, 5]
        with pytest.raises(RuntimeError):
            await _reserve_and_fail(database)
        async with database.write() as session:
            assert (await world.reserve(session, 1)).first == 7


async def _reserve_and_fail(database: Database) -> None:
    async with database.write() as session:
        await world.reserve(session, 10)
        raise RuntimeError


async def test_parallel_reservations_never_overlap(database_url: str) -> None:
    """Of twenty transactions at once each gets numbers of its own, in the order of their commits."""
    async with opened(database_url) as database:
        firsts = await asyncio.gather(*(_reserve(database) for _ in range(20)))
        assert sorted(firsts) == list(range(1, 61, 3))


async def _reserve(database: Database) -> int:
    async with database.write() as session:
        return (await world.reserve(session, 3)).first


async def test_every_change_of_settings_raises_the_revision(database_url: str) -> None:
    """Moving time does not: relays read the timeline each time, and endpoints when the revision says so."""
    async with opened(database_url, endpoints=()) as database, database.write() as session:
        before = (await world.read_world(session)).revision
        await world.write_timeline(session, Timeline("skip", 0.0, REAL, START))
        assert (await world.read_world(session)).revision == before
        await world.revise(session)
        assert (await world.read_world(session)).revision == before + 1


@pytest.mark.parametrize("version", [VERSION - 1, VERSION + 1])
async def test_another_version_is_refused_and_left_alone(database_url: str, version: int) -> None:
    """The message names both versions and what to do; nothing in the database has changed."""
    async with opened(database_url) as database:
        async with database.write() as session:
            await session.run(update(instance).values(schema_version=version))
        with pytest.raises(NotAvailable, match=f"version {version} and this program has {VERSION}; start with a new"):
            await world.prepare(database, 1, start_timeline("real", REAL))
        async with database.read() as session:
            ((kept,),) = await session.rows(text("SELECT schema_version FROM instance"))
        assert kept == version


async def test_preparing_that_fails_leaves_nothing_behind(database_url: str) -> None:
    """Tables and first rows come together: after a failure in between the next start makes them all."""
    async with _bare(database_url) as database:
        with pytest.raises(RuntimeError):
            await _create_and_fail(database)
        await world.prepare(database, 1, start_timeline("manual", REAL, START))
        async with database.read() as session:
            assert (await world.read_world(session)).timeline.virtual_base == START


async def _create_and_fail(database: Database) -> None:
    async with database.write() as session:
        assert not await session.has_tables()
        await session.create_tables()
        raise RuntimeError


async def test_two_connections_preparing_at_once_agree(database_url: str) -> None:
    """Eight simulators that start on one empty database at the same time make one world."""
    databases = [open_database(database_url, Clock()) for _ in range(8)]
    starts = [start_timeline("manual", REAL, START + number) for number in range(8)]
    async with asyncio.timeout(PATIENCE):
        await asyncio.gather(*(world.prepare(each, 1, start) for each, start in zip(databases, starts, strict=True)))
    seen = set()
    for each in databases:
        async with each.read() as session:
            seen.add((await world.read_world(session)).timeline)
        await each.close()
    assert len(seen) == 1


_STARTER = """
import asyncio, sys
from sender.clock import Clock, start_timeline
from sender.store import world
from sender.store.engine import open_database

async def main(url):
    print("ready", flush=True)
    sys.stdin.readline()
    database = open_database(url, Clock())
    await world.prepare(database, 1, start_timeline("manual", 0, 5))
    await database.close()

asyncio.run(main(sys.argv[1]))
"""


async def test_two_processes_preparing_at_once_both_succeed(database_url: str) -> None:
    """Two processes that open one empty database at the same moment both find or make the schema."""
    starters = [await _process(database_url) for _ in range(2)]
    said = await asyncio.gather(*(asyncio.wait_for(each.communicate(b"go\n"), 60) for each in starters))
    assert [error.decode() for _, error in said] == [""] * 2
    assert [each.returncode for each in starters] == [0] * 2


async def _process(url: str) -> asyncio.subprocess.Process:
    arguments: Sequence[str] = (sys.executable, "-c", _STARTER, url)
    process = await asyncio.create_subprocess_exec(
        *arguments, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    assert await asyncio.wait_for(process.stdout.readline(), 60) == b"ready\n"
    return process


class _bare:  # noqa: N801 - reads as a function
    """An open database with nothing in it."""

    def __init__(self, url: str) -> None:
        self._database = open_database(url, Clock())

    async def __aenter__(self) -> Database:
        return self._database

    async def __aexit__(self, *_: object) -> None:
        await self._database.close()
