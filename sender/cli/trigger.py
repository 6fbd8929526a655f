"""``paymos-sim trigger``: makes an event and what it needs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from sender.cli.remote import remote_of
from sender.cli.saying import say
from sender.errors import UsageError

if TYPE_CHECKING:
    from sender.cli.options import Options


def main(options: Options) -> int:
    """Trigger one event."""
    if len(options.operands) != 1:
        raise UsageError("trigger takes one event, as in trigger invoice.paid")
    overrides: dict[str, str] = options.read("override", _overrides, {})
    wish = {"event_type": options.operands[0], "overrides": overrides}
    made = remote_of(options).call("POST", "/trigger", wish)
    if options.has("json"):
        say(json.dumps(made))
        return 0
    say(f"{made['event_type']} of {made['resource_id']}")
    for event_id in made["event_ids"]:
        say(f"--> {made['event_type']} [{event_id}]")
    if not made["event_ids"]:
        say("nobody is subscribed; 'paymos-sim serve --endpoint URL' subscribes a receiver")
    return 0


def _overrides(text: str) -> dict[str, str]:
    values: dict[str, str] = {}
    for word in text.split(","):
        name, mark, value = word.partition("=")
        if not mark or not name or not value:
            raise ValueError(f"{word!r} is no override; write NAME=VALUE, as in amount=5.00")
        values[name] = value
    return values
