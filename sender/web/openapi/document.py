"""The OpenAPI document: one path item for each operation, schemas from the models that validate (contract §5.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sender import __version__
from sender.web.merchant.operation import Nothing
from sender.web.openapi.answers import ANSWERS, Schema, reference
from sender.web.openapi.requests import body_schema

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sender.providers.paymos_networks import Catalogue
    from sender.web.merchant.operation import Operation
    from sender.web.query import Query

COMMON = {
    400: "The request is not valid",
    401: "The request is not authenticated",
    403: "The key is of the wrong kind, or of the wrong environment",
    404: "There is no such thing",
    409: "The present state does not allow it",
    413: "The body is too large",
    415: "The body is not application/json in UTF-8",
    429: "Too many requests; Retry-After says when to ask again",
    503: "The database of the simulator failed",
}
EVERYWHERE = (400, 401, 403, 413, 429, 503)

_SECURITY = {
    "signature": {
        "type": "apiKey",
        "in": "header",
        "name": "Authorization",
        "description": "HMAC-SHA256 {key_id}:{base64 HMAC-SHA256 with the secret, over timestamp, method, path, query "
        "with its question mark and the SHA-256 of the body in hexadecimal, joined by line feeds}",
    },
    "timestamp": {
        "type": "apiKey",
        "in": "header",
        "name": "X-Request-Timestamp",
        "description": "Unix seconds of real time, at most five minutes off",
    },
}


def make_document(operations: Iterable[Operation], catalogue: Catalogue, url: str) -> Schema:
    """Return the document of a simulator that is reached at ``url``."""
    paths: dict[str, Schema] = {}
    schemas = dict(ANSWERS)
    for operation in operations:
        described = _operation(operation)
        if operation.body is not Nothing:
            schemas |= body_schema(operation.body, catalogue)
        paths.setdefault(operation.path, {})[operation.method.lower()] = described
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Paymos Merchant API, as paymos-sim answers it",
            "version": __version__,
            "description": "A local fake of the provider, for tests. No money moves.",
        },
        "servers": [{"url": url}],
        "security": [{name: [] for name in _SECURITY}],
        "paths": paths,
        "components": {"schemas": schemas, "securitySchemes": _SECURITY},
    }


def _operation(operation: Operation) -> Schema:
    described: Schema = {
        "operationId": operation.name,
        "summary": operation.summary,
        "description": _description(operation),
        "parameters": parameters(operation.path, operation.query),
        "responses": _responses(operation),
    }
    if operation.body is not Nothing:
        content = {"application/json": {"schema": reference(operation.body.__name__)}}
        described["requestBody"] = {"required": True, "content": content}
    return described


def _description(operation: Operation) -> str:
    key = f"Takes a {operation.key} key" if operation.key else "Takes any key"
    return f"{key} of the sandbox." if operation.sandbox else f"{key}."


def parameters(path: str, query: type[Query]) -> list[Schema]:
    """Return the parameters of an operation: the id in its path, and what its query takes."""
    schema = query.model_json_schema(ref_template="{model}")
    named = [
        {"name": name, "in": "query", "required": False, "schema": _inlined(member, schema.get("$defs", {}))}
        for name, member in schema.get("properties", {}).items()
    ]
    in_path = {"name": "id", "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}
    return [in_path, *named] if "{id}" in path else named


def _inlined(member: Any, definitions: Schema) -> Any:
    """Return a schema without references, and without the ``null`` that stands for an absent parameter."""
    if isinstance(member, list):
        return [_inlined(one, definitions) for one in member]
    if not isinstance(member, dict):
        return member
    if "$ref" in member:
        return _inlined(definitions[member["$ref"]], definitions)
    if "anyOf" in member:
        (only,) = [one for one in member["anyOf"] if one != {"type": "null"}]
        return _inlined(only, definitions)
    hidden = {"title", "default", "description"}
    return {name: _inlined(value, definitions) for name, value in member.items() if name not in hidden}


def _responses(operation: Operation) -> Schema:
    good = {200: "As it stands"} | ({201: "Created"} if operation.creates else {})
    documents = {"application/json": {"schema": reference(operation.answer)}}
    problems = {"application/problem+json": {"schema": reference("Problem")}}
    refusals = {*EVERYWHERE, *operation.refusals}
    if operation.has_id:
        refusals.add(404)
    if operation.method == "POST":
        refusals.add(415)
    return {
        **{str(status): {"description": words, "content": documents} for status, words in good.items()},
        **{str(status): {"description": COMMON[status], "content": problems} for status in sorted(refusals)},
    }
