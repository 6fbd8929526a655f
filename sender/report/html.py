"""HTML pages that are one file: no script, nothing loaded from anywhere, light and dark, everything escaped."""

from __future__ import annotations

from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined


def render(package: str, template: str, **values: Any) -> str:
    """Return a page made from a template in the folder ``templates`` of a package.

    It extends ``frame.html`` of this one. Values are escaped; what XML and HTML cannot hold is for who shows text to
    replace (``shown_text``).
    """
    loader = ChoiceLoader([PackageLoader(package), PackageLoader("sender.report")])
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.get_template(template).render(**values)


def shown_text(data: bytes | str, limit: int = 64 * 1024) -> str:
    """Return hostile text fit for a page: bounded, and each character that does not print made visible.

    That leaves line breaks and tabs alone; marks that turn the direction of text are among those that do not print.
    """
    text = data.decode("utf-8", "replace") if isinstance(data, bytes) else data
    cut = text[:limit]
    shown = "".join(one if one.isprintable() or one in "\n\t" else "\ufffd" for one in cut)
    return shown if len(text) <= limit else f"{shown}… ({len(text) - limit} more characters)"
