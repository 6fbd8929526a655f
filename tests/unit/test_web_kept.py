"""What the merchant API remembers of keys and projects: for a moment, a bounded number, and nothing after a reset."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sender.clock import Clock
from sender.web.merchant import kept
from sender.web.merchant.kept import MAX_AGE, Kept

if TYPE_CHECKING:
    from sender.durations import Duration


class Watch(Clock):
    """A clock that a test sets."""

    now: Duration = 0

    def monotonic(self) -> Duration:
        """Return where it was set to."""
        return self.now


class Shelf:
    """What can be found, and how often it was looked for."""

    def __init__(self) -> None:
        self.there: str | None = "a key"
        self.looked = 0

    async def find(self) -> str | None:
        """Look."""
        self.looked += 1
        return self.there


async def test_what_was_taken_away_elsewhere_is_believed_for_a_second_at_most() -> None:
    """Another process revoked a key: within a second it is refused here too."""
    clock, shelf = Watch(), Shelf()
    memory: Kept[str] = Kept(clock)
    assert [await memory.get("x", shelf.find) for _ in range(3)] == ["a key"] * 3
    shelf.there = None
    clock.now = MAX_AGE - 1
    assert (await memory.get("x", shelf.find), shelf.looked) == ("a key", 1)
    clock.now = MAX_AGE
    assert await memory.get("x", shelf.find) is None


async def test_what_is_not_there_is_looked_for_each_time() -> None:
    """A key that is added works at once, though it was asked for a moment before."""
    shelf = Shelf()
    memory: Kept[str] = Kept(Watch())
    shelf.there = None
    assert await memory.get("x", shelf.find) is None
    shelf.there = "a key"
    assert await memory.get("x", shelf.find) == "a key"


async def test_it_forgets_on_demand_and_is_bounded() -> None:
    """A reset empties it, and no number of keys fills the memory of the process."""
    shelf = Shelf()
    memory: Kept[str] = Kept(Watch())
    await memory.get("x", shelf.find)
    memory.forget()
    await memory.get("x", shelf.find)
    assert shelf.looked == 2
    for number in range(kept.MOST + 5):
        await memory.get(str(number), shelf.find)
    assert len(memory._known) <= kept.MOST
