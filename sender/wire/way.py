"""What every fault has in common: the way it wraps, and what it may know of the attempt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sender.clock import Clock
    from sender.durations import Duration
    from sender.transport import Answer, Outgoing
    from sender.wire.passing import Passing, Send

    Reader = Callable[[str], object]
    Headers = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class AtHand:
    """The attempt at hand: what it is about, which of its headers are which, and how it is signed.

    ``sign`` returns the headers once more: under other secrets (``None``: the endpoint's own), and with a timestamp
    that lies so many seconds before the attempt.
    """

    subject: str
    id_header: str
    signature_header: str
    sign: Callable[[Sequence[str] | None, int], Headers]


@dataclass(frozen=True, slots=True)
class Way:
    """The rest of the way, as a fault finds it.

    ``instant`` leaves out a real wait that can only end in the timeout.
    """

    send: Send
    clock: Clock
    instant: bool
    passing: Passing
    hand: AtHand


class WireFault:
    """One fault. ``fields`` says how each of its fields is read from text."""

    __slots__ = ()

    name: ClassVar[str]
    fields: ClassVar[Mapping[str, Reader]] = {}

    async def carry(self, way: Way, outgoing: Outgoing, timeout: Duration) -> Answer:  # noqa: ASYNC109 - data
        """Do to the request what the fault does, and return what the sender then knows."""
        raise NotImplementedError
