"""The step that moves time (design §2)."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, ClassVar, Self

from pydantic import Field, model_validator
from typing_extensions import override

from sender.scenario.language.subject import AboutEvents
from sender.scenario.language.values import AttemptNumber, Duration, Moment, member

if TYPE_CHECKING:
    from pydantic.json_schema import JsonSchemaValue


class Until(StrEnum):
    """What an advance waits for, jumping from deadline to deadline."""

    IDLE = "idle"
    DELIVERED = "delivered"
    ATTEMPT = "attempt"


class Advance(AboutEvents):
    """Moves virtual time from deadline to deadline; ``advance: 16h`` is short for ``advance: {by: 16h}``."""

    example: ClassVar[str] = "advance: {until: idle}"

    by: Duration | None = Field(None, description="For how long.")
    to: Moment | None = Field(None, description="Up to an instant, or so long after the start of the story.")
    until: Annotated[Until, member(Until, "what an advance can wait for")] | None = Field(
        None,
        description="idle: no delivery is pending any more. delivered: the named events (all, when none is named) are "
        "delivered, failed or cancelled. attempt: the named events have had so many attempts, or will have no more.",
    )
    attempt: AttemptNumber | None = Field(None, description="until attempt: its number, from 1.")

    @model_validator(mode="before")
    @classmethod
    def _short_form(cls, data: object) -> object:
        return {"by": data} if isinstance(data, str) else data

    @model_validator(mode="after")
    def _possible(self) -> Self:
        given = [name for name in ("by", "to", "until") if getattr(self, name) is not None]
        if len(given) != 1:
            wrong = f"{' and '.join(given)} are too many" if given else "how far is not said"
            raise ValueError(f"{wrong}; give exactly one of by, to and until")
        if (self.attempt is None) is (self.until is Until.ATTEMPT):
            raise ValueError("until: attempt and attempt go together, as in {until: attempt, attempt: 3}")
        if self.until not in {Until.DELIVERED, Until.ATTEMPT} and (self.subject or self.event):
            what = self.subject.kind if self.subject else "event"
            raise ValueError(f"{what} belongs to until: delivered and until: attempt; leave it out")
        return self

    @classmethod
    @override
    def short_forms(cls, _fields: JsonSchemaValue) -> list[JsonSchemaValue]:
        return [_fields["properties"]["by"]]
