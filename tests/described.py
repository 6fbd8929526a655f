"""The OpenAPI documents of the merchant API and of the control API, held against answers."""

from __future__ import annotations

import json
import re
from functools import cache
from types import SimpleNamespace
from typing import Any, cast

from jsonschema_rs import Draft202012Validator

from sender.clock import Clock
from sender.providers.paymos import Paymos
from sender.web.control.api import ControlApi
from sender.web.control.description import control_document
from sender.web.merchant.api import Memory, merchant_operations
from sender.web.openapi.document import make_document

Validator = Draft202012Validator


_NOBODY: Any = SimpleNamespace(
    runtime=SimpleNamespace(clock=None),
    database=None,
    profile=Paymos(),
    invoices=None,
    withdrawals=None,
    channels=None,
    subscriptions=None,
    merchant=None,
    resetting=None,
    runs=None,
    traffic=None,
    check_wire_fault=None,
)
"""No simulator is needed to describe what one answers."""


@cache
def document() -> dict[str, Any]:
    """Return the document of the merchant API."""
    return make_document(merchant_operations(_NOBODY, Memory(Clock())), Paymos().catalogue, "/")


@cache
def described_control() -> dict[str, Any]:
    """Return the document of the control API."""
    return control_document(ControlApi(_NOBODY, lambda: None).calls, Paymos().catalogue, "/")


def check_answer(method: str, target: str, status: int, content_type: str, raw: bytes) -> None:
    """Fail for an answer of an operation that the document does not allow; let answers of anything else be."""
    path = target.partition("?")[0]
    whole = described_control() if path.startswith("/_sim/") else document()
    operation = _operation(whole, method, path)
    if operation is not None:
        response = operation["responses"].get(str(status))
        assert response is not None, f"{method} {target} answers {status}, which is not described: {raw!r}"
        media_type = content_type.partition(";")[0]
        content = response.get("content", {}).get(media_type)
        assert content is not None or not raw, f"{method} {target} answers {content_type}"
        if content is not None and media_type.endswith("json"):
            _validator(whole["info"]["title"], content["schema"]["$ref"]).validate(json.loads(raw))


def _operation(whole: dict[str, Any], method: str, path: str) -> dict[str, Any] | None:
    for template, item in whole["paths"].items():
        if re.fullmatch(template.replace("{id}", "[^/]+"), path) and method.lower() in item:
            return cast("dict[str, Any]", item[method.lower()])
    return None


@cache
def _validator(title: str, reference: str) -> Validator:
    (whole,) = [each for each in (document(), described_control()) if each["info"]["title"] == title]
    return Validator({"$ref": reference, "components": whole["components"]}, validate_formats=True)
