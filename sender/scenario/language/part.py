"""What every piece of a scenario has in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pydantic import BaseModel, ConfigDict

if TYPE_CHECKING:
    from pydantic import GetJsonSchemaHandler
    from pydantic.json_schema import JsonSchemaValue
    from pydantic_core import CoreSchema


class Part(BaseModel):
    """A mapping in a scenario file: no unknown fields, no guessed types, nothing that changes later.

    ``example`` is how such a part is written, for messages. A ``bare`` one may be left empty, as in ``restart:``.
    """

    # Deferred: a part is validated as a part of its scenario, so a validator of its own would be built in vain.
    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", defer_build=True)

    example: ClassVar[str]
    bare: ClassVar[bool] = False

    @classmethod
    def short_forms(cls, _fields: JsonSchemaValue) -> list[JsonSchemaValue]:
        """Return the schemas of what may be written in place of the fields."""
        return [{"type": "null"}] if cls.bare else []

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        fields = handler(core_schema)
        short = cls.short_forms(fields)
        return {"description": fields.pop("description"), "anyOf": [*short, fields]} if short else fields
