"""The simulator for tests: synchronous, in sentences, in a thread of its own. ``pytest_plugin`` makes fixtures of it.

``with Paymos(seed=2) as paymos:`` works without pytest too.
"""

from __future__ import annotations

from sender.testing.delivery import Attempt, Delivery
from sender.testing.options import Options
from sender.testing.paymos import LawsBroken, Paymos

__all__ = ["Attempt", "Delivery", "LawsBroken", "Options", "Paymos"]
