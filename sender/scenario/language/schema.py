"""The JSON Schema of the language, from which editors complete and check a scenario while it is typed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pydantic.json_schema import GenerateJsonSchema
from typing_extensions import override

from sender.scenario.language.story import Scenario

if TYPE_CHECKING:
    from pydantic.json_schema import JsonSchemaValue
    from pydantic_core import core_schema

DIALECT = "http://json-schema.org/draft-07/schema#"
"""The dialect that every editor knows; nothing newer is needed."""


class _EditorSchema(GenerateJsonSchema):
    """Leaves out what only a program wants to know: generated titles, and null for what is left out."""

    @override
    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])

    @override
    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        default = schema.get("default")
        if default is None or not isinstance(default, str | int | bool):
            return self.generate_inner(schema["schema"])
        return super().default_schema(schema)

    @override
    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


def json_schema() -> dict[str, Any]:
    """Return the schema of a scenario file, as YAML editors read it."""
    schema = Scenario.model_json_schema(by_alias=True, schema_generator=_EditorSchema)
    return {"$schema": DIALECT, **schema, "title": "A paymos-sim scenario"}


def schema_text() -> str:
    """Return the contents of ``schedules/schema.json``."""
    return json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n"
