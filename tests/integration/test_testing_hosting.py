"""Applications that the fixture serves: their own start and end, what they answer, and what they do when they fail."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import aiohttp
import pytest
from aiohttp import web
from fastapi import FastAPI, Request, Response

from sender.errors import UsageError
from sender.testing import Paymos as Simulator
from sender.testing.hosting import host, serve_here

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from sender.testing import Paymos


async def get(url: str, **options: Any) -> tuple[int, list[tuple[str, str]], bytes]:
    """Return what a GET is answered with: status, headers in lower case, body."""
    async with aiohttp.ClientSession() as session, session.get(url, **options) as answer:
        return answer.status, [(name.lower(), value) for name, value in answer.headers.items()], await answer.read()


async def test_an_asgi_application_sees_the_request_as_it_came() -> None:
    """Method, path, query, headers and body go in; status, repeated headers and the joined body come out."""
    seen: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            raise NotImplementedError
        seen.extend([scope, await receive()])
        headers = [(b"x-a", b"1"), (b"x-a", b"2"), (b"content-length", b"99")]
        await send({"type": "http.response.start", "status": 201, "headers": headers})
        await send({"type": "http.response.body", "body": b"on", "more_body": True})
        await send({"type": "http.response.body", "body": b"e"})
        seen.append(await receive())

    async with serve_here(app) as url:
        status, headers, body = await get(f"{url}/a%20b?q=%C3%A9", headers={"X-B": "3"}, data=b"in")
    assert (status, [value for name, value in headers if name == "x-a"], body) == (201, ["1", "2"], b"one")
    scope, message, last = seen
    assert (scope["method"], scope["path"], scope["raw_path"]) == ("GET", "/a b", b"/a%20b")
    assert (scope["query_string"], (b"x-b", b"3") in scope["headers"]) == (b"q=%C3%A9", True)
    assert (message["body"], last["type"]) == (b"in", "http.disconnect")


async def test_an_asgi_application_that_fails_answers_500(caplog: pytest.LogCaptureFixture) -> None:
    """As behind any server; the traceback is in the log of the test."""

    async def app(scope: Any, _receive: Any, _send: Any) -> None:
        if scope["type"] == "http":
            raise ValueError("the shop's own mistake")

    async with serve_here(app) as url:
        assert (await get(url))[0] == 500
    assert "the shop's own mistake" in caplog.text


async def test_an_application_starts_and_ends_with_its_server() -> None:
    """Its lifespan is kept, in either kind of place."""
    told: list[str] = []

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        told.append("up")
        yield
        told.append("down")

    async with serve_here(FastAPI(lifespan=lifespan)):
        assert told == ["up"]
    hosted = await asyncio.to_thread(host, FastAPI(lifespan=lifespan))
    await asyncio.to_thread(hosted.close)
    assert told == ["up", "down", "up", "down"]


def test_an_application_that_does_not_start_is_an_error(paymos: Paymos) -> None:
    """Its own reason is told, and nothing is left behind."""

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        raise OSError("no disk")
        yield

    with pytest.raises(RuntimeError, match=r"(?s)the startup of the receiver failed: .*no disk"):
        paymos.receiver(FastAPI(lifespan=lifespan))


def test_a_receiver_may_ask_the_api_while_it_starts_and_while_it_answers(paymos: Paymos) -> None:
    """Neither waits for the other: the simulator goes on while the application is at it."""
    answers: list[int] = []

    async def ask(base_url: str) -> None:
        answers.append((await get(f"{base_url}/v1/time"))[0])

    async def hook(request: web.Request) -> web.Response:
        await ask(paymos.base_url)
        return web.Response(status=204)

    async def start(_app: web.Application) -> None:
        await ask(paymos.base_url)

    app = web.Application()
    app.on_startup.append(start)
    app.router.add_post("/webhook", hook)
    paymos.receiver(app)
    paymos.cancel(paymos.create_invoice("10"))
    assert len(answers) == 2


def test_a_receiver_in_trouble_holds_nobody_up() -> None:
    """One that hangs costs the shortened timeout; the simulator ends all the same."""
    app = FastAPI()

    @app.post("/webhook")
    async def webhook(request: Request) -> Response:
        await asyncio.Event().wait()
        return Response()

    with Simulator(attempt_timeout="50ms") as simulator:
        simulator.receiver(app)
        simulator.cancel(invoice := simulator.create_invoice("10"))
        (delivery,) = simulator.deliveries(invoice)
    assert delivery.reasons == ["timeout"]


def test_what_is_closed_says_so() -> None:
    """A call after the end, or before the start, is refused in a sentence."""
    simulator = Simulator()
    with pytest.raises(UsageError, match="closed, or was not started"):
        simulator.now()
    with simulator:
        simulator.now()
    with pytest.raises(UsageError, match="closed, or was not started"):
        simulator.now()
