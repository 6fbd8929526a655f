"""What a check is: an id that never changes, what it needs, and words for a reader who does not know the product."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from sender.check.bench import Bench
    from sender.check.need import Need


class Check(ABC):
    """One check. ``does``, ``matters`` and ``mend`` are paragraphs; ``links`` are titles of pages to read.

    A class is stateless; ``run`` returns when all is well, adds warnings to the bench, and raises ``Failed`` or
    ``Unjudged``.
    """

    id: ClassVar[str]
    group: ClassVar[str]
    title: ClassVar[str]
    does: ClassVar[str]
    matters: ClassVar[str]
    mend: ClassVar[str]
    links: ClassVar[tuple[str, ...]] = ("Paymos Docs: Webhooks",)
    needs: ClassVar[frozenset[Need]] = frozenset()

    @abstractmethod
    async def run(self, bench: Bench) -> None:
        """Find out."""
