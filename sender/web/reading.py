"""What comes in, made plain: the target as it was sent, the body's bytes, and strict JSON from them."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any, NoReturn

from aiohttp import web

from sender.suggest import shown
from sender.web.refusals import Flaw, Invalid, NotJson, TooLarge

if TYPE_CHECKING:
    from collections.abc import Sequence

LARGEST_BODY = 1024 * 1024


async def read_body(request: web.Request) -> bytes:
    """Return the body as it came. Raises ``TooLarge``, and ``NotJson`` for one that is compressed."""
    if "Content-Encoding" in request.headers:
        raise NotJson("a body is taken as it is; send it without Content-Encoding")
    if (request.content_length or 0) > LARGEST_BODY:
        raise _too_large()
    try:
        return await request.read() if request.body_exists else b""
    except web.HTTPRequestEntityTooLarge:
        raise _too_large() from None
    except (web.RequestPayloadError, ConnectionError) as error:
        raise _malformed("the body did not come whole") from error


def target_of(request: web.Request) -> tuple[str, str]:
    """Return path and query as they were sent; the query with its question mark, or empty (contract §5.1)."""
    target = request.raw_path
    if not target.startswith("/"):  # the absolute form, which proxies are sent
        rest = target.partition("://")[2]
        target = rest[rest.find("/") :] if "/" in rest else "/"
    path, mark, query = target.partition("?")
    return path, mark + query


def json_object(request: web.Request, body: bytes) -> dict[str, Any]:
    """Return a body as a JSON object; nothing at all is an empty one.

    Raises ``NotJson`` for another media type, and ``Invalid`` for what is not one JSON object in UTF-8 with each key
    once.
    """
    if not body:
        return {}
    charset = (request.charset or "utf-8").lower()
    if request.content_type != "application/json" or charset not in {"utf-8", "utf8"}:
        raise NotJson("send the body as application/json in UTF-8")
    document = _parsed(body)
    if not isinstance(document, dict):
        raise _malformed("the body is JSON, but not an object")
    return document


def _parsed(body: bytes) -> Any:
    try:
        return json.loads(body.decode(), object_pairs_hook=_object, parse_constant=_no_constant)
    except UnicodeDecodeError as error:
        raise _malformed(f"the body is not UTF-8 at byte {error.start}") from None
    except json.JSONDecodeError as error:
        raise _malformed(f"the body is not JSON at line {error.lineno}, column {error.colno}: {error.msg}") from None
    except RecursionError:
        raise _malformed("the body is nested too deeply") from None
    except ValueError:
        raise _malformed("the body holds a number with too many digits") from None


def _object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) == len(pairs):
        return members
    ((twice, _),) = Counter(name for name, _ in pairs).most_common(1)
    raise _malformed(f"the body has the key {shown(twice)} more than once")


def _no_constant(name: str) -> NoReturn:
    raise _malformed(f"the body holds {name}, which JSON does not have")


def _too_large() -> TooLarge:
    return TooLarge(f"a body may have {LARGEST_BODY} bytes")


def _malformed(message: str) -> Invalid:
    return Invalid([Flaw("malformed_json", "", message)])
