"""The kinds of value that a field can have: each is a reader and a JSON Schema for editors.

Editors see the types that YAML guesses, so ``attempts: 1`` is a number for the schema and the text ``1`` for the
reader; the schemas take both.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from pydantic import BeforeValidator, SecretStr
from pydantic_core import CoreSchema, core_schema

from sender import crash, durations
from sender.domain import channel, delivery, deposit, endpoint, invoice, ladder, sandbox, withdrawal
from sender.domain.invoice_rules import CLIENT_ID_MAX, EXTERNAL_ID_MAX, PERCENT_MAX, REASON_MAX
from sender.domain.withdrawal_transitions import ADDRESS_MAX
from sender.errors import RequestRefused, UsageError
from sender.ladderfile import load_ladder
from sender.scenario.language import readers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from enum import StrEnum
    from pathlib import Path

    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler, ValidationInfo
    from pydantic.json_schema import JsonSchemaValue

T = TypeVar("T")

INVOICE_EVENTS = tuple(
    f"invoice.{status}" for status in invoice.InvoiceStatus if status is not invoice.InvoiceStatus.AWAITING_CLIENT
)
"""The eight invoice events: every status but the first is announced (contract §2.2)."""
WITHDRAWAL_EVENTS = tuple(
    f"withdrawal.{what}" for what in ("created", "processing", "completed", "failed", "cancelled")
)
"""The five withdrawal events (contract §2.3)."""
DEPOSIT_EVENTS = tuple(f"payment_channel.deposit.{status}" for status in deposit.DepositStatus)
"""The three deposit events (contract §2.4)."""
EVENTS_OF = {"invoice": INVOICE_EVENTS, "withdrawal": WITHDRAWAL_EVENTS, "deposit": DEPOSIT_EVENTS}
"""The events that tell of each kind of resource; nothing tells of a channel."""
EVENTS = tuple(event for events in EVENTS_OF.values() for event in events)
NETWORKS = (
    *("TRC20", "ERC20", "BEP20", "POLYGON", "ARBITRUM", "OPTIMISM", "BASE"),
    *("TON", "AVAX", "SOL", "NEAR", "SUI", "PLASMA"),
)
"""The provider's networks (contract §6)."""
MAX_ENTRIES = 1_000
MAX_SEED = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a file is read in: the directory that its paths are relative to, and the variables that it may name.

    Without ``environ`` the names of variables stay as they are, so that a file can be checked where they are not set.
    """

    directory: Path | None = None
    environ: Mapping[str, str] | None = None


@dataclass(frozen=True)
class Kind:
    """Makes a type into a kind of value: its reader takes the typed text and what the file is read in."""

    read: Callable[[str, Surroundings], object]
    schema: JsonSchemaValue = field(hash=False)

    def validate(self, value: object, info: ValidationInfo) -> object:
        """Return the value that is meant; ``ValueError`` says what is wrong with it."""
        around = info.context if isinstance(info.context, Surroundings) else Surroundings()
        try:
            return self.read(readers.typed(value), around)
        except (UsageError, RequestRefused) as error:
            raise ValueError(str(error)) from None

    def __get_pydantic_core_schema__(self, _source: object, _handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.with_info_plain_validator_function(self.validate)

    def __get_pydantic_json_schema__(self, _core: CoreSchema, _handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return dict(self.schema)


def kind(read: Callable[[str], object], **schema: Any) -> Kind:
    """Return the kind that a reader makes; ``schema`` is what editors check."""
    return Kind(lambda typed, _around: read(typed), schema)


def word(words: Iterable[str], what: str) -> Kind:
    """Return the kind that is one of some words."""
    known = list(words)
    return kind(readers.one_of(known, what), enum=known)


def member(enum: type[StrEnum], what: str) -> Kind:
    """Return the kind that is a member of an enum, written as its value."""
    return kind(readers.member(enum, what), enum=[item.value for item in enum])


def number(lowest: int, highest: int, what: str) -> Kind:
    """Return the kind that is a whole number in plain digits."""
    return kind(readers.whole(lowest, highest, what), **_digits(lowest, highest))


def time_up_to(longest: durations.Duration) -> Kind:
    """Return the kind that is a duration of real time, which somebody has to wait for."""
    return kind(readers.up_to(longest), anyOf=[_TIME, _ZERO])


def _digits(lowest: int, highest: int) -> JsonSchemaValue:
    return {"type": ["integer", "string"], "minimum": lowest, "maximum": highest, "pattern": "^(0|[1-9][0-9]*)$"}


def _text(longest: int) -> Kind:
    return kind(readers.text(longest), type=["string", "number", "boolean"], minLength=1, maxLength=longest)


def _form(pattern: str, sentence: str) -> Kind:
    return kind(readers.matching(re.compile(pattern), sentence), type="string", pattern=f"^{pattern}$")


def _or_none(read: Callable[[str], object], schema: JsonSchemaValue) -> Kind:
    return kind(readers.or_none(read), anyOf=[schema, {"const": readers.NONE}])


def _as_tuple(value: object) -> object:
    if not isinstance(value, list):
        raise ValueError("this must be a list, as in [a, b]")  # noqa: TRY004 - what pydantic turns into a complaint
    if len(value) > MAX_ENTRIES:
        raise ValueError(f"{len(value)} entries are too many; at most {MAX_ENTRIES} are right")
    return tuple(value)


_ZERO: JsonSchemaValue = {"const": 0}
_TIME: JsonSchemaValue = {
    "type": "string",
    "pattern": r"^(0|([0-9]+(\.[0-9]+)?(ms|s|m|h|d))+)$",
    "examples": ["90s", "1h30m"],
}
_ISO: JsonSchemaValue = {
    "type": "string",
    "pattern": r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+(Z|[+-][0-9]{2}:[0-9]{2})$",
    "examples": ["2026-03-01T09:00:00Z"],
}
_URL: JsonSchemaValue = {"type": "string", "minLength": 1, "examples": [readers.EXAMPLE_URL, "${env:RECEIVER_URL}"]}
_SECRET: JsonSchemaValue = {"type": "string", "minLength": 1, "examples": ["${env:WEBHOOK_SECRET}"]}

Many = Annotated[tuple[T, ...], BeforeValidator(_as_tuple)]
"""A list of values."""

Name = Annotated[
    str, _form("[A-Za-z][A-Za-z0-9_-]{0,63}", "a name; write a letter, then letters, digits, - or _, as in order-1")
]
Text = Annotated[str, _text(readers.MAX_TEXT)]
About = Annotated[str, _text(readers.MAX_PARAGRAPH)]
OrderId = Annotated[str, _text(EXTERNAL_ID_MAX)]
ClientId = Annotated[str, _text(CLIENT_ID_MAX)]
CancelReason = Annotated[str, _text(REASON_MAX)]
Project = Annotated[str, _form("prj_[0-9A-Za-z]{1,40}", "a project; write prj_ and its letters and digits")]
Currency = Annotated[str, _form("[A-Z][A-Z0-9]{2,9}", "a currency; write capital letters, as in USD or USDT")]
Network = Annotated[str, word(NETWORKS, "a network")]
Address = Annotated[str, _text(ADDRESS_MAX)]
EventType = Annotated[str, word(EVENTS, "an event")]
Category = Annotated[str, word(endpoint.CATEGORIES, "a category of events")]
CrashPoint = Annotated[crash.CrashPoint, member(crash.CrashPoint, "a crash point")]
State = Annotated[delivery.DeliveryState, member(delivery.DeliveryState, "the state of a delivery")]
InvoiceStatus = Annotated[invoice.InvoiceStatus, member(invoice.InvoiceStatus, "the status of an invoice")]
WithdrawalStatus = Annotated[
    withdrawal.WithdrawalStatus, member(withdrawal.WithdrawalStatus, "the status of a withdrawal")
]
DepositStatus = Annotated[deposit.DepositStatus, member(deposit.DepositStatus, "the status of a deposit")]
ChannelStatus = Annotated[channel.ChannelStatus, member(channel.ChannelStatus, "the status of a channel")]
OrderStatus = Annotated[str, word([*invoice.InvoiceStatus, readers.NONE], "the status of an order")]
EndpointStatus = Annotated[endpoint.EndpointStatus, member(endpoint.EndpointStatus, "the status of an endpoint")]
Stage = Annotated[sandbox.Stage, kind(readers.stage, enum=[item.value for item in readers.PAYING])]
Money = Annotated[
    Decimal, kind(readers.money, type=["string", "number"], pattern=r"^[0-9]+(\.[0-9]+)?$", exclusiveMinimum=0)
]
Count = Annotated[int, number(0, 1_000_000, "a count")]
Percent = Annotated[int, number(0, PERCENT_MAX, "a percentage")]
Times = Annotated[int, number(1, 1_000, "a number of times")]
Shown = Annotated[str, kind(readers.text(), type=["string", "number", "boolean"])]
AttemptNumber = Annotated[int, number(1, 1_000, "the number of an attempt")]
Seed = Annotated[int, number(0, MAX_SEED, "a seed")]
StatusOrNone = Annotated[int | None, _or_none(readers.whole(100, 999, "an HTTP status, nor none"), _digits(100, 999))]
ReasonOrNone = Annotated[
    delivery.Reason | None,
    _or_none(readers.member(delivery.Reason, "a reason, nor none"), {"enum": [item.value for item in delivery.Reason]}),
]
Flag = Annotated[bool, kind(readers.flag, enum=[True, False, "true", "false"])]
Duration = Annotated[durations.Duration, kind(durations.parse_duration, anyOf=[_TIME, _ZERO])]
RealTime = Annotated[durations.Duration, time_up_to(durations.HOUR)]
SomeTime = Annotated[durations.Duration, kind(readers.some_time, **_TIME)]
Instant = Annotated[durations.Instant, kind(durations.parse_instant, **_ISO)]
Moment = Annotated[readers.Moment, kind(readers.moment, anyOf=[_TIME, _ISO, _ZERO])]
ClockMode = Annotated[
    str, kind(readers.clock_mode, type="string", pattern=r"^(real|manual|skip|scale:[0-9]+(\.[0-9]+)?)$")
]
Url = Annotated[str, Kind(lambda typed, around: readers.url(typed, around.environ), _URL)]
Secret = Annotated[SecretStr, Kind(lambda typed, around: SecretStr(readers.secret(typed, around.environ)), _SECRET)]
Ladder = Annotated[
    ladder.Ladder,
    Kind(lambda typed, around: load_ladder(typed, base=around.directory), {"type": "string", "minLength": 1}),
]
