"""``paymos-sim listen``: follows deliveries of a simulator that runs, over restarts of either side."""

from __future__ import annotations

import json
import sys
from fnmatch import fnmatchcase
from itertools import count
from threading import Event
from typing import TYPE_CHECKING

from sender.cli import readers
from sender.cli.remote import remote_of
from sender.cli.saying import say
from sender.cli.telling import attempt_lines
from sender.errors import NotAvailable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sender.cli.options import Options
    from sender.cli.remote import Message, Remote

PAUSE = 1.0
"""Real seconds before a stream that ended is asked for again."""
MOST = 1_000_000_000


def main(options: Options) -> int:
    """Follow until Ctrl-C, or until ``--count`` attempts were shown."""
    wanted = [word for word in (options.text("events") or "").split(",") if word]
    as_json = options.read("format", _format, "text") == "json"
    left = options.read("count", readers.whole(1, MOST, "a number of attempts"), MOST)
    whole = options.has("v")
    try:
        for message in _messages(remote_of(options), "?bytes=1" if whole or as_json else ""):
            if message.kind == "skipped":
                print(f"{message.data['attempts']} attempts were left out: too many at once", file=sys.stderr)
            if message.kind == "attempt" and _is_wanted(message.data["event_type"], wanted):
                _show(message, as_json=as_json, whole=whole)
                left -= 1
            if not left:
                return 0
    except KeyboardInterrupt:
        pass
    return 0


def _messages(remote: Remote, query: str) -> Iterator[Message]:
    """Give messages for ever. Raises ``NotAvailable`` only when nobody answers the first time."""
    last_id, lost = "", True
    for tries in count():
        try:
            for message in remote.stream(query, last_id):
                if lost:
                    print(f"listening at {remote.url}", file=sys.stderr)
                last_id, lost = message.id or last_id, False
                yield message
        except NotAvailable:
            if not tries:
                raise
        if not lost:
            print("the stream ended; waiting for the simulator to come back", file=sys.stderr)
        lost = True
        Event().wait(PAUSE)


def _show(message: Message, *, as_json: bool, whole: bool) -> None:
    if as_json:
        say(json.dumps(message.data))
        return
    for line in attempt_lines(message.data, whole=whole):
        say(line)


def _is_wanted(event_type: str, wanted: list[str]) -> bool:
    return not wanted or any(fnmatchcase(event_type, pattern) for pattern in wanted)


def _format(text: str) -> str:
    if text not in {"text", "json"}:
        raise ValueError(f"{text!r} is no format; write text or json")
    return text
