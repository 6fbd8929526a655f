"""From a line of cron to APScheduler's trigger. Times are UTC; weekdays are those of cron, where 0 and 7 are Sunday."""

from __future__ import annotations

import re
from datetime import UTC
from typing import Any

from apscheduler.triggers.cron import CronTrigger

from sender.suggest import shown

_WEEKDAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat", "sun")
_FIELDS = 5
_NUMBER = re.compile(r"(?<![/\w])[0-7](?!\w)")


def trigger(text: str) -> Any:
    """Return the trigger. Raises ``ValueError`` with a sentence for what is no line of cron.

    APScheduler counts weekdays from Monday, cron from Sunday; so numbers are handed on as names.
    """
    fields = text.split()
    if len(fields) != _FIELDS:
        raise ValueError(f'{shown(text)} has not five fields; write minute hour day month weekday, as in "*/5 * * * *"')
    *others, weekday = fields
    named = _NUMBER.sub(lambda number: _WEEKDAYS[int(number[0])], weekday)
    try:
        return CronTrigger.from_crontab(" ".join([*others, named]), timezone=UTC)
    except ValueError as error:
        reason = str(error).rstrip(".")
        raise ValueError(
            f'{shown(text)} is not a line of cron ({reason}); write it as in "*/5 9-17 * * mon-fri"'
        ) from None
