"""The checks, by group, in the order in which they are run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sender.check.checks.acceptances import ACCEPTANCES
from sender.check.checks.idempotency import IDEMPOTENCY
from sender.check.checks.identity import IDENTITY
from sender.check.checks.loss import LOSS
from sender.check.checks.manners import MANNERS
from sender.check.checks.order import ORDER
from sender.check.checks.refusals import REFUSALS
from sender.check.checks.speed import SPEED

if TYPE_CHECKING:
    from sender.check.check import Check

CHECKS: tuple[Check, ...] = (*IDEMPOTENCY, *IDENTITY, *LOSS, *ORDER, *REFUSALS, *ACCEPTANCES, *SPEED, *MANNERS)
