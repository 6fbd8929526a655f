"""JUnit XML, as continuous integration systems read it: one suite, a case for each thing that was checked."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML 1.0 document may hold, not even escaped."""


@dataclass(frozen=True, slots=True)
class Case:
    """One case. ``failure`` says in full what does not hold, ``error`` why that could not be found out.

    ``skipped`` says why it was left out.
    """

    classname: str
    name: str
    seconds: float
    failure: str | None = None
    skipped: str | None = None
    output: str = ""
    error: str | None = None


def junit_xml(suite: str, cases: Sequence[Case], properties: Mapping[str, str] | None = None) -> bytes:
    """Return the document. Any text will do: what XML cannot hold stands as U+FFFD."""
    failures = sum(case.failure is not None for case in cases)
    errors = sum(case.error is not None for case in cases)
    skipped = sum(case.skipped is not None for case in cases)
    seconds = f"{sum(case.seconds for case in cases):.3f}"
    counts = {"tests": str(len(cases)), "failures": str(failures), "errors": str(errors), "skipped": str(skipped)}
    root = ET.Element("testsuites", counts | {"time": seconds})
    element = ET.SubElement(root, "testsuite", {"name": _clean(suite)} | counts | {"time": seconds})
    if properties:
        held = ET.SubElement(element, "properties")
        for name, value in properties.items():
            ET.SubElement(held, "property", {"name": _clean(name), "value": _clean(value)})
    for case in cases:
        _add(element, case)
    ET.indent(root)
    return bytes(ET.tostring(root, encoding="utf-8", xml_declaration=True)) + b"\n"


def _add(suite: ET.Element, case: Case) -> None:
    about = {"classname": _clean(case.classname), "name": _clean(case.name), "time": f"{case.seconds:.3f}"}
    element = ET.SubElement(suite, "testcase", about)
    for tag, text in (("failure", case.failure), ("error", case.error)):
        if text is not None:
            said = ET.SubElement(element, tag, {"message": _clean(text.partition("\n")[0])})
            said.text = _clean(text)
    if case.skipped is not None:
        ET.SubElement(element, "skipped", {"message": _clean(case.skipped)})
    if case.output:
        ET.SubElement(element, "system-out").text = _clean(case.output)


def _clean(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)
