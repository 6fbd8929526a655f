"""``paymos-sim events``: lists, shows and resends what a simulator sent."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from sender.cli import readers
from sender.cli.remote import remote_of
from sender.cli.saying import say
from sender.cli.telling import attempt_lines, clock_time, event_table
from sender.errors import UsageError
from sender.harmless import plain
from sender.suggest import remedy, shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sender.cli.options import Options
    from sender.cli.remote import Remote

_VERBS = ("list", "show", "resend")
_FILTERS = {"state": "state", "type": "event_type", "endpoint": "endpoint_id", "resource": "resource_id"}
NEWEST = 20


def main(options: Options) -> int:
    """Do what the first word says; return 1 where something could not be resent."""
    verb, *ids = options.operands
    if verb not in _VERBS:
        raise UsageError(f"{shown(verb)} is nothing that can be done with events; {remedy(verb, _VERBS)}")
    remote = remote_of(options)
    if verb == "list":
        return _list(remote, options)
    if verb == "show":
        return _show(remote, options, ids)
    return _resend(remote, options, ids)


def _list(remote: Remote, options: Options) -> int:
    limit = options.read("limit", readers.whole(1, 100, "a number of events"), NEWEST)
    filters = {name: text for option, name in _FILTERS.items() if (text := options.text(option)) is not None}
    found = remote.call("GET", f"/events?{urlencode({'limit': limit, **filters})}")["items"]
    if options.has("json"):
        say(json.dumps(found))
        return 0
    for line in event_table(found) if found else ["no events; 'paymos-sim trigger invoice.paid' makes one"]:
        say(line)
    return 0


def _show(remote: Remote, options: Options, ids: Sequence[str]) -> int:
    if len(ids) != 1:
        raise UsageError("events show takes the id of one event: events show evt_…")
    event = remote.call("GET", f"/events/{quote(ids[0], safe='')}")
    for line in [json.dumps(event)] if options.has("json") else _whole(event, options):
        say(line)
    return 0


def _whole(event: dict[str, Any], options: Options) -> Iterator[str]:
    yield f"{plain(event['event_type'])} [{event['event_id']}]"
    yield f"  resource      {plain(event['resource_id'])}"
    yield f"  endpoint      {event['endpoint_id']}"
    yield f"  state         {'in flight' if event['in_flight'] else event['state']}"
    yield f"  attempts      {event['attempts']}"
    yield f"  created       {clock_time(event['created_at'])}"
    if event["next_attempt_at"]:
        yield f"  next attempt  {clock_time(event['next_attempt_at'])}"
    yield ""
    for attempt in event["attempts_made"]:
        yield from attempt_lines(attempt, whole=options.has("v"))


def _resend(remote: Remote, options: Options, ids: Sequence[str]) -> int:
    if bool(ids) == options.has("failed"):
        raise UsageError("events resend takes ids of events, or --failed for everything that failed")
    endpoint = options.text("endpoint")
    failed = {"failed": True, **({"endpoint_id": endpoint} if endpoint else {})}
    told = remote.call("POST", "/resend", {"events": list(ids)} if ids else failed)
    if options.has("json"):
        say(json.dumps(told))
    else:
        for event_id in told["resent"]:
            say(f"--> [{event_id}] is sent again")
        for one in told["refused"]:
            say(f"not sent: [{plain(one['event_id'])}] {plain(one['detail'])}")
        if told["more"]:
            say("there are more; ask again")
        if not told["resent"] and not told["refused"]:
            say("nothing has failed")
    return 1 if told["refused"] else 0
