"""What a check may not be able to do without."""

from __future__ import annotations

from enum import StrEnum


class Need(StrEnum):
    """What a check cannot do without; the value is how it is named to people."""

    PROBE = "a probe (--probe)"
    RESTART = "a command that kills and restarts the receiver (--restart-cmd)"
    API = "the address at which the receiver asks the API (--api-base)"
    RETIRED = "a webhook secret that was replaced more than a day ago (--retired-secret)"
