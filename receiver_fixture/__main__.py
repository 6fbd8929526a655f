"""Run the receiver as a process: ``python -m receiver_fixture --port 0 --secret whsec_…``.

Prints one ready line with its URL, stops on SIGTERM or SIGINT, and ends with 2 and one sentence when it cannot start.
"""

from __future__ import annotations

import sys

from receiver_fixture.errors import CannotStart, Refused
from receiver_fixture.options import read_options


def main(arguments: list[str]) -> int:
    """Run until told to stop; return the exit code."""
    try:
        settings = read_options(arguments)
        from receiver_fixture.process import run  # noqa: PLC0415 (--help loads neither a web server nor a database)

        run(settings, announce=lambda url: print(f"receiver ready url={url}", flush=True))
    except (CannotStart, Refused) as error:
        print(f"receiver: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
