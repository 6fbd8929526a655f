"""Endpoints and faults as they are stored. On both databases."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from sender.crash import CrashPoint
from sender.domain.endpoint import EndpointStatus
from sender.domain.fault import Fault, FaultMatch
from sender.durations import DAY
from sender.errors import NotFound
from sender.store import settings, world
from tests.simulators import START, crash, wire_fault
from tests.stores import endpoint, opened

if TYPE_CHECKING:
    from sender.store.engine import Database, Session


async def test_an_endpoint_is_read_back_whole(database_url: str) -> None:
    """Every field survives, also what is unset and what is not ASCII."""
    whole = replace(
        endpoint("whole", url="http://127.0.0.1:9/h%2Fk/?d=ü&a=1", secret="ñ🔑", categories=("withdrawal", "invoice")),
        is_test=False, project_id="prj_1", status=EndpointStatus.SUSPENDED,
        previous_secret="whsec_old", previous_secret_invalid_at=START + DAY,
    )  # fmt: skip
    bare = endpoint("bare", created_at=START - 1)
    async with opened(database_url, endpoints=()) as database, database.write() as session:
        await settings.add_endpoint(session, whole)
        await settings.add_endpoint(session, bare)
        assert await settings.read_endpoints(session) == [bare, whole]
        assert await settings.read_endpoint(session, "whole") == whole


async def test_an_edit_is_for_one_endpoint_and_raises_the_revision(database_url: str) -> None:
    """The other endpoint stays, and relays will read both again."""
    async with opened(database_url, endpoints="ab") as database, database.write() as session:
        before = (await world.read_world(session)).revision
        changed = endpoint("a", url="http://127.0.0.1:8/", secret="new")
        await settings.change_endpoint(session, changed)
        assert await settings.read_endpoints(session) == [changed, endpoint("b")]
        assert (await world.read_world(session)).revision > before


async def test_an_unknown_endpoint_is_not_found(database_url: str) -> None:
    """The message names what was asked for."""
    async with opened(database_url) as database, database.read() as session:
        with pytest.raises(NotFound, match="there is no endpoint whe_none"):
            await settings.read_endpoint(session, "whe_none")


async def test_a_fault_is_read_back_whole_and_in_order(database_url: str) -> None:
    """Match, parameters, count and the order of arming survive."""
    first = Fault("wire", "duplicate", FaultMatch("invoice.paid", "evt_1", "whe_1", 3), {"copies": "2"}, remaining=4)
    second = crash(CrashPoint.RELAY_AFTER_SEND)
    async with opened(database_url) as database, database.write() as session:
        before = (await world.read_world(session)).revision
        ids = [await settings.arm(session, first), await settings.arm(session, second)]
        assert await settings.armed_faults(session) == [replace(first, id=ids[0]), replace(second, id=ids[1])]
        assert (await world.read_world(session)).revision == before + 2


async def test_a_fault_is_taken_as_often_as_it_was_armed_for(database_url: str) -> None:
    """Two times means two, whoever asks; then it is no longer armed."""
    async with opened(database_url) as database, database.write() as session:
        fault = await _armed(session, crash(CrashPoint.RELAY_AFTER_SEND, times=2))
        assert [await settings.take(session, fault) for _ in range(4)] == [True, True, False, False]
        assert await settings.armed_faults(session) == []


async def test_a_fault_taken_in_a_transaction_that_fails_is_still_there(database_url: str) -> None:
    """Taking is durable with what it is taken for, and not otherwise."""
    async with opened(database_url) as database:
        async with database.write() as session:
            fault = await _armed(session, wire_fault("lose_request"))
        with pytest.raises(RuntimeError):
            await _take_and_fail(database, fault)
        async with database.write() as session:
            assert await settings.take(session, fault)


async def _take_and_fail(database: Database, fault: Fault) -> None:
    async with database.write() as session:
        assert await settings.take(session, fault)
        raise RuntimeError


async def test_disarming_takes_back_one_or_all(database_url: str) -> None:
    """It tells how many there were, and an id that is gone is none."""
    async with opened(database_url) as database, database.write() as session:
        ids = [await settings.arm(session, wire_fault("lose_request")) for _ in range(3)]
        assert await settings.disarm(session, ids[1]) == 1
        assert await settings.disarm(session, ids[1]) == 0
        assert [each.id for each in await settings.armed_faults(session)] == [ids[0], ids[2]]
        assert await settings.disarm(session) == 2
        assert await settings.armed_faults(session) == []


async def _armed(session: Session, fault: Fault) -> Fault:
    return replace(fault, id=await settings.arm(session, fault))
