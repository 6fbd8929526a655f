"""Reads a traffic file: what happens at a simulator that serves, and how often, in wall time.

    name: a small shop
    about: Who this is, and what it is good for.
    every: 5s
    times: 1
    what:
      - {create_invoice: {amount: "19.90", currency: USD}, outcome: paid, weight: 9}
      - {create_withdrawal: {amount: "25", currency: USDT, network: TRC20}}

``cron: "*/5 9-17 * * mon-fri"`` in place of ``every`` fires by the calendar, in UTC.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeVar

from sender.durations import DAY, MILLISECOND, Duration, format_duration, parse_duration
from sender.errors import UsageError
from sender.schedules import find
from sender.suggest import shown
from sender.traffic.deedfile import read_deed
from sender.traffic.flow import Flow
from sender.traffic.words import check_fields, whole
from sender.yamlfile import parse_yaml, read_yaml

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from sender.traffic.flow import Deed
    from sender.yamlfile import YamlFile

T = TypeVar("T")

MAX_DEEDS = 100
MAX_NAME = 64
MAX_TIMES = 1_000
SHORTEST: Duration = 10 * MILLISECOND
LONGEST: Duration = 30 * DAY

_FIELDS = ("name", "about", "every", "cron", "times", "what")
_UNFIT = re.compile(r"[^0-9A-Za-z]+")
"""What the name of a flow loses: it becomes a part of order ids."""
_EXAMPLE = '- create_invoice: {amount: "19.90", currency: USD}'


def load_flow(name_or_path: str | Path, *, base: Path | None = None) -> Flow:
    """Return the traffic that a name or a path means (see ``schedules.find``).

    Raises ``UsageError`` for a name that does not ship, and ``FileRefused`` with every problem of the file.
    """
    path = find("traffic", name_or_path, base=base)
    return _flow(read_yaml(path), path.stem)


def read_flow(text: str) -> Flow:
    """Return the traffic that a document says. Raises ``FileRefused`` with every problem of it."""
    file = parse_yaml(text.encode("utf-8", "surrogatepass"), "traffic")
    title = file.data.get("name")
    return _flow(file, _UNFIT.sub("-", title).strip("-")[:MAX_NAME] if isinstance(title, str) else "")


def _flow(file: YamlFile, name: str) -> Flow:
    check_fields(file, (), _FIELDS)
    _check_trigger(file)
    flow = Flow(
        name=name or "given",
        every=_read(file, "every", _interval, None),
        cron=_read(file, "cron", _calendar, None),
        times=_read(file, "times", whole(1, MAX_TIMES), 1),
        deeds=_deeds(file),
    )
    file.check()
    return flow


def _check_trigger(file: YamlFile) -> None:
    if "every" in file.data and "cron" in file.data:
        file.complain(("cron",), "every and cron both say when; keep one of them", key=True)
    if "every" not in file.data and "cron" not in file.data:
        file.complain((), 'when it happens is missing; add every: 5s, or cron: "*/5 * * * *"')
    for field in ("name", "about"):
        if field in file.data and not isinstance(file.data[field], str):
            file.complain((field,), f"{field}: some text is missing; write it, or leave the line out")


def _read(file: YamlFile, field: str, reader: Callable[[str], T], default: T) -> T:
    if field not in file.data:
        return default
    text = file.data[field]
    if not isinstance(text, str):
        file.complain((field,), f"{field}: a single value is missing; write one, or leave the line out")
        return default
    try:
        return reader(text)
    except (UsageError, ValueError) as error:
        file.complain((field,), f"{field}: {error}")
        return default


def _interval(text: str) -> Duration:
    every = parse_duration(text)
    if not SHORTEST <= every <= LONGEST:
        bounds = f"{format_duration(SHORTEST)} to {format_duration(LONGEST)}"
        raise ValueError(f"{shown(text)} is no rhythm; write from {bounds}, as in 5s")
    return every


def _calendar(text: str) -> str:
    from sender.traffic.calendar import trigger  # noqa: PLC0415 - a scheduler, only where a calendar is wanted

    trigger(text)
    return text


def _deeds(file: YamlFile) -> tuple[Deed, ...]:
    listed = file.data.get("what")
    if listed is None and "what" not in file.data:
        file.complain((), f"what happens is missing; add what: and below it a list, as in {_EXAMPLE}")
        return ()
    if not isinstance(listed, list) or not listed:
        file.complain(("what",), f"what: this must be a list of what happens, as in {_EXAMPLE}")
        return ()
    if len(listed) > MAX_DEEDS:
        file.complain(("what",), f"what: {len(listed)} are too many; list at most {MAX_DEEDS}")
        return ()
    read = [read_deed(file, index, node) for index, node in enumerate(listed)]
    return tuple(deed for deed in read if deed is not None)
