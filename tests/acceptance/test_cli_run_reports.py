"""``paymos-sim run`` over many stories: choosing, planning, side by side, reports, and how to see a failure again."""

from __future__ import annotations

import json
import re
import shlex
import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING, Any

import pytest

from tests.commands import command

if TYPE_CHECKING:
    from pathlib import Path

GOOD = """\
name: good
steps:
  - create_invoice: {as: order, amount: "11.05", currency: USD}
  - cancel: {invoice: order}
  - expect: {invoice: order, event: invoice.cancelled, state: delivered}
"""
BAD = """\
name: bad
steps:
  - create_invoice: {as: other, amount: "5.00", currency: USD}
  # this one matters
  - create_invoice: {as: order, amount: "11.05", currency: USD}
  - receiver: {status: 500, times: 2}
  - pay: {invoice: order}
  - advance: {until: idle}
  - expect: {invoice: order, event: invoice.paid, state: failed}
  - expect: {invoice: order, invoice_status: paid}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Give a folder with a story that fails between two that pass."""
    for name, text in (("a-good", GOOD), ("b-bad", BAD), ("c-good", GOOD)):
        (tmp_path / f"{name}.yaml").write_text(text)
    return tmp_path


STUCK = """\
name: stuck
steps:
  - create_invoice: {as: order, amount: "11.05", currency: USD}
  - pay: {invoice: order, amount: "11.05"}
  - confirm_payment: {invoice: order, currency: USDT, network: TRC20}
"""


def without(document: Any, names: list[str]) -> Any:
    """Return a document without the fields of these names, at any depth."""
    if isinstance(document, dict):
        return {name: without(value, names) for name, value in document.items() if name not in names}
    return [without(one, names) for one in document] if isinstance(document, list) else document


def test_reports_of_a_run(folder: Path) -> None:
    """Each format is written from one run; the JSON of the same seed differs in the fields alone that it lists."""
    words = ("run", ".", "--in-process", "--no-shorten")
    first = command(*words, "--report", "junit=r.xml,html=r.html", "--report", "json=1.json", folder=folder)
    assert first.code == 1
    assert command(*words, "-n", "2", "--report", "json=2.json", folder=folder).code == 1
    one, two = (json.loads((folder / name).read_text()) for name in ("1.json", "2.json"))
    assert without(one, one["wall_clock_fields"]) == without(two, one["wall_clock_fields"])
    assert [story["verdict"] for story in one["stories"]] == ["passed", "failed", "passed"]
    _check_junit(ET.parse(folder / "r.xml").getroot()[0])
    _check_page((folder / "r.html").read_text(), one)


def _check_junit(suite: ET.Element) -> None:
    cases = suite.findall("testcase")
    assert [case.attrib["name"] for case in cases] == ["a-good", "b-bad", "c-good"]
    assert [len(case.findall("failure")) for case in cases] == [0, 1, 0]
    failure = cases[1].findall("failure")[0].text or ""
    assert "b-bad.yaml:9: step 6: invoice.paid of order: state is delivered, not failed" in failure
    assert "again: paymos-sim run b-bad.yaml --seed 1 --in-process" in failure
    assert "PASSED" not in failure


def _check_page(page: str, document: dict[str, Any]) -> None:
    told = [(story["story"], one) for story in document["stories"] for one in story["events"]]
    kept = [(story, one["request_body"]) for story, one in told if one["kind"] == "exchange.kept"]
    assert page.count("Request to") == len(kept) > 0
    assert page.count("<svg") == len(set(kept))
    assert "1 failed" in page
    assert not re.search(r"whsec_test_\w{8}", page)


def test_a_failure_names_the_shortest_way_to_see_it_again(folder: Path) -> None:
    """The command is printed, and a story without the steps that do not matter, which fails in the same way."""
    result = command("run", "b-bad.yaml", "--in-process", folder=folder, TMPDIR=str(folder))
    assert result.code == 1
    assert "\nagain: paymos-sim run b-bad.yaml --seed 1 --in-process\n" in result.printed
    line = re.search(r"^shorter, and fails in the same way: (.*)$", result.printed, re.MULTILINE)
    assert line is not None
    words = shlex.split(line[1])[1:]
    again = command(*words, "--no-shorten", folder=folder)
    assert again.code == 1
    assert "state is delivered, not failed" in again.printed
    shorter = (folder / words[1]).read_text()
    assert re.findall(r"^  - (\w+):", shorter, re.MULTILINE) == [
        "create_invoice",
        "pay",
        "expect",
    ]
    assert "# this one matters" in shorter


def test_the_first_failure_can_end_a_run(folder: Path) -> None:
    """With ``--fail-fast`` what comes behind is not played, and the last line says so."""
    result = command("run", ".", "--in-process", "--no-shorten", "--fail-fast", folder=folder)
    assert result.code == 1
    assert result.printed.endswith("3 stories: 1 passed, 1 failed: b-bad, 1 not played\n")


