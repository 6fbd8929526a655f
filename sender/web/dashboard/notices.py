"""What a page tells once after a form was sent: kept here for the page that the browser is sent to next."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from typing import Literal, NamedTuple

MOST = 200


class Notice(NamedTuple):
    """A sentence for a person; ``values`` go into its braces, ``secret`` is shown beside it and nowhere else.

    ``detail`` is what the API says of a refusal, in English, where the sentence is in another language.
    """

    kind: Literal["done", "refused"]
    text: str
    values: dict[str, str]
    secret: str = ""
    detail: str = ""


class Notices:
    """Notices by a name that cannot be guessed, so that a link from elsewhere cannot put words on a page."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, Notice] = OrderedDict()

    def put(self, notice: Notice) -> str:
        """Keep a notice; return its name. The oldest make room."""
        name = secrets.token_urlsafe(9)
        self._kept[name] = notice
        if len(self._kept) > MOST:
            self._kept.popitem(last=False)
        return name

    def take(self, name: str) -> Notice | None:
        """Return a notice and forget it."""
        return self._kept.pop(name, None)
