"""One connection without a network: whom it distrusts, and what it makes of bytes."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import pytest

from sender.transport.peer import HEAD_LIMIT, Peer

if TYPE_CHECKING:
    from collections.abc import Iterator

DROPPED = "dropped"
HEAD = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


class Line(asyncio.Transport):
    """Stands for the transport."""

    def __init__(self) -> None:
        super().__init__({"peername": ("192.0.2.1", 80)})
        self.ended = False

    def close(self) -> None:
        self.ended = True

    def abort(self) -> None:
        self.ended = True

    def is_closing(self) -> bool:
        return self.ended

    def pause_reading(self) -> None:
        pass


@pytest.fixture
def distrusted() -> list[str]:
    """Return the list of those that were reported."""
    return []


@pytest.fixture
async def peer(distrusted: list[str]) -> Peer:
    """Return a connection that is open and not used yet."""
    made = Peer(asyncio.get_running_loop())
    made.connection_made(Line())
    return made


def begin(peer: Peer) -> None:
    """Begin an exchange."""
    peer.begin()
    peer.set_response_params(read_until_eof=True, auto_decompress=False)


async def test_a_peer_that_drops_a_resting_connection_is_reported(peer: Peer, distrusted: list[str]) -> None:
    """A connection that ends while it rests tells whoever keeps it."""
    begin(peer)
    peer.data_received(b"HTTP/1.1 204 No Content\r\n\r\n")
    peer.rest(partial(distrusted.append, DROPPED))
    peer.connection_lost(None)
    assert distrusted == [DROPPED]


async def test_a_peer_that_drops_a_used_again_connection_is_reported(peer: Peer, distrusted: list[str]) -> None:
    """A connection that ends after the next request and before a byte of its answer is the same."""
    peer.rest(partial(distrusted.append, DROPPED))
    begin(peer)
    peer.connection_lost(ConnectionResetError())
    assert distrusted == [DROPPED]


async def test_a_first_use_a_begun_answer_and_our_own_close_are_not(peer: Peer, distrusted: list[str]) -> None:
    """A fresh connection, one that has begun to answer, and one that we closed say nothing about keeping."""
    begin(peer)
    peer.connection_lost(None)
    peer.connection_made(Line())
    peer.rest(partial(distrusted.append, DROPPED))
    begin(peer)
    peer.data_received(b"HTTP/1.1 2")
    peer.connection_lost(None)
    peer.connection_made(Line())
    peer.rest(partial(distrusted.append, DROPPED))
    peer.close()
    peer.connection_lost(None)
    assert distrusted == []


def cuts(data: bytes) -> Iterator[list[bytes]]:
    """Yield the same bytes, cut in two at every place."""
    for place in range(len(data) + 1):
        yield [part for part in (data[:place], data[place:]) if part]


async def test_the_cut_of_the_stream_changes_no_outcome() -> None:
    """A complete head followed by rubbish is the same answer wherever the network cut the bytes."""
    for parts in cuts(b"HTTP/1.1 100 Continue\r\n\r\n" + HEAD + b"2\r\nok\r\nzz\r\n"):
        peer = Peer(asyncio.get_running_loop())
        peer.connection_made(Line())
        begin(peer)
        for part in parts:
            peer.data_received(part)
        codes = [(await cast("Any", peer).read())[0].code for _ in range(len(peer))]
        assert codes[-1] == 200, parts


async def test_an_incomplete_head_is_no_answer() -> None:
    """However a broken head is cut, it never becomes an answer."""
    for parts in cuts(HEAD[:-2] + b"\x00: x\r\n\r\n"):
        peer = Peer(asyncio.get_running_loop())
        peer.connection_made(Line())
        begin(peer)
        for part in parts:
            peer.data_received(part)
        assert len(peer) == 0, parts
        assert peer.exception() is not None, parts


async def test_the_bound_is_for_the_head_alone(peer: Peer) -> None:
    """A long body that comes in one read with its head does not count as head."""
    begin(peer)
    peer.data_received(HEAD + b"80000\r\n" + b"x" * 4 * HEAD_LIMIT + b"\r\n")
    assert peer.exception() is None
    assert len(peer) == 1
