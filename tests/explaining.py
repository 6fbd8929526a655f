"""The plans of the statements that a database runs, for tests of what they cost."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from sqlalchemy import event

from sender.store.postgres import PostgresDatabase
from sender.store.sqlite import SqliteDatabase

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection

    from sender.store.engine import Database


@contextmanager
def explaining(database: Database) -> Iterator[list[str]]:
    """Have the plan of every statement written down; on PostgreSQL with the rows that each part of it visited."""
    if isinstance(database, SqliteDatabase):
        engines, how = [database._writer._engine, database._reader._engine], "EXPLAIN QUERY PLAN"
    else:
        assert isinstance(database, PostgresDatabase)
        engines, how = [database._engine.sync_engine], "EXPLAIN (ANALYZE, TIMING OFF)"
    plans: list[str] = []

    def explain(connection: Connection, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        if statement.lstrip().startswith(("SELECT", "WITH", "UPDATE")):
            place = connection.begin_nested() if how.endswith("OFF)") else None
            plan = connection.exec_driver_sql(f"{how} {statement}", parameters).all()
            plans.append("\n".join(str(row[-1]) for row in plan))
            if place is not None:
                place.rollback()

    for engine in engines:
        event.listen(engine, "before_cursor_execute", explain)
    yield plans
    for engine in engines:
        event.remove(engine, "before_cursor_execute", explain)
