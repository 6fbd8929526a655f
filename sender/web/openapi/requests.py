"""Schemas of bodies: what the models say, and what the catalogue of currencies and networks adds to it."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from sender.domain.money import MAX_DIGITS, scale_of
from sender.web.merchant.bodies import PairBody

if TYPE_CHECKING:
    from sender.providers.paymos_networks import Catalogue
    from sender.web.openapi.answers import Schema
    from sender.web.validation import Fields

_NAMED = {"currency", "network"}


def body_schema(model: type[Fields], catalogue: Catalogue) -> dict[str, Schema]:
    """Return the schemas of a body and of what it refers to, by name."""
    schema = _untitled(model.model_json_schema(ref_template="#/components/schemas/{model}"))
    definitions: dict[str, Schema] = schema.pop("$defs", {})
    if "currency" in schema["properties"]:
        properties = schema["properties"]
        schema["anyOf"] = _variants(properties, catalogue, only_tokens=issubclass(model, PairBody))
        # Each variant names every value there is, which is all that has to be said of them.
        schema["properties"] = {name: {} if name in _NAMED else member for name, member in properties.items()}
    return {**definitions, model.__name__: schema}


def amount_pattern(scale: int) -> str:
    """Return what an amount looks like that is more than zero and no finer than ``scale`` decimals."""
    decimals = r"(\.0+)?" if scale == 0 else rf"(\.[0-9]{{1,{scale}}}0*)?"
    return rf"^(?=.*[1-9])(?=([0-9]\.?){{1,{MAX_DIGITS}}}$)[0-9]+{decimals}$"


def _variants(properties: Schema, catalogue: Catalogue, *, only_tokens: bool) -> list[Schema]:
    """Return a schema for each group of currencies that have their scale and their networks in common."""

    def kind(currency: str) -> tuple[int, tuple[str, ...]]:
        own = tuple(rail for token, rail in catalogue.contracts if token == currency)
        return scale_of(currency), own or (() if only_tokens else tuple(catalogue.networks))

    currencies = sorted(catalogue.per_usd, key=kind)
    groups = [(key, list(group)) for key, group in groupby(currencies, kind) if key[1]]
    return [_variant(properties, scale, networks, group) for (scale, networks), group in groups]


def _variant(properties: Schema, scale: int, networks: tuple[str, ...], currencies: list[str]) -> Schema:
    members: Schema = {"currency": {"enum": currencies}}
    if "amount" in properties:
        members["amount"] = {"pattern": amount_pattern(scale)}
    if "network" in properties:
        optional = "anyOf" in properties["network"]
        members["network"] = {"enum": [*networks, None] if optional else list(networks)}
    return {"properties": members}


def _untitled(schema: Any) -> Any:
    """Return a schema without the titles and defaults that pydantic makes of names."""
    if isinstance(schema, list):
        return [_untitled(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    return {name: _member(name, value) for name, value in schema.items() if name not in {"title", "default"}}


def _member(name: str, value: Any) -> Any:
    if name in {"properties", "$defs"}:  # what stands below is named by us, not by JSON Schema
        return {key: _untitled(one) for key, one in value.items()}
    return value.replace("``", "`") if name == "description" else _untitled(value)
