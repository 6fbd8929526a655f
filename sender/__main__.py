"""``python -m sender`` is the command ``paymos-sim``."""

from __future__ import annotations

import sys

from sender.cli import main

if __name__ == "__main__":
    sys.exit(main())
