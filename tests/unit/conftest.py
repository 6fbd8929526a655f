"""Unit tests open no socket; the pair of Unix sockets by which asyncio wakes itself is all that is let through."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _no_sockets(socket_disabled: None) -> None:
    """Forbid sockets, from before the first fixture of the test on (pytest-socket)."""
