"""Traffic files: those that ship, what is read of one's own, and bad ones."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from sender import schedules
from sender.durations import SECOND
from sender.errors import FileRefused, UsageError
from sender.traffic.calendar import trigger
from sender.traffic.flow import OUTCOMES, Deed
from sender.traffic.flowfile import load_flow, read_flow

if TYPE_CHECKING:
    from pathlib import Path

    from sender.traffic.flow import Flow

BUY = '  - create_invoice: {amount: "1.00", currency: USD}\n'
HEAD = "every: 5s\nwhat:\n"


def read(tmp_path: Path, text: str) -> Flow:
    """Read a traffic file of one's own."""
    (tmp_path / "own.yaml").write_text(text)
    return load_flow("own.yaml", base=tmp_path)


def refused(tmp_path: Path, text: str) -> list[str]:
    """Return what is said about a traffic file, without the file's name."""
    with pytest.raises(FileRefused) as caught:
        read(tmp_path, text)
    return [problem.removeprefix(f"{tmp_path / 'own.yaml'}:") for problem in caught.value.problems]


@pytest.mark.parametrize("name", schedules.names("traffic"))
def test_shipped_traffic_is_valid(name: str) -> None:
    """Each file that ships is good, and has a rhythm and something to do."""
    flow = load_flow(name)
    assert flow.name == name
    assert flow.deeds
    assert (flow.every is None) != (flow.cron is None)


def test_what_is_left_out_has_a_value(tmp_path: Path) -> None:
    """An entry without outcome and weight goes well and weighs one; a firing does one thing."""
    flow = read(tmp_path, HEAD + BUY + "  - {deposit: {amount: 20, currency: USDT, network: TRC20}, weight: 3}\n")
    assert (flow.name, flow.every, flow.cron, flow.times) == ("own", 5 * SECOND, None, 1)
    first, second = flow.deeds
    assert (first.verb, str(first.amount), first.network, first.outcome, first.weight) == (
        *("create_invoice", "1.00", None, "paid", 1),
    )
    assert (second.verb, second.network, second.outcome, second.weight) == ("deposit", "TRC20", "confirmed", 3)


