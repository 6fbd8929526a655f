"""``paymos-sim clock``: shows virtual time, moves it, or changes its mode."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from sender.cli.remote import remote_of
from sender.cli.saying import say
from sender.cli.telling import clock_time
from sender.errors import UsageError
from sender.harmless import plain

if TYPE_CHECKING:
    from sender.cli.options import Options
    from sender.cli.remote import Remote

_WAYS = ("by", "to", "until_idle", "mode")


def main(options: Options) -> int:
    """Do what is asked, and show where time stands then."""
    if sum(options.has(way) for way in _WAYS) > 1:
        raise UsageError("clock takes one of --by, --to, --until-idle and --mode")
    remote = remote_of(options)
    _move(remote, options)
    clock, ahead = remote.call("GET", "/clock"), remote.call("GET", "/clock/upcoming?limit=5")
    if options.has("json"):
        say(json.dumps({**clock, "upcoming": ahead["items"]}))
        return 0
    rate = f", {clock['rate']:g} virtual seconds in a real one" if clock["mode"] == "scale" else ""
    say(f"{clock_time(clock['now'])} UTC, {clock['mode']}{rate}")
    for one in ahead["items"]:
        say(f"  {clock_time(one['at'])}  {_words(one)}")
    return 0


def _move(remote: Remote, options: Options) -> None:
    if options.has("mode"):
        remote.call("PATCH", "/clock", {"mode": options.text("mode")})
    elif options.has("until_idle"):
        remote.call("POST", "/clock", {"until": "idle"})
    else:
        move = {way: text for way in ("by", "to") if (text := options.text(way)) is not None}
        if move:
            remote.call("POST", "/clock", move)


def _words(one: dict[str, Any]) -> str:
    words = {"attempt": "attempt of", "expiry": "expiry of", "rotation_end": "end of the old secret of"}[one["what"]]
    waits = ", which waits: its endpoint is suspended" if one["waits"] else ""
    return f"{words} {plain(one['about'])} [{plain(one['id'])}]{waits}"
