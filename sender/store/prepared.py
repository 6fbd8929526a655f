"""Statements that the program keeps, compiled by SQLAlchemy once and run by the SQLite driver itself.

SQLAlchemy takes some hundred microseconds for each execution, ten times what SQLite takes for a look-up, and SQLite
runs inline in the loop. What is made for one occasion (a list with filters) goes its way still, and so does whatever
has to be rendered anew for its values.
"""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from sqlalchemy import Boolean, Delete, Select, Update

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sqlalchemy import Dialect, Executable

KINDS = (Select, Update, Delete)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A statement as the driver takes it, the values that it holds itself, and what makes rows of the driver's."""

    sql: str
    own: Mapping[str, Any]
    in_order: Callable[[Mapping[str, Any]], Any]
    as_row: Callable[[Any], Any]

    def values(self, params: Mapping[str, Any] | None) -> Any:
        """Return the values in the order of the statement."""
        return self.in_order({**self.own, **params} if params else self.own)


class Shelf:
    """The prepared statements of one dialect. A statement is prepared when it is met for the second time."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._known: WeakKeyDictionary[Executable, dict[tuple[str, ...], Prepared | None]] = WeakKeyDictionary()

    def find(self, statement: Executable, params: object) -> Prepared | None:
        """Return a statement prepared for parameters of these names, or ``None`` for what SQLAlchemy has to run."""
        forms = self._known.get(statement)
        if forms is None:
            self._known[statement] = {}
            return None
        if params is not None and not isinstance(params, dict):
            return None
        names = tuple(params or ())
        if names not in forms:
            forms[names] = self._prepare(statement, names)
        return forms[names]

    def _prepare(self, statement: Executable, names: tuple[str, ...]) -> Prepared | None:
        if not isinstance(statement, KINDS):
            return None
        compiled: Any = statement.compile(dialect=self._dialect, column_keys=list(names))
        if compiled.post_compile_params or compiled.literal_execute_params:
            return None
        order = tuple(compiled.positiontup or ())
        return Prepared(compiled.string, dict(compiled.params), _picker(order), _row_maker(statement))


def _picker(order: Sequence[str]) -> Callable[[Mapping[str, Any]], Any]:
    """Return what takes the values of these names, always as a tuple."""
    if len(order) > 1:
        return itemgetter(*order)
    return lambda values: tuple(values[name] for name in order)


def _row_maker(statement: Select[Any] | Update | Delete) -> Callable[[Any], Any]:
    """Return what makes a row with names of the driver's tuple; SQLite knows no truth values, only 0 and 1."""
    columns = list(statement.exported_columns)
    row = namedtuple("row", [column.key or "" for column in columns], rename=True)  # type: ignore[misc]  # noqa: PYI024 - made at run time
    truths = [place for place, column in enumerate(columns) if isinstance(column.type, Boolean)]
    if not truths:
        return row._make

    def with_truths(values: Sequence[Any]) -> Any:
        mended = list(values)
        for place in truths:
            if mended[place] is not None:
                mended[place] = bool(mended[place])
        return row._make(mended)

    return with_truths
