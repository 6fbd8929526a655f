"""The OpenAPI document of the control API, made of its calls as that of the merchant API is of its operations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sender import __version__
from sender.web.control.door import PREFIX
from sender.web.control.replays import HEADER
from sender.web.control.schemas import CONTROL_ANSWERS
from sender.web.openapi.answers import reference
from sender.web.openapi.document import COMMON, parameters
from sender.web.openapi.requests import body_schema

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sender.providers.paymos_networks import Catalogue
    from sender.web.control.call import Call
    from sender.web.openapi.answers import Schema

_GOOD = {200: "As it stands", 201: "Created", 202: "Accepted", 204: "Done"}
_EVERYWHERE = (400, 401, 403, 413, 415, 503)
_ONCE: Schema = {
    "name": HEADER,
    "in": "header",
    "required": False,
    "schema": {"type": "string", "minLength": 1, "maxLength": 200, "pattern": "^[!-~]+$"},
    "description": "A call made again under the same key is answered as the first one, and carried out once",
}


def control_document(calls: Iterable[Call], catalogue: Catalogue, url: str) -> Schema:
    """Return the document of a simulator that is reached at ``url``."""
    paths: dict[str, Schema] = {}
    schemas = dict(CONTROL_ANSWERS)
    for call in calls:
        if call.body is not None:
            schemas |= body_schema(call.body, catalogue)
        paths.setdefault(PREFIX + call.path, {})[call.method.lower()] = _described(call)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Control API of paymos-sim",
            "version": __version__,
            "description": "Sees and steers the simulator itself. What the dashboard does, a script can do.",
        },
        "servers": [{"url": url}],
        "security": [{}, {"token": []}],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _described(call: Call) -> Schema:
    described: Schema = {
        "operationId": call.name,
        "summary": call.summary,
        "parameters": [*parameters(call.path, call.query), *([] if call.method == "GET" else [_ONCE])],
        "responses": _responses(call),
    }
    if call.body is not None:
        content = {"application/json": {"schema": reference(call.body.__name__)}}
        described["requestBody"] = {"required": False, "content": content}
    return described


def _responses(call: Call) -> Schema:
    problems = {"application/problem+json": {"schema": reference("Problem")}}
    refusals = {*_EVERYWHERE, *call.refusals, *([404] if "{id}" in call.path else [])}
    return {
        str(call.status): _good(call),
        **{str(status): {"description": COMMON[status], "content": problems} for status in sorted(refusals)},
        # The one answer that tells of a failure in the document of a success.
        **({"503": _good(call)} if call.open else {}),
    }


def _good(call: Call) -> Schema:
    words = _GOOD[call.status]
    if call.answer is not None:
        return {"description": words, "content": {"application/json": {"schema": reference(call.answer)}}}
    if call.content:
        return {"description": words, "content": {call.content: {"schema": {"type": "string"}}}}
    return {"description": words}
