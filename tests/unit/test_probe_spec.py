"""Probes as they are typed: what a good line means, and what is said of a bad one."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from sender.clock import Clock
from sender.errors import NotAvailable, UsageError
from sender.probe.command import CommandProbe
from sender.probe.http import HttpProbe
from sender.probe.looking import Sighting
from sender.probe.spec import make_probe
from sender.probe.sql import SqlProbe
from sender.probe.values import sighting

if TYPE_CHECKING:
    from pathlib import Path

ADDRESS = "http://127.0.0.1:5000/orders/{order}"


@pytest.fixture
def shop(tmp_path: Path) -> str:
    """Give the URL of a database file that is there."""
    (tmp_path / "shop.db").touch()
    return f"sqlite:///{tmp_path / 'shop.db'}"


def test_presets_are_short_for_kinds(shop: str) -> None:
    """A preset is a kind with the usual paths or the usual statement."""
    orders = make_probe("orders:http://127.0.0.1:5000/", Clock())
    assert isinstance(orders, HttpProbe)
    assert (orders.url, str(orders.fulfilled), str(orders.status)) == (ADDRESS, "$['fulfilled']", "$['status']")
    rows = make_probe(f"rows:{shop}#shipments.order_number", Clock())
    assert isinstance(rows, SqlProbe)
    assert rows.statement == "SELECT count(*) FROM shipments WHERE order_number = :order"
    table = make_probe(f"table:{shop}#orders.number,times_shipped,state", Clock())
    assert isinstance(table, SqlProbe)
    assert table.statement == "SELECT times_shipped, state FROM orders WHERE number = :order"


def test_command_is_parted_into_words() -> None:
    """A command is words, not a line for a shell."""
    probe = make_probe("command:./count.sh --order={order} 'two words'", Clock())
    assert isinstance(probe, CommandProbe)
    assert probe.words == ("./count.sh", "--order={order}", "two words")


@pytest.mark.parametrize(
    ("spec", "complaint"),
    [
        ("htpp:x", r"'htpp' is no kind of probe; did you mean 'http'\?"),
        ("blind", "'blind' is no kind of probe; write one of http, sql, command, orders, rows, table"),
        ("http:ftp://x/{order}#fulfilled=$.a", "'ftp://x/{order}' is not an http or https address; write it as in"),
        ("http:http://x/orders#fulfilled=$.a", "does not say where the order's id goes; put {order} there"),
        (f"http:{ADDRESS}", "no JSON path says where the count stands"),
        (f"http:{ADDRESS}#fulfilled=$[", r"'\$\[' is not a JSON path"),
        ("sql:sqlite:///shop.db", "no SELECT stands behind the database"),
        ("sql:sqlite:///shop.db#DROP TABLE orders", "no SELECT stands behind the database"),
        ("sql:sqlite:///shop.db#SELECT 1", "put :order there"),
        ("sql:sqlite:///no-such-shop.db#SELECT :order", "there is no database file 'no-such-shop.db'"),
        ("sql:postgresql://u:hunter2@:x/#SELECT :order", "the database URL cannot be read"),
        ("rows:sqlite:///shop.db#shipments", "'shipments' does not name table and columns"),
        ("rows:sqlite:///shop.db#a.b; DROP TABLE c", "does not name table and columns"),
        ("command:", "no command is named"),
        ("command:count 'x", "the command cannot be parted into words"),
        ("command:sh -c 'count {order}'", r"would make the order's id part of a script; there, use \$ORDER"),
    ],
)
def test_bad_line_is_refused_with_a_remedy(spec: str, complaint: str) -> None:
    """What cannot be a probe is refused before anything starts, and no message holds a password."""
    with pytest.raises(UsageError, match=complaint) as refused:
        make_probe(spec, Clock())
    assert "hunter2" not in str(refused.value)


@pytest.mark.parametrize(
    ("count", "number"),
    [(2, 2), (True, 1), (False, 0), (None, 0), ("3", 3), ("3\n", 3), ([1, 2], 2), (Decimal(4), 4), (2.0, 2)],
)
def test_counts_in_many_spellings(count: object, number: int) -> None:
    """Numbers, truth, lists and nothing at all are counts."""
    assert sighting(count, None, str) == Sighting(number)


@pytest.mark.parametrize("count", ["paid", "-2", -1, 1.5, float("nan"), float("inf"), 10**12, ""])
def test_what_is_no_count(count: Any) -> None:
    """A probe that points at something else is told so, with what came."""
    with pytest.raises(NotAvailable, match=r"asked: .* is not a count of fulfilments"):
        sighting(count, None, lambda: "asked")
