"""``--report``: which files are written when all is over, and in which format."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from sender import __version__
from sender.errors import NotAvailable
from sender.paths import exists, is_folder
from sender.suggest import remedy, shown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sender.scenario.report_record import Record

FORMATS = ("junit", "json", "html")
NONE: dict[str, Path] = {}


def wanted(text: str) -> dict[str, Path]:
    """Read what ``--report`` takes: ``FORMAT=PATH``, several with commas. Raises ``ValueError``."""
    found: dict[str, Path] = {}
    for one in text.split(","):
        name, mark, path = one.strip().partition("=")
        if name not in FORMATS:
            raise ValueError(
                f"{shown(name)} is not a format of reports; {remedy(name, FORMATS)}, as in junit=report.xml"
            )
        if not mark or not path:
            raise ValueError(f"where {name} is to be written is not said; write {name}=PATH")
        if name in found:
            raise ValueError(f"{name} is asked for twice")
        found[name] = _writable(path)
    return found


def _writable(text: str) -> Path:
    path = Path(text)
    if is_folder(path):
        raise ValueError(f"{shown(text)} is a folder; name a file in it")
    if not is_folder(path.parent):
        raise ValueError(f"the folder of {shown(text)} does not exist")
    if not os.access(path if exists(path) else path.parent, os.W_OK):
        raise ValueError(f"{shown(text)} cannot be written here")
    return path


def write(files: Mapping[str, Path], records: Sequence[Record]) -> None:
    """Write each file. Raises ``NotAvailable`` for one that cannot be written any more."""
    for name, path in files.items():
        try:
            path.write_bytes(_made(name, records))
        except OSError as error:
            raise NotAvailable(f"--report: {path} cannot be written: {error.strerror}") from None


def _made(name: str, records: Sequence[Record]) -> bytes:
    # Each is imported when it is wanted: a plain run shall not wait for a template engine.
    if name == "junit":
        from sender.scenario.report_junit import junit_report  # noqa: PLC0415

        return junit_report(records, __version__)
    if name == "json":
        from sender.scenario.report_file import json_report  # noqa: PLC0415

        return json_report(records, __version__)
    from sender.scenario.report_html import html_report  # noqa: PLC0415

    return html_report(records, __version__)
