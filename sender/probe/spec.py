"""Reads a probe from one line that a person types: ``KIND:REST``.

The kinds ``http``, ``sql`` and ``command`` say everything; ``orders``, ``rows`` and ``table`` are short for the shapes
that most shops have.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sender.errors import UsageError
from sender.suggest import remedy, shown

if TYPE_CHECKING:
    from collections.abc import Callable

    from sender.clock import Clock
    from sender.probe.looking import Probe

_NAME = r"[A-Za-z_][A-Za-z0-9_]*"
_ROWS = re.compile(rf"(?P<table>{_NAME}(?:\.{_NAME})?)\.(?P<key>{_NAME})")
_TABLE = re.compile(rf"(?P<table>{_NAME})\.(?P<key>{_NAME}),(?P<count>{_NAME})(?:,(?P<status>{_NAME}))?")


def make_probe(spec: str, clock: Clock) -> Probe:
    """Return the probe that a line describes.

    * ``http:URL#fulfilled=PATH[,status=PATH]``: GET with JSON paths, ``{order}`` in the URL; 404 means not known yet
    * ``sql:DATABASE_URL#SELECT …``: first column the count, second one the status, ``:order`` in the statement
    * ``command:WORDS``: prints a count, or a count and a status; ``{order}`` is an argument, ``$ORDER`` too
    * ``orders:BASE``: ``BASE/orders/{order}`` answers JSON with ``fulfilled`` and ``status``
    * ``rows:DATABASE_URL#TABLE.KEY``: one row for each fulfilment
    * ``table:DATABASE_URL#TABLE.KEY,COUNT[,STATUS]``: one row for each order

    Raises ``UsageError`` with a remedy for anything else. Nothing is asked yet.
    """
    kind, mark, rest = spec.partition(":")
    if not mark or kind not in _KINDS:
        raise UsageError(
            f"{shown(kind)} is no kind of probe; {remedy(kind, _KINDS)}: http:http://127.0.0.1:5000/orders/{{order}}"
            "#fulfilled=$.times_shipped, sql:sqlite:///shop.db#SELECT …, command:./count.sh {order}"
        )
    return _KINDS[kind](rest, clock)


def _http(rest: str, clock: Clock) -> Probe:
    from sender.probe.http import HttpProbe  # noqa: PLC0415 - each kind brings a library of its own

    return HttpProbe.read(rest, clock)


def _sql(rest: str, clock: Clock) -> Probe:
    from sender.probe.sql import SqlProbe  # noqa: PLC0415

    return SqlProbe.read(rest, clock)


def _command(rest: str, clock: Clock) -> Probe:
    from sender.probe.command import CommandProbe  # noqa: PLC0415

    return CommandProbe.read(rest, clock)


def _orders(rest: str, clock: Clock) -> Probe:
    return _http(f"{rest.rstrip('/')}/orders/{{order}}#fulfilled=$.fulfilled,status=$.status", clock)


def _rows(rest: str, clock: Clock) -> Probe:
    url, where = _shape(rest, _ROWS, "rows:sqlite:///shop.db#shipments.order_number")
    # Only names come this far; what varies from order to order is a parameter.
    return _sql(f"{url}#SELECT count(*) FROM {where['table']} WHERE {where['key']} = :order", clock)  # noqa: S608


def _table(rest: str, clock: Clock) -> Probe:
    url, where = _shape(rest, _TABLE, "table:sqlite:///shop.db#orders.number,times_shipped,state")
    columns = ", ".join(filter(None, (where["count"], where["status"])))
    return _sql(f"{url}#SELECT {columns} FROM {where['table']} WHERE {where['key']} = :order", clock)  # noqa: S608


def _shape(rest: str, pattern: re.Pattern[str], example: str) -> tuple[str, re.Match[str]]:
    url, _, names = rest.partition("#")
    found = pattern.fullmatch(names)
    if found is None:
        raise UsageError(f"{shown(names)} does not name table and columns; write it as in {example}")
    return url, found


_KINDS: dict[str, Callable[[str, Clock], Probe]] = {
    "http": _http,
    "sql": _sql,
    "command": _command,
    "orders": _orders,
    "rows": _rows,
    "table": _table,
}
