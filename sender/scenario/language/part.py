"""What every piece of a scenario has in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Self

from pydantic import BaseModel, ConfigDict, model_validator

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


class OneOf(Part):
    """A part that names exactly one thing; ``choices`` are the fields that can name it."""

    choices: ClassVar[tuple[str, ...]]

    @property
    def chosen(self) -> str:
        """The field that names it."""
        return self._named()[0]

    @property
    def name_of_chosen(self) -> str:
        """The name that stands in that field."""
        name: str = getattr(self, self.chosen)
        return name

    def _named(self) -> list[str]:
        return [field for field in self.choices if getattr(self, field) is not None]

    @model_validator(mode="after")
    def _names_one(self) -> Self:
        if len(self._named()) != 1:
            choices = f"{', '.join(self.choices[:-1])} and {self.choices[-1]}"
            raise ValueError(f"name exactly one of {choices}, as in {self.example}")
        return self
