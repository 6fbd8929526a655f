"""The rules of the states repeated as constraints: rows that cannot be are refused by the database itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import inspect, update

from sender.errors import StoreError
from sender.store import schema
from sender.store.postgres import PostgresSession
from tests.simulators import START
from tests.stores import claim, endpoint, opened, outcome, queue, row

if TYPE_CHECKING:
    from sqlalchemy import Table

    from sender.store.engine import Database, Session

LEASE = {"lease_token": "t", "lease_owner": "o", "leased_until_real": 1}

IMPOSSIBLE: list[tuple[str, dict[str, Any]]] = [
    ("known_state", {"state": "sending", "due_at": None, "claim_at": None}),
    ("due_while_pending", {"due_at": None, "claim_at": None}),
    ("due_while_pending", {"state": "delivered"}),
    ("due_while_pending", {"state": "failed"}),
    ("leased_is_not_claimable", LEASE),
    ("cancelled_is_never_sent", {"state": "cancelled", "due_at": None}),
    ("lease_is_whole", {"claim_at": None, "lease_token": "t"}),
    ("lease_is_whole", {"claim_at": None, "lease_owner": "o"}),
    ("failures_are_attempts", {"failures": 1}),
]


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
async def test_impossible_rows_of_the_outbox_are_refused(
    kind: str, request: pytest.FixtureRequest, tmp_path: Any
) -> None:
    """Each rule of a delivery's state is a constraint with a name, and the error names it."""
    url = f"sqlite:///{tmp_path / 'x'}" if kind == "sqlite" else request.getfixturevalue("postgres_url")
    async with opened(url) as database:
        await queue(database, row(1))
        for name, values in IMPOSSIBLE:
            with pytest.raises(StoreError, match=name):
                await _change(database, schema.outbox, values)
        await _change(database, schema.outbox, {"state": "delivered", "due_at": None, "claim_at": START})
        await _change(database, schema.outbox, {"claim_at": None, **LEASE})


async def test_impossible_rows_of_the_other_tables_are_refused(database_url: str) -> None:
    """Attempts, endpoints, faults and the two single rows have their rules too."""
    async with opened(database_url) as database:
        await queue(database, row(1))
        (claimed,) = await claim(database)
        record = {**outcome(claimed).record, "counted": True}
        impossible: list[tuple[str, Table, dict[str, Any]]] = [
            ("known_outcome", schema.attempts, {**record, "outcome": "lost"}),
            ("ends_after_start", schema.attempts, {**record, "finished_at": START - 1}),
            ("known_kind", schema.faults, _fault(kind="fire")),
            ("never_below_zero", schema.faults, _fault(remaining=-1)),
            ("known_status", schema.endpoints, _endpoint(status="asleep")),
            ("window_of_previous", schema.endpoints, _endpoint(previous_secret="old")),
            ("one_row", schema.instance, {"id": 2, "schema_version": 1, "seed": 1, "issued": 0, "resets": 0}),
            ("one_row", schema.timeline, {"id": 2, "mode": "real", "rate": 1.0, "real_base": 0, "virtual_base": 0,
                                          "revision": 1}),
            ("(?i)unique|duplicate", schema.outbox, _outbox(event_id="evt_1")),
            ("(?i)foreign", schema.outbox, _outbox(endpoint_id="nobody")),
            ("(?i)foreign", schema.bodies, {"outbox_seq": 99, "body": b""}),
        ]  # fmt: skip
        for name, table, values in impossible:
            with pytest.raises(StoreError, match=name):
                await _insert(database, table, values)
        await _insert(database, schema.attempts, record)
        await _insert(database, schema.faults, _fault())
        await _insert(database, schema.endpoints, _endpoint())
        await _insert(database, schema.outbox, _outbox())


async def test_both_databases_have_the_same_tables_and_indexes(postgres_url: str) -> None:
    """One description makes both: tables, columns and index names are those of the metadata, with nothing left out."""
    for url in ("memory", postgres_url):
        async with opened(url) as database, database.read() as session:
            there = await _inspected(session)
        assert there == {
            table.name: ({column.name for column in table.columns}, {str(index.name) for index in table.indexes})
            for table in schema.metadata.sorted_tables
        }


async def _inspected(session: Session) -> dict[str, tuple[set[str], set[str]]]:
    if isinstance(session, PostgresSession):
        return await session._connection.run_sync(_tables)
    return _tables(session._connection)  # type: ignore[attr-defined]


def _tables(connection: Any) -> dict[str, tuple[set[str], set[str]]]:
    looked = inspect(connection)
    return {
        name: (
            {column["name"] for column in looked.get_columns(name)},
            {str(each["name"]) for each in looked.get_indexes(name) if "duplicates_constraint" not in each},
        )
        for name in looked.get_table_names()
    }


async def _change(database: Database, table: Table, values: dict[str, Any]) -> None:
    async with database.write() as session:
        await session.run(update(table).values(values))


async def _insert(database: Database, table: Table, values: dict[str, Any]) -> None:
    async with database.write() as session:
        await session.add(table, [values])


def _fault(**changes: Any) -> dict[str, Any]:
    return {"kind": "wire", "name": "duplicate", "params": "{}", "remaining": 1, **changes}


def _endpoint(**changes: Any) -> dict[str, Any]:
    made = endpoint("b")
    return {"id": made.id, "url": made.url, "secret": made.secret, "is_test": True, "categories": "[]",
            "status": "active", "created_at": START, **changes}  # fmt: skip


def _outbox(**changes: Any) -> dict[str, Any]:
    return {"seq": 2, "event_id": "evt_2", "event_type": "x", "resource_id": "x", "endpoint_id": "a",
            "state": "failed", "trigger": "scheduled", "attempts": 0, "failures": 0, "created_at": 0,
            **changes}  # fmt: skip