def test_side_by_side_reads_like_one_after_another(folder: Path) -> None:
    """What stories tell is not mixed, and comes in their order; a story can be played several times."""
    words = ("run", ".", "-k", "good", "--in-process", "--repeat", "2", "--json")
    result = command(*words, "-n", "3", folder=folder)
    assert result.code == 0
    told = [line["story"] for line in result.of("run.started")]
    assert told == ["a-good", "a-good", "c-good", "c-good"]
    kinds = [line["kind"] for line in result.lines if line["kind"] in {"run.started", "run.finished"}]
    assert kinds == ["run.started", "run.finished"] * 4


def test_plan_of_a_story() -> None:
    """A plan shows each step with the virtual time that it will have, or the earliest; nothing is started."""
    result = command("run", "ladder-to-the-end", "deploy-window", "--dry-run")
    assert result.code == 0
    assert "a delivery that is refused each time: +0s, +1m, +3m, +7m, +15m, +31m, +1h3m" in result.printed
    assert re.search(r"^ +\+0s  create_invoice  order, 100\.00 USD$", result.printed, re.MULTILINE)
    assert re.search(r"^ +>0s  expect ", result.printed, re.MULTILINE)
    planned = command("run", "happy-path", "--dry-run", "--json").of("step.planned")
    assert [one["number"] for one in planned] == list(range(1, len(planned) + 1))


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--report", "foo=x"), "--report: 'foo' is not a format of reports"),
        (("--report", "junit"), "where junit is to be written is not said"),
        (("--report", "html=no/such/folder.html"), "the folder of 'no/such/folder.html' does not exist"),
        (("--report", "json=a,json=b"), "json is asked for twice"),
        (("-k", "a and"), "-k: a part of a name is missing"),
        (("-k", "nothing-like-it"), "-k: no story has a name that fits"),
        (("-n", "0"), "-n: '0' is not a number of stories side by side"),
        (("--repeat", "x"), "--repeat: 'x' is not a number of repetitions"),
        (("--probe", "reference"), "--probe: it looks into your own receiver"),
    ],
)
def test_options_that_make_no_sense(words: tuple[str, ...], says: str, folder: Path) -> None:
    """They are refused with a sentence before anything is played."""
    result = command("run", "a-good.yaml", "--in-process", *words, folder=folder)
    assert (result.code, result.printed) == (2, "")
    assert says in result.complaint
    assert "Traceback" not in result.complaint


def test_a_story_that_cannot_be_played_ends_no_other(folder: Path) -> None:
    """The others are played all the same, the reports tell of it, and the exit code is the worst there is."""
    (folder / "b-bad.yaml").write_text(STUCK)
    words = ("run", ".", "--in-process", "--report", "json=r.json,html=r.html,junit=r.xml")
    result = command(*words, folder=folder)
    assert result.code == 2
    assert "b-bad.yaml:5: step 3 (confirm_payment): " in result.complaint
    assert "NOT RUN  b-bad\n" in result.printed
    assert result.printed.endswith("3 stories: 2 passed, 1 could not run: b-bad\n")
    stories = json.loads((folder / "r.json").read_text())["stories"]
    assert [story["verdict"] for story in stories] == ["passed", "not run", "passed"]
    suite = ET.parse(folder / "r.xml").getroot()[0]
    assert (suite.attrib["errors"], suite.attrib["failures"]) == ("1", "0")
    assert "b-bad.yaml:5: step 3" in (suite.findtext(".//error") or "")
    assert "NOT RUN" in (folder / "r.html").read_text()


def test_a_password_is_in_no_command(folder: Path) -> None:
    """What shows a failure again names the database, and not who may open it."""
    probe = "sql:postgresql://me:hush@127.0.0.1:1/shop#SELECT 1 WHERE :order = ''"
    words = ("run", "b-bad.yaml", "--target", "http://127.0.0.1:1/", "--probe", probe, "--report", "json=r.json")
    (folder / "b-bad.yaml").write_text(GOOD)
    result = command(*words, folder=folder)
    assert result.code == 2
    text = (folder / "r.json").read_text()
    assert "hush" not in text + result.printed + result.complaint
    assert "sql:postgresql://me:***@127.0.0.1:1/shop" in text


def test_one_file_holds_one_story(folder: Path) -> None:
    """A folder of stories cannot share one SQLite file, and that is said before anything is played."""
    result = command("run", ".", "--in-process", "--database-url", "sqlite:///x.db", folder=folder)
    assert (result.code, result.printed) == (2, "")
    assert "each story needs a file of its own" in result.complaint


def test_validate_takes_a_folder(folder: Path) -> None:
    """Every story in a folder is checked, and each good one is named."""
    (folder / "d.yaml").write_text("name: x\nsteps: []\n")
    result = command("validate", ".", folder=folder)
    assert result.code == 2
    assert result.printed == "a-good.yaml: ok\nb-bad.yaml: ok\nc-good.yaml: ok\n"
    assert "d.yaml:2:8: " in result.complaint
