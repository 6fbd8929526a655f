"""Carry a scripted answer out on the wire, down to the socket where a fault needs it."""

from __future__ import annotations

import asyncio
import socket
import struct
from http import HTTPStatus
from typing import TYPE_CHECKING

from aiohttp import web

from receiver_fixture.problems import problem
from receiver_fixture.scripts import Entry, Fault, Script

if TYPE_CHECKING:
    from receiver_fixture.clock import Clock

# Far beyond what any sender keeps of an answer.
_HUGE_CHUNK = b"x" * 65_536
_HUGE_CHUNKS = 160

_GARBAGE = b"\x16\x03\x01 this is not HTTP\r\n\xff\xfe\r\n\r\n"
_BODILESS = frozenset({204, 205, 304})
_FIRST_ERROR = 400


async def perform(request: web.Request, entry: Entry, clock: Clock) -> web.StreamResponse:
    """Answer, or fail to answer, as the script says; its delay has passed already."""
    status = entry.script.status
    match entry.script.fault:
        case Fault.NONE:
            return _plain(status)
        case Fault.REDIRECT:
            return web.Response(status=status, headers={"Location": str(request.url)})
        case Fault.HUGE_BODY:
            return await _huge_body(request, status)
        case _:
            await _break_off(request, entry, clock)
            return await _close(request)


async def _break_off(request: web.Request, entry: Entry, clock: Clock) -> None:
    match entry.script.fault:
        case Fault.SLOW_CLOSE:
            await _slow_close(request, entry.script, clock)
        case Fault.TIMEOUT:
            await entry.withdrawn.wait()
        case Fault.RESET_PEER:
            _reset(request)
        case Fault.GARBAGE:
            _write(request, _GARBAGE)


def _plain(status: int) -> web.Response:
    if status in _BODILESS:
        return web.Response(status=status)
    if status >= _FIRST_ERROR:
        return problem(status, "scripted", "this answer was scripted")
    return web.json_response({"scripted": True}, status=status)


async def _huge_body(request: web.Request, status: int) -> web.StreamResponse:
    response = web.StreamResponse(status=status)
    try:
        await response.prepare(request)
        for _ in range(_HUGE_CHUNKS):
            await response.write(_HUGE_CHUNK)
    except ConnectionError:
        # The sender has had enough of it, which is what this answer is for.
        pass
    return response


async def _slow_close(request: web.Request, script: Script, clock: Clock) -> None:
    # Written by hand: without a length or chunks the body ends only where the connection does.
    phrase = HTTPStatus(script.status).phrase if script.status in {*HTTPStatus} else "Scripted"
    head = f"HTTP/1.1 {script.status} {phrase}\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\nscripted\n"
    _write(request, head.encode("ascii"))
    await clock.sleep(script.delay)


def _write(request: web.Request, data: bytes) -> None:
    if request.transport is not None:
        request.transport.write(data)


def _reset(request: web.Request) -> None:
    if request.transport is None:
        return
    # Lingering for no time makes the kernel send RST in place of FIN.
    connection = request.transport.get_extra_info("socket")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    request.transport.abort()


async def _close(request: web.Request) -> web.StreamResponse:
    """End the connection without another byte; the server cancels this handler once it is gone."""
    if request.transport is not None:
        request.transport.close()
    cancelled: asyncio.Future[web.StreamResponse] = asyncio.get_running_loop().create_future()
    return await cancelled
