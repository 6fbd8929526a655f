"""Bodies and queries as pydantic models: the building blocks, and their complaints in the provider's form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic_core import PydanticCustomError

from sender.domain.money import parse_decimal
from sender.domain.text import can_travel
from sender.errors import RequestRefused
from sender.suggest import remedy, shown
from sender.web.refusals import Flaw, Invalid

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic_core import ErrorDetails

MOST_FLAWS = 20
"""How many flaws an answer lists; a body can have as many as it has bytes."""

_WORDS = {
    "string_type": "must be a string",
    "int_type": "must be a whole number",
    "bool_type": "must be true or false",
    "list_type": "must be a list",
    "dict_type": "must be an object",
    "model_type": "must be an object",
}


class Fields(BaseModel):
    """Members of a body or a query: nothing is converted, nothing unknown is taken.

    No source says what the provider does with unknown members of a body; of a query it refuses them (contract §5.5).
    Refusing both shows a misspelt optional member at once, where ignoring it would test something else. A model is
    built when it is first used, so that a start does not wait for twenty of them.
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)


def _travels(text: str) -> str:
    if not can_travel(text):
        raise PydanticCustomError("field_invalid", "must not hold a NUL or half a surrogate pair; neither is text")
    return text


def _is_not_blank(text: str) -> str:
    if not text.strip():
        raise PydanticCustomError("field_required", "must not be blank")
    return text


def _is_amount(text: str) -> str:
    try:
        amount = parse_decimal(text)
    except RequestRefused as error:
        raise PydanticCustomError("field_invalid_amount", "{reason}", {"reason": str(error)}) from None
    if not amount:
        raise PydanticCustomError("field_invalid_amount", "must be more than zero")
    return text


def _is_whole(number: object) -> object:
    return int(number) if isinstance(number, float) and number.is_integer() else number


whole = BeforeValidator(_is_whole)
"""Makes an integer take what JSON counts among them too: a number with a point and zeros behind it."""

Text = Annotated[str, AfterValidator(_travels), Field(json_schema_extra={"pattern": "^[^\\u0000]*$"})]
"""Text that a database and a body can carry."""

Words = Annotated[
    str,
    AfterValidator(_travels),
    AfterValidator(_is_not_blank),
    Field(json_schema_extra={"pattern": "^[^\\u0000]*[^\\u0000\\s][^\\u0000]*$"}),
]
"""Text with something in it."""

Amount = Annotated[str, AfterValidator(_is_amount)]
"""Money as it is written on the wire, more than zero; how fine it may be depends on the currency."""

M = TypeVar("M", bound=BaseModel)


def checked(model: type[M], members: Mapping[str, Any], context: object = None) -> M:
    """Return the members as ``model``, whose validators see ``context``. Raises ``Invalid`` with up to twenty flaws."""
    try:
        return model.model_validate(members, context=context)
    except ValidationError as error:
        details = error.errors(include_url=False, include_input=False)[:MOST_FLAWS]
        raise Invalid([_flaw(model, one) for one in details]) from None


def _flaw(model: type[BaseModel], detail: ErrorDetails) -> Flaw:
    kind = detail["type"]
    field = ".".join(str(part) for part in detail["loc"])
    if kind == "missing":
        return Flaw("field_required", field, "Required.")
    if kind == "extra_forbidden":
        name = shown(str(detail["loc"][-1]))
        return Flaw("field_unknown", name[1:-1], f"there is no {name} here; {_remedy(model, name[1:-1])}")
    if kind == "validation_failed":  # whole sentences of the provider's own
        return Flaw(kind, field, detail["msg"])
    code = kind if kind.startswith("field_") else "field_invalid"
    return Flaw(code, field, f"{field} {_WORDS.get(kind) or _words(detail['msg'])}")


def _remedy(model: type[BaseModel], name: str) -> str:
    return remedy(name, model.model_fields) if model.model_fields else "it takes no members"


def _words(message: str) -> str:
    return message.replace("Input should be", "must be").replace("String should", "must").replace("List should", "must")
