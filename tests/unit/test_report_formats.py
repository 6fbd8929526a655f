"""JUnit and HTML: well-formed and harmless whatever text they are given."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from hypothesis import given
from hypothesis import strategies as some

from sender.report.html import render, shown_text
from sender.report.junit import Case, junit_xml

ANY_TEXT = some.text(some.characters(codec=None), max_size=60)


@given(ANY_TEXT, ANY_TEXT, some.none() | ANY_TEXT)
def test_any_text_makes_a_document(name: str, output: str, failure: str | None) -> None:
    """Control characters, NUL and lone surrogates cannot make a report that no parser reads."""
    case = Case(classname=name, name=name, seconds=0.5, failure=failure, output=output)
    root = ET.fromstring(junit_xml(name, [case], {name: output}))
    assert root.attrib["tests"] == "1"
    assert root.attrib["failures"] == ("0" if failure is None else "1")


def test_counts_and_parts() -> None:
    """Passed, failed and skipped cases are counted, and each says what it has to."""
    cases = [
        Case(classname="c", name="good", seconds=0.25, output="fine"),
        Case(classname="c", name="bad", seconds=0.5, failure="first line\nand more"),
        Case(classname="c", name="left out", seconds=0, skipped="needs a probe"),
    ]
    suite = ET.fromstring(junit_xml("all", cases, {"seed": "1"}))[0]
    assert {name: suite.attrib[name] for name in ("tests", "failures", "errors", "skipped", "time")} == {
        "tests": "3", "failures": "1", "errors": "0", "skipped": "1", "time": "0.750",
    }  # fmt: skip
    properties, good, bad, left_out = suite
    assert properties[0].attrib == {"name": "seed", "value": "1"}
    assert [one.tag for one in good] == ["system-out"]
    assert (bad[0].attrib["message"], bad[0].text) == ("first line", "first line\nand more")
    assert left_out[0].attrib["message"] == "needs a probe"


def test_text_of_strangers_is_shown_as_text() -> None:
    """What does not print, marks that turn the direction of text among it, is made visible; long text is cut."""
    assert shown_text(b"a\x00b\xff\n") == "a\ufffdb\ufffd\n"
    assert shown_text("abc\u202edef") == "abc\ufffddef"
    assert shown_text("x" * 10, limit=4) == "xxxx… (6 more characters)"


def test_pages_escape_and_load_nothing() -> None:
    """A value never becomes markup, and the page allows itself no script and no address."""
    page = render("sender.scenario", "run.html", stories=[], failed=0, version="<b>1</b>", width=1, shown=shown_text)
    assert "&lt;b&gt;1&lt;/b&gt;" in page
    assert "default-src 'none'" in page
    assert "<script" not in page
