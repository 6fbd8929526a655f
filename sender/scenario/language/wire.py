"""The step that makes the network, or the sender's own sending, go wrong."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, ClassVar, Self

from pydantic import Field, model_validator

from sender.durations import MINUTE, format_duration
from sender.scenario.language.faults import On
from sender.scenario.language.part import Part
from sender.scenario.language.values import Times, kind, member, number, time_up_to, word
from sender.wire import readers

if TYPE_CHECKING:
    from collections.abc import Mapping


class WireFault(StrEnum):
    """What the network, or the sender's own sending, can do to one request."""

    LOSE_REQUEST = "lose_request"
    LOSE_RESPONSE = "lose_response"
    DROP = "drop"
    DELAY = "delay"
    REORDER = "reorder"
    DUPLICATE = "duplicate"
    BAD_SIGNATURE = "bad_signature"
    WRONG_SECRET = "wrong_secret"  # noqa: S105 - the name of a fault
    STALE_TIMESTAMP = "stale_timestamp"
    MISSING_HEADER = "missing_header"
    TAMPERED_BODY = "tampered_body"


OWN_FIELDS: Mapping[WireFault, tuple[str, ...]] = {
    WireFault.DELAY: ("by",),
    WireFault.REORDER: ("at_most",),
    WireFault.DUPLICATE: ("copies", "spacing", "ids"),
    WireFault.STALE_TIMESTAMP: ("age",),
    WireFault.MISSING_HEADER: ("header",),
}
"""The fields that belong to one fault alone."""
HEADERS = ("X-Webhook-Signature", "X-Webhook-Timestamp", "X-Webhook-Id", "Content-Type", "User-Agent")
"""The headers that the provider sends (contract §1.1), the one that is left out by default first."""

_AGE = {"type": "string", "pattern": r"^-?([0-9]+(\.[0-9]+)?(ms|s|m|h|d))+$", "examples": ["10m", "-10m"]}

Pause = Annotated[int, time_up_to(readers.LONGEST_PAUSE)]


class Wire(Part):
    """Makes the network, or the sender's own sending, go wrong."""

    example: ClassVar[str] = "wire: {fault: lose_response, on: {event: invoice.paid, attempt: 1}}"

    fault: Annotated[WireFault, member(WireFault, "a wire fault")] = Field(
        description="lose_request: it never arrives. lose_response: it arrives, the answer is lost. drop: somebody on "
        "the way answers 200 and passes nothing on. delay: it goes out late. reorder: it goes out after a later one "
        "about the same resource was answered. duplicate: it is sent several times in one attempt. bad_signature, "
        "wrong_secret: its signature does not fit. stale_timestamp: it is signed with an old timestamp. "
        "missing_header: a header is left out. tampered_body: the body is changed after signing."
    )
    on: On = Field(On(), description="Which attempt to wait for; the next when left out.")
    times: Times = Field(1, description="How often.")
    by: Pause | None = Field(None, description="delay: real time before it goes out; 1s when left out.")
    at_most: Pause | None = Field(
        None, description="reorder: real time after which it goes out though nothing overtook it; 2s when left out."
    )
    copies: Annotated[int, number(1, readers.MOST_COPIES, "a number of copies")] | None = Field(
        None, description="duplicate: how many more are sent; 1 when left out."
    )
    spacing: Annotated[int, time_up_to(MINUTE)] | None = Field(
        None, description="duplicate: real time from one to the next; 0 when left out."
    )
    ids: Annotated[str, word(readers.IDS, "a word for the ids of copies")] | None = Field(
        None, description="duplicate: whether a copy has the same X-Webhook-Id, or a new one; same when left out."
    )
    age: Annotated[int, kind(readers.age, **_AGE)] | None = Field(
        None, description="stale_timestamp: how old; 10m when left out. With a minus it lies in the future."
    )
    header: Annotated[str, word(HEADERS, "a header that the provider sends")] | None = Field(
        None, description="missing_header: which one; X-Webhook-Signature when left out."
    )

    @model_validator(mode="after")
    def _own_fields_only(self) -> Self:
        for fault, fields in OWN_FIELDS.items():
            wrong = [name for name in fields if fault is not self.fault and getattr(self, name) is not None]
            if wrong:
                raise ValueError(f"{self.fault} has no {wrong[0]}; only {fault} has")
        return self

    @property
    def params(self) -> dict[str, str]:
        """The fault's own fields as it is armed with them, as far as they are given."""
        given = {name: getattr(self, name) for name in OWN_FIELDS.get(self.fault, ())}
        return {name: _text(name, value) for name, value in given.items() if value is not None}


def _text(name: str, value: int | str) -> str:
    return format_duration(value) if isinstance(value, int) and name != "copies" else str(value)
