"""What a handler of a page is given and gives back: who looks, when it is, what is shown, where to go next."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from sender.web.dashboard.notices import Notice

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aiohttp import web

    from sender.clock import Timeline
    from sender.durations import Instant
    from sender.web.dashboard.language import Language


@dataclass(frozen=True, slots=True)
class Visit:
    """One look at a page; ``now`` is virtual. ``form`` holds the fields of a form, the last of a name."""

    request: web.Request
    language: Language
    here: Timeline
    now: Instant
    form: Mapping[str, str] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """What the path names."""
        return self.request.match_info.get("id", "")

    def asked(self, name: str) -> str | None:
        """Return a parameter of the query that is there and not blank."""
        return self.request.query.get(name, "").strip() or None

    def given(self, name: str) -> str | None:
        """Return a field of the form that is filled in."""
        return self.form.get(name, "").strip() or None

    @property
    def back(self) -> str:
        """Where the form was, if that is a place of ours."""
        return own_path(self.form.get("back", "")) or "/"


@dataclass(frozen=True, slots=True)
class Page:
    """A template with its values."""

    template: str
    values: Mapping[str, Any] = field(default_factory=dict)
    status: int = 200


@dataclass(frozen=True, slots=True)
class Went:
    """What a form did, and where the browser goes; to where the form was when nothing is said."""

    notice: Notice | None
    to: str | None = None


def done(text: str, *, to: str | None = None, secret: str = "", **values: object) -> Went:
    """Return that something was done, in a sentence."""
    return Went(Notice("done", text, {name: str(value) for name, value in values.items()}, secret), to)


def own_path(text: str) -> str:
    """Return a path on this server without what belongs to one visit, or nothing for an address elsewhere."""
    if not text.startswith("/") or text.startswith("//") or "\\" in text or not text.isprintable():
        return ""
    parts = urlsplit(text)
    kept = "&".join(one for one in parts.query.split("&") if one and not one.startswith("note="))
    return f"{parts.path}?{kept}" if kept else parts.path
