"""A delivery as a command that can be pasted into a shell, and that the receiver will take."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sender.domain.endpoint import Endpoint
    from sender.durations import Instant
    from sender.providers.paymos import Paymos


def curl(profile: Paymos, endpoint: Endpoint, event_id: str, body: bytes, times: tuple[Instant, int]) -> str:
    """Return the command. ``times`` are the virtual instant and the Unix seconds that are signed.

    It is signed anew: receivers refuse what is older than five minutes (contract §1.4), and an attempt that is looked
    at mostly is. The body is JSON of ours, so it has no NUL that an argument could not hold.
    """
    now, timestamp = times
    lines = [f"curl --include --request POST {shlex.quote(endpoint.url)}"]
    for name, value in profile.sign(body, endpoint.signing_secrets(now), timestamp, event_id):
        lines.append(f"--header {shlex.quote(f'{name}: {value}')}")
    lines.append(f"--data-raw {shlex.quote(body.decode())}")
    return " \\\n  ".join(lines) + "\n"
