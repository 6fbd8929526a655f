"""Who overtakes whom: requests that are held until a later one about the same resource was answered."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator
    from typing import Any

    from sender.durations import Duration
    from sender.transport import Answer, Outgoing

    Send = Callable[[Outgoing, Duration], Coroutine[Any, Any, Answer]]


class Passing:
    """The requests that one relay holds, by where they go and what they are about."""

    def __init__(self) -> None:
        self._held: dict[tuple[str, str], list[asyncio.Event]] = {}

    @property
    def holds(self) -> bool:
        """Whether any request is held."""
        return bool(self._held)

    @contextmanager
    def held(self, url: str, subject: str) -> Iterator[asyncio.Event]:
        """Hold a request; the event is set once another one, sent from here on, was answered."""
        overtaken = asyncio.Event()
        self._held.setdefault((url, subject), []).append(overtaken)
        try:
            yield overtaken
        finally:
            self._held[url, subject].remove(overtaken)
            if not self._held[url, subject]:
                del self._held[url, subject]

    def noticed(self, send: Send, url: str, subject: str) -> Send:
        """Return the way of a request that overtakes those that are held now."""

        async def carry(outgoing: Outgoing, timeout: Duration) -> Answer:  # noqa: ASYNC109 - data
            answer = await send(outgoing, timeout)
            if answer.status is not None:
                for one in overtaken:
                    one.set()
            return answer

        overtaken = tuple(self._held.get((url, subject), ()))
        return carry
