"""A call that is made twice by mistake is carried out once: the second one gets the answer of the first."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from typing import TYPE_CHECKING

from sender.errors import RequestRefused

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

    from sender.web.control.call import Reply

HEADER = "Idempotency-Key"
LONGEST = 200
MOST = 1_000
"""How many keys are remembered; the oldest are forgotten first."""


class Replays:
    """Remembers answers by the key that a caller chose, for as long as the process lives."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[str, str, str], asyncio.Task[Reply]] = OrderedDict()

    async def once(self, key: str, method: str, path: str, work: Callable[[], Coroutine[Any, Any, Reply]]) -> Reply:
        """Carry ``work`` out, or return what it answered under this key; what was refused may be tried again."""
        if not key.isprintable() or len(key) > LONGEST:
            raise RequestRefused(f"{HEADER} is up to {LONGEST} printable characters", code="field_invalid")
        name = (key, method, path)
        task = self._known.get(name)
        if task is None or _was_refused(task):
            task = self._known[name] = asyncio.create_task(work())
            if len(self._known) > MOST:
                self._known.popitem(last=False)
        return await asyncio.shield(task)


def _was_refused(task: asyncio.Task[Reply]) -> bool:
    return task.done() and (task.cancelled() or task.exception() is not None)
