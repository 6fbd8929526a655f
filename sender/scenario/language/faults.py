"""Steps that make something go wrong: the sender dies, the receiver answers badly."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, ClassVar, Self

from pydantic import Field, model_validator
from typing_extensions import override

from sender.durations import HOUR
from sender.scenario.language.part import Part
from sender.scenario.language.values import (
    AttemptNumber,
    CrashPoint,
    EventType,
    Flag,
    Name,
    Times,
    member,
    number,
    time_up_to,
)
from sender.suggest import shown

if TYPE_CHECKING:
    from pydantic.json_schema import JsonSchemaValue


class ReceiverFault(StrEnum):
    """What the reference receiver can do in place of a plain answer."""

    TIMEOUT = "timeout"
    RESET = "reset"
    CLOSE = "close"
    SLOW_CLOSE = "slow_close"
    REDIRECT = "redirect"
    HUGE_BODY = "huge_body"
    GARBAGE = "garbage"


_NO_STATUS = frozenset({ReceiverFault.TIMEOUT, ReceiverFault.RESET, ReceiverFault.CLOSE, ReceiverFault.GARBAGE})
_REDIRECTS = range(300, 400)


class On(Part):
    """Which delivery a fault waits for; what is left out fits every one."""

    example: ClassVar[str] = "on: {event: invoice.paid}"

    event: EventType | None = Field(None, description="The type of the event.")
    attempt: AttemptNumber | None = Field(None, description="The number of the attempt, from 1.")
    endpoint: Name | None = Field(None, description="The endpoint, by its name.")


class Crash(Part):
    """Kills the sender at a named instant; it is started again and goes on from what is recorded.

    At a ``dispatch`` point it is the API that dies: its client sees an error, and the step is repeated with the same
    order id. ``on: {event: invoice.paid}`` then waits for the transaction that would announce that event.
    """

    example: ClassVar[str] = "crash: {at: relay.after_send, on: {event: invoice.paid}}"

    at: CrashPoint = Field(description="The instant.")
    on: On = Field(On(), description="What to wait for; the next event when left out.")
    times: Times = Field(1, description="How often.")

    @model_validator(mode="after")
    def _possible(self) -> Self:
        if self.at.startswith("dispatch.") and (self.on.attempt or self.on.endpoint):
            raise ValueError(f"{self.at} precedes every attempt; keep the event only, as in {On.example}")
        return self


class Restart(Part):
    """Stops the relay and starts it again."""

    example: ClassVar[str] = "restart:"
    bare: ClassVar[bool] = True


class Receiver(Part):
    """Scripts the reference receiver: how it answers from now on. ``receiver: ok`` forgets every script.

    Scripts are used in the order of the steps, each ``times`` times or for ever. A delivery that is answered with 2xx
    is handled as usual; any other is not, unless ``handled`` says so.
    """

    example: ClassVar[str] = "receiver: {status: 500, times: 3, event: invoice.paid}"

    status: Annotated[int, number(200, 599, "a final HTTP status")] | None = Field(None, description="The HTTP status.")
    delay: Annotated[int, time_up_to(HOUR)] | None = Field(
        None,
        description="Real time before the answer; of slow_close, between the answer and the end of the connection.",
    )
    fault: Annotated[ReceiverFault, member(ReceiverFault, "a fault of the receiver")] | None = Field(
        None,
        description="timeout: never answers. reset, close: ends the connection unanswered. slow_close: answers and "
        "keeps the connection open. redirect: to itself. huge_body: 10 MiB. garbage: something that is not HTTP.",
    )
    times: Times | None = Field(None, description="How many deliveries are answered like this; all when left out.")
    event: EventType | None = Field(None, description="Only deliveries of this event.")
    handled: Flag | None = Field(
        None, description="Whether the delivery is handled before it is answered; when left out, if the answer is 2xx."
    )

    @property
    def forgets(self) -> bool:
        """Whether this is ``receiver: ok``."""
        return self.status is None and self.delay is None and self.fault is None

    @model_validator(mode="before")
    @classmethod
    def _short_form(cls, data: object) -> object:
        if data in ("ok", "clear"):
            return {}
        if isinstance(data, str):
            raise ValueError(f"{shown(data)} is no answer; write receiver: ok, or fields, as in {cls.example}")  # noqa: TRY004 - pydantic's rule
        if isinstance(data, dict) and not data.keys() & {"status", "delay", "fault"}:
            raise ValueError(
                f"no answer is given; name status, delay or fault, as in {cls.example}, or write receiver: ok"
            )
        return data

    @model_validator(mode="after")
    def _possible(self) -> Self:
        if self.fault in _NO_STATUS and self.status is not None:
            raise ValueError(f"{self.fault} sends no status; leave status out")
        if self.fault is ReceiverFault.SLOW_CLOSE and not self.delay:
            raise ValueError("slow_close needs delay: how long the connection stays open, as in delay: 5s")
        if self.fault is ReceiverFault.REDIRECT and self.status not in {None, *_REDIRECTS}:
            raise ValueError("a redirect has a status from 300 to 399; leave status out for 307")
        return self

    @classmethod
    @override
    def short_forms(cls, _fields: JsonSchemaValue) -> list[JsonSchemaValue]:
        return [{"enum": ["ok", "clear"]}]
