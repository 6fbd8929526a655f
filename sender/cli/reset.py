"""``paymos-sim reset``: begins again, between two tests."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from sender.cli.remote import remote_of
from sender.cli.saying import say

if TYPE_CHECKING:
    from sender.cli.options import Options


def main(options: Options) -> int:
    """Reset, and tell what was in flight."""
    wish: dict[str, Any] = {}
    scopes = [word for word in (options.text("scopes") or "").split(",") if word]
    if scopes:
        wish["scopes"] = scopes
    if (patience := options.text("patience")) is not None:
        wish["patience"] = patience
    told = remote_of(options).call("POST", "/reset", wish)
    if options.has("json"):
        say(json.dumps(told))
    else:
        say(f"cleared {', '.join(scopes or ['state', 'faults'])}")
        if told["waited_for"] or told["dropped"]:
            say(f"{told['waited_for']} deliveries in flight came home, {told['dropped']} were dropped")
    return 0
