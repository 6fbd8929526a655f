"""Every error as an RFC 9457 problem document (contract §5.6), made in one place, whatever went wrong."""

from __future__ import annotations

import json
import secrets
import traceback
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from aiohttp import web

from sender.crash import Crashed
from sender.errors import SimError, StoreError
from sender.telemetry import Event
from sender.web.refusals import Invalid, RateLimited

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from aiohttp.typedefs import Middleware

    from sender.telemetry import Log

    Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

CONTENT_TYPE = "application/problem+json"
CODES_URL = "https://paymos.io/docs/errors/codes#"
_SERVER_ERRORS = 500
_LONGEST_PATH = 200
_CODES = {404: "not_found", 405: "method_not_allowed", 413: "body_too_large"}


def problem(status: int, code: str, detail: str, *, title: str | None = None, **more: Any) -> web.Response:
    """Return a problem document; ``more`` are further members, left out where they are empty.

    Non-ASCII characters are escaped, so that no text a caller sent can make the document unwritable.
    """
    document = {
        "type": CODES_URL + code,
        "title": title or HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
        "code": code,
        **{name: value for name, value in more.items() if value},
    }
    return web.Response(status=status, body=json.dumps(document).encode(), content_type=CONTENT_TYPE)


def make_problems(log: Log) -> Middleware:
    """Return the middleware that answers whatever a handler raises.

    A failure of the store is a 503. A crash that was armed for a command cuts the connection, as the death of a process
    would (design §6). Anything else unforeseen is a bug: a 500 without details, and a traceback in the log.
    """

    @web.middleware
    async def problems(request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            return await handler(request)
        except web.HTTPException as error:
            return _answered(request, error)
        except SimError as error:
            return _refused(error, log)
        except Crashed:
            return _cut(request)
        except Exception:  # noqa: BLE001 - whatever it is, it gets an answer
            trace_id = _trace_id()
            log.warning(
                Event.REQUEST_FAILED,
                method=request.method,
                path=request.path,
                trace_id=trace_id,
                traceback=traceback.format_exc(),
            )
            return problem(500, "internal", "the simulator has a bug; its log says more", trace_id=trace_id)

    return problems


def _refused(error: SimError, log: Log) -> web.Response:
    trace_id = _trace_id()
    if isinstance(error, StoreError):
        log.warning(Event.STORE_FAILED, error=str(error), trace_id=trace_id)
    response = problem(
        error.status,
        getattr(error, "reason_code", error.code),
        str(error),
        title=error.title(),
        field=getattr(error, "field", None),
        errors=[flaw._asdict() for flaw in error.flaws] if isinstance(error, Invalid) else None,
        trace_id=trace_id,
    )
    if isinstance(error, RateLimited):
        response.headers["Retry-After"] = str(error.retry_after)
    return response


def _answered(request: web.Request, error: web.HTTPException) -> web.StreamResponse:
    """Answer what aiohttp refuses: unknown paths, known ones with another method. A redirect is let through."""
    if error.status < HTTPStatus.BAD_REQUEST:
        raise error
    details = {
        404: f"there is nothing at {request.path[:_LONGEST_PATH]}",
        405: f"{request.method[:20]} is not possible here; use {error.headers.get('Allow', 'another method')}",
    }
    code = _CODES.get(error.status, "bad_request" if error.status < _SERVER_ERRORS else "internal")
    response = problem(error.status, code, details.get(error.status, error.reason), trace_id=_trace_id())
    if "Allow" in error.headers:
        response.headers["Allow"] = error.headers["Allow"]
    return response


def _cut(request: web.Request) -> web.Response:
    if request.transport is not None:
        request.transport.abort()
    return web.Response()  # goes nowhere: the connection is gone


def _trace_id() -> str:
    return secrets.token_hex(16)
