"""The OpenAPI document of the merchant API, held against answers."""

from __future__ import annotations

import json
import re
from functools import cache
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

from jsonschema_rs import Draft202012Validator

from sender.providers.paymos import Paymos
from sender.web.merchant.api import merchant_operations
from sender.web.openapi.document import make_document

if TYPE_CHECKING:
    from sender.web.parts import Parts

Validator = Draft202012Validator


@cache
def document() -> dict[str, Any]:
    """Return the document; no simulator is needed to describe what one answers."""
    nobody = SimpleNamespace(
        runtime=SimpleNamespace(clock=None),
        database=None,
        profile=Paymos(),
        invoices=None,
        withdrawals=None,
        channels=None,
    )
    return make_document(merchant_operations(cast("Parts", nobody)), Paymos().catalogue, "/")


def check_answer(method: str, target: str, status: int, content_type: str, raw: bytes) -> None:
    """Fail for an answer of an operation that the document does not allow; let answers of anything else be."""
    operation = _operation(method, target.partition("?")[0])
    if operation is not None:
        response = operation["responses"].get(str(status))
        assert response is not None, f"{method} {target} answers {status}, which is not described: {raw!r}"
        content = response["content"].get(content_type.partition(";")[0])
        assert content is not None, f"{method} {target} answers {content_type}"
        _validator(content["schema"]["$ref"]).validate(json.loads(raw))


def _operation(method: str, path: str) -> dict[str, Any] | None:
    for template, item in document()["paths"].items():
        if re.fullmatch(template.replace("{id}", "[^/]+"), path) and method.lower() in item:
            return cast("dict[str, Any]", item[method.lower()])
    return None


@cache
def _validator(reference: str) -> Validator:
    return Validator({"$ref": reference, "components": document()["components"]}, validate_formats=True)
