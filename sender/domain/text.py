"""Text that a caller may write: not blank, not too long, and such that a database and a body can carry it."""

from __future__ import annotations

import re

from sender.errors import RequestRefused

_STUCK = re.compile("[\0\ud800-\udfff]")


def check_text(text: str, field: str, longest: int) -> None:
    """Raise ``RequestRefused`` for text that is blank, too long, or that no database and no body can carry."""
    if not text.strip():
        raise refusal(f"{field} is empty; it needs 1 to {longest} characters", field, "field_required")
    if len(text) > longest:
        raise refusal(f"{field} has {len(text)} characters; it may have {longest}", field)
    if not can_travel(text):
        raise refusal(f"{field} holds a NUL or half a surrogate pair; neither is text", field)


def can_travel(text: str) -> bool:
    """Tell whether a database and a body can carry the text; what cannot is nobody's id."""
    return _STUCK.search(text) is None


def refusal(message: str, field: str, code: str = "validation_failed") -> RequestRefused:
    """Return the refusal of one member of a request."""
    return RequestRefused(message, code=code, field=field)
