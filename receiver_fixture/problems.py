"""Errors as RFC 9457 problem documents, for whatever a handler raises."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from http import HTTPStatus

from aiohttp import web

from receiver_fixture.errors import Refused, StorageFailure

_log = logging.getLogger(__name__)

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def problem(status: int, code: str, detail: str) -> web.Response:
    """Make a problem document."""
    try:
        title = HTTPStatus(status).phrase
    except ValueError:
        title = f"Status {status}"
    document = {"type": "about:blank", "title": title, "status": status, "detail": detail, "code": code}
    return web.json_response(document, status=status, content_type="application/problem+json")


@web.middleware
async def problems(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Turn what a handler raises into a problem document; a failure of storage is a 500 without details."""
    try:
        return await handler(request)
    except Refused as refused:
        return problem(refused.status, refused.code, str(refused))
    except StorageFailure as failure:
        _log.warning("%s %s answered 500: the ledger cannot be used (%s)", request.method, request.path, failure)
        return problem(500, "storage_failed", "the event was not stored; send it again")
    except web.HTTPException as exception:
        answer = problem(exception.status, exception.reason.lower().replace(" ", "_"), exception.reason)
        if "Allow" in exception.headers:
            answer.headers["Allow"] = exception.headers["Allow"]
        return answer