@pytest.mark.parametrize(
    ("verb", "outcome"), [(verb, outcome) for verb, outcomes in OUTCOMES.items() for outcome in outcomes]
)
def test_every_outcome_can_be_written(verb: str, outcome: str, tmp_path: Path) -> None:
    """Each verb takes each of its outcomes."""
    text = f"{HEAD}  - {{{verb}: {{amount: 20, currency: USDT, network: TRC20}}, outcome: {outcome}}}\n"
    (deed,) = read(tmp_path, text).deeds
    assert isinstance(deed, Deed)
    assert (deed.verb, deed.outcome) == (verb, outcome)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("what:\n" + BUY, '1:1: when it happens is missing; add every: 5s, or cron: "*/5 * * * *"'),
        ("every: 5s\n", "1:1: what happens is missing; add what: and below it a list, as in - create_invoice"),
        ("every: 5s\nwhat: x\n", "2:7: what: this must be a list of what happens"),
        ("every: 5s\nwhat: []\n", "2:7: what: this must be a list of what happens"),
        ("cron: '0 * * * *'\n" + HEAD + BUY, "1:1: every and cron both say when; keep one of them"),
        ("every: 5\nwhat:\n" + BUY, "1:8: every: '5' has no unit; write 5s, 5m or 5h"),
        ("every: 1ms\nwhat:\n" + BUY, "1:8: every: '1ms' is no rhythm; write from 10ms to 30d, as in 5s"),
        ("every: [5s]\nwhat:\n" + BUY, "1:8: every: a single value is missing"),
        ("times: 0\n" + HEAD + BUY, "1:8: times: '0' is not such a number; write a whole one from 1 to 1000"),
        ("evry: 5s\n" + HEAD + BUY, "1:1: the field 'evry' is not known; did you mean 'every'?"),
        ("name: [x]\n" + HEAD + BUY, "1:7: name: some text is missing; write it, or leave the line out"),
        ("cron: hourly\nwhat:\n" + BUY, "1:7: cron: 'hourly' has not five fields; write minute hour day month weekday"),
        ("cron: '61 * * * *'\nwhat:\n" + BUY, "1:7: cron: '61 * * * *' is not a line of cron ("),
        (
            HEAD + "  - pay: {invoice: order}\n",
            "3:5: the verb 'pay' is not known; write one of create_invoice, create_wi",
        ),
        (
            HEAD + "  - create_invoce: {}\n",
            "3:5: the verb 'create_invoce' is not known; did you mean 'create_invoice'?",
        ),
        (
            HEAD + "  - outcome: paid\n",
            "3:5: an entry does one thing, with its fields; write it as in - create_invoice",
        ),
        (HEAD + "  - paid\n", "3:5: an entry does one thing"),
        (
            HEAD + "  - create_invoice:\n",
            "3:20: what, entry 1: fields are missing; write them as in create_invoice: {am",
        ),
        (
            HEAD + "  - create_invoice: {amount: 1}\n",
            "3:21: what, entry 1: currency is missing; add it, as in create_invo",
        ),
        (
            HEAD + "  - create_invoice: {amount: [1], currency: USD}\n",
            "3:30: what, entry 1: amount: a single value is mi",
        ),
        (
            HEAD + "  - create_invoice: {amount: 1.005, currency: USD}\n",
            "3:30: what, entry 1: 1.005 is too fine for USD",
        ),
        (HEAD + "  - create_invoice: {amount: 1, currency: XXX}\n", "3:43: what, entry 1: Currency is not supported."),
        (
            HEAD + "  - deposit: {amount: 1, currency: USDT}\n",
            "3:14: what, entry 1: network is missing; add it, as in depo",
        ),
        (
            HEAD + "  - deposit: {amount: 1, currency: USDT, network: NEER}\n",
            "3:51: what, entry 1: USDT cannot be paid on NEER; it can be paid on ",
        ),
        (
            HEAD + BUY + "    outcome: payed\n",
            "4:14: what, entry 1: 'payed' is no outcome of create_invoice; did you mean",
        ),
        (HEAD + BUY + "    weight: -1\n", "4:13: what, entry 1: weight: '-1' is not such a number; write a whole one"),
        (HEAD + BUY + "    wait: 1\n", "4:5: the field 'wait' is not known; did you mean 'weight'?"),
        (HEAD + BUY * 101, "3:3: what: 101 are too many; list at most 100"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(text: str, expected: str, tmp_path: Path) -> None:
    """A bad file is refused with line, column and what would be right."""
    (problem,) = refused(tmp_path, text)
    assert problem.startswith(expected)


def test_all_problems_of_a_file_are_named(tmp_path: Path) -> None:
    """One reading names every problem, in the order of the file."""
    problems = refused(tmp_path, "every: 5\ntimes: x\nwhat:\n" + BUY + "    weight: x\n    outcome: x\n")
    assert [re.match(r"\d+", problem)[0] for problem in problems] == ["1", "2", "5", "6"]  # type: ignore[index]


def test_unknown_name_is_refused() -> None:
    """A word that is neither shipped nor a path names what was probably meant."""
    with pytest.raises(UsageError, match="did you mean 'small-shop'"):
        load_flow("smal-shop")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0 9 * * 1", "2026-01-05T09:00:00+00:00"),
        ("0 9 * * 0", "2026-01-04T09:00:00+00:00"),
        ("0 9 * * 7", "2026-01-04T09:00:00+00:00"),
        ("0 9 * * 6,1-5", "2026-01-01T09:00:00+00:00"),
        ("*/20 * * * thu", "2026-01-01T00:20:00+00:00"),
    ],
)
def test_weekdays_are_those_of_cron(text: str, expected: str) -> None:
    """Weekdays are counted from Sunday, as cron does; 1 January 2026 was a Thursday."""
    now = datetime(2026, 1, 1, 0, 1, tzinfo=UTC)
    assert trigger(text).get_next_fire_time(None, now).isoformat() == expected


def test_a_document_is_named_by_itself() -> None:
    """Its name becomes a part of order ids, so it keeps letters and digits; one without a name is a given one."""
    named = [read_flow(f"name: {name}\n{HEAD}{BUY}").name for name in ('"a shop, mine!"', "ё", "x" + 99 * "y")]
    assert named == ["a-shop-mine", "given", "x" + 63 * "y"]
    assert read_flow(HEAD + BUY).name == "given"
    json = '{"every": "5s", "what": [{"deposit": {"amount": "1", "currency": "USDT", "network": "TRC20"}}]}'
    assert read_flow(json).rhythm == "every 5s"


def test_a_document_is_refused_with_its_places() -> None:
    """As a file is, without a path."""
    with pytest.raises(FileRefused, match=r"^traffic:1:8: every: "):
        read_flow("every: often\n" + "what:\n" + BUY)
