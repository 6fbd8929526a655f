"""Instants and durations as people read them: to the second, and from now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sender.durations import DAY, HOUR, MILLISECOND, MINUTE, SECOND, format_instant

if TYPE_CHECKING:
    from sender.durations import Duration, Instant
    from sender.web.dashboard.language import Language

_UNITS = {
    "en": (("d", DAY), ("h", HOUR), ("min", MINUTE), ("s", SECOND)),
    "ru": (("д", DAY), ("ч", HOUR), ("мин", MINUTE), ("с", SECOND)),  # noqa: RUF001 - Cyrillic on purpose
}
_MILLISECONDS = {"en": "ms", "ru": "мс"}
_SPACE = "\u00a0"


def clock_text(at: Instant) -> str:
    """Return an instant as date and time of day in UTC: ``2026-03-02 09:00:00``."""
    return format_instant(at - at % SECOND).replace("T", " ").removesuffix("Z")


def span_text(span: Duration, language: Language) -> str:
    """Return a duration in its two largest units: ``16 h 3 min``; below a second in milliseconds."""
    if span < SECOND:
        return (
            f"{span // MILLISECOND}{_SPACE}{_MILLISECONDS[language]}" if span else f"0{_SPACE}{_UNITS[language][-1][0]}"
        )
    parts: list[str] = []
    for name, size in _UNITS[language]:
        count, span = divmod(span, size)
        if parts and not count:
            break
        if count:
            parts.append(f"{count}{_SPACE}{name}")
        if len(parts) == 2:  # noqa: PLR2004 - the two largest
            break
    return _SPACE.join(parts)


def from_now(at: Instant, now: Instant, language: Language) -> str:
    """Return how far away an instant is: ``in 15 min``, ``2 h ago``, ``now``."""
    if abs(at - now) < SECOND:
        return "сейчас" if language == "ru" else "now"
    span = span_text(abs(at - now), language)
    if at > now:
        return f"через{_SPACE}{span}" if language == "ru" else f"in{_SPACE}{span}"
    return f"{span}{_SPACE}назад" if language == "ru" else f"{span}{_SPACE}ago"


def elapsed(span: Duration) -> str:
    """Return how long something really took, in milliseconds: ``12.3 ms``, ``10 000 ms``."""
    if span < 100 * MILLISECOND:
        return f"{span / MILLISECOND:.1f}"
    return f"{span // MILLISECOND:,}".replace(",", _SPACE)
