"""What every ring shares: databases to test on, and no skipped tests in continuous integration."""

from __future__ import annotations

pytest_plugins = ("tests.postgres", "tests.skips")
