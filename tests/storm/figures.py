"""What a storm was, in numbers, and how its kills are dealt."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random

SHARES = {"relay": 12, "parent": 4, "host": 1, "receiver": 2, "elsewhere": 1, "postgresql": 4, "blackout": 1}
"""How often each kind of kill comes, beside the others.

``relay``: one of the parent's; ``parent``: the process that serves; ``host``: it and its relays at once; ``elsewhere``:
the relay of another host; ``postgresql``: the server stops at once and starts again; ``blackout``: the parent is killed
while there is no database.
"""

OF_A_SERVER = {"postgresql", "blackout"}


@dataclass
class Figures:
    """What a storm was, in numbers. ``refused`` are calls that failed because somebody was dead, by what came back."""

    seed: int
    kills: Counter[str] = field(default_factory=Counter)
    mischief: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    answered: int = 0
    events: Counter[str] = field(default_factory=Counter)
    attempts: int = 0
    received: int = 0
    in_flight: int = 0
    """Rows in the hands of relays that died: how many requests a death can have left unrecorded."""
    unrecorded: int = 0
    farewell: float = 0.0
    """The longest time, in real seconds, that the children of a dead parent took to end."""


def dealt(chance: random.Random, kills: int, *, server: bool) -> list[str]:
    """Return so many kills, each kind at least once; without a database server there are none of it."""
    kinds = [kind for kind in SHARES if server or kind not in OF_A_SERVER]
    deck = kinds + chance.choices(kinds, [SHARES[kind] for kind in kinds], k=max(kills - len(kinds), 0))
    chance.shuffle(deck)
    return deck
