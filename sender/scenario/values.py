"""The kinds of value that a field can have: each is a reader and a JSON Schema for editors.

Editors see the types that YAML guesses, so ``attempts: 1`` is a number for the schema and the text ``1`` for the
reader; the schemas take both.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Annotated, Any, TypeVar, TYPE_CHECKING

from pydantic import BeforeValidator, GetCoreSchemaHandler, GetJsonSchemaHandler, SecretStr, ValidationInfo
from pydantic_core import CoreSchema, core_schema

from sender import crash, durations
from sender.domain import delivery, endpoint, invoice, ladder, sandbox
from sender.domain.invoice_rules import CLIENT_ID_MAX, EXTERNAL_ID_MAX, REASON_MAX
from sender.errors import RequestRefused, UsageError
from sender.ladderfile import load_ladder
from sender.scenario import readers

if TYPE_CHECKING:
    from pydantic.json_schema import JsonSchemaValue
    from pathlib import Path
    from collections.abc import Callable, Mapping

T = TypeVar("T")

INVOICE_EVENTS = tuple(
    f"invoice.{status}" for status in invoice.InvoiceStatus if status is not invoice.InvoiceStatus.AWAITING_CLIENT
)
"""The eight invoice events: every status but the first is announced (contract §2.2)."""
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
    """Makes a type into a kind of value: its reader takes the typed text and where the file is read."""

    read: Callable[[str, Surroundings], object]
    schema: JsonSchemaValue = field(hash=False)

    def validate(self, value: object, info: ValidationInfo) -> object:
        """Return the value that is meant; ``ValueError`` says what is wrong with it."""
        around = info.context if isinstance(info.context, Surroundings) else Surroundings()
        try:
            return self.read(readers.typed(value), around)
        except (UsageError, RequestRefused) as error:
            raise ValueError(str(error)) from None

    def __get_pydantic_core_schema__(self, _source: Any, _handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.with_info_plain_validator_function(self.validate)

    def __get_pydantic_json_schema__(self, _core: CoreSchema, _handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return dict(self.schema)


def _kind(read: Callable[[str], object], **schema: Any) -> Kind:
    return Kind(lambda word, _around: read(word), schema)


def _words(read: Callable[[str], object], words: tuple[str, ...]) -> Kind:
    return _kind(read, enum=list(words))


def _text(longest: int) -> Kind:
    return _kind(readers.text(longest), type=["string", "number", "boolean"], minLength=1, maxLength=longest)


def _pattern(pattern: str, sentence: str) -> Kind:
    return _kind(readers.matching(re.compile(pattern), sentence), type="string", pattern=f"^{pattern}$")


def _number(lowest: int, highest: int, what: str) -> Kind:
    schema = _number_schema(lowest, highest)
    return _kind(readers.whole(lowest, highest, what), **schema)


def _number_schema(lowest: int, highest: int) -> JsonSchemaValue:
    return {"type": ["integer", "string"], "minimum": lowest, "maximum": highest, "pattern": "^(0|[1-9][0-9]*)$"}


def _or_none(read: Callable[[str], object], **schema: Any) -> Kind:
    return _kind(readers.or_none(read), anyOf=[schema, {"const": readers.NONE}])


def _as_tuple(value: object) -> object:
    if not isinstance(value, list):
        raise ValueError("this must be a list, as in [500, 500, 200]")  # noqa: TRY004 - pydantic wants ValueError
    if len(value) > MAX_ENTRIES:
        raise ValueError(f"{len(value)} entries are too many; at most {MAX_ENTRIES} are right")
    return tuple(value)


_TIME = r"([0-9]+(\.[0-9]+)?(ms|s|m|h|d))+"
_TIME_SCHEMA: dict[str, Any] = {"type": "string", "pattern": f"^{_TIME}$", "examples": ["90s", "1h30m"]}
_ISO = r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+(Z|[+-][0-9]{2}:[0-9]{2})"
_ISO_SCHEMA: dict[str, Any] = {"type": "string", "pattern": f"^{_ISO}$", "examples": ["2026-03-01T09:00:00Z"]}
_ZERO: dict[str, Any] = {"const": 0}
_CLOCK = r"(real|manual|skip|scale:[0-9]+(\.[0-9]+)?)"
_STATES = tuple(delivery.DeliveryState)
_ORDER_WORDS = (*invoice.InvoiceStatus, readers.NONE)
_STAGES = tuple(stage for stage in sandbox.Stage if stage is not sandbox.Stage.CANCEL)

Many = Annotated[tuple[T, ...], BeforeValidator(_as_tuple)]
"""A list of values."""

Name = Annotated[
    str,
    _pattern("[A-Za-z][A-Za-z0-9_-]{0,63}", "a name; it begins with a letter and has letters, digits, - and _ only"),
]
Text = Annotated[str, _text(readers.MAX_TEXT)]
About = Annotated[str, _text(10_000)]
OrderId = Annotated[str, _text(EXTERNAL_ID_MAX)]
ClientId = Annotated[str, _text(CLIENT_ID_MAX)]
CancelReason = Annotated[str, _text(REASON_MAX)]
Project = Annotated[str, _pattern("prj_[0-9A-Za-z]{1,40}", "a project; it is prj_ with letters and digits behind it")]
Currency = Annotated[str, _pattern("[A-Z][A-Z0-9]{2,9}", "a currency; it is written as in USD or USDT")]
Network = Annotated[str, _words(readers.one_of(NETWORKS, "a network"), NETWORKS)]
EventType = Annotated[str, _words(readers.one_of(INVOICE_EVENTS, "an event"), INVOICE_EVENTS)]
Category = Annotated[str, _words(readers.one_of(endpoint.CATEGORIES, "a category"), endpoint.CATEGORIES)]
CrashPoint = Annotated[
    crash.CrashPoint, _words(readers.member(crash.CrashPoint, "a crash point"), tuple(crash.CrashPoint))
]
State = Annotated[delivery.DeliveryState, _words(readers.member(delivery.DeliveryState, "a state"), _STATES)]
InvoiceStatus = Annotated[
    invoice.InvoiceStatus, _words(readers.member(invoice.InvoiceStatus, "a status"), tuple(invoice.InvoiceStatus))
]
OrderStatus = Annotated[str, _words(readers.one_of(_ORDER_WORDS, "a status of an order"), _ORDER_WORDS)]
EndpointStatus = Annotated[
    endpoint.EndpointStatus, _words(readers.member(endpoint.EndpointStatus, "a status"), tuple(endpoint.EndpointStatus))
]
Stage = Annotated[sandbox.Stage, _words(readers.stage, _STAGES)]
Money = Annotated[Decimal, _kind(readers.money, type=["string", "number"], pattern=r"^[0-9]+(\.[0-9]+)?$")]
Count = Annotated[int, _number(0, 1_000_000, "a count")]
Times = Annotated[int, _number(1, 1_000, "a number of times")]
AttemptNumber = Annotated[int, _number(1, 1_000, "the number of an attempt")]
Seed = Annotated[int, _number(0, MAX_SEED, "a seed")]
Status = Annotated[int, _number(200, 999, "a final HTTP status")]
StatusOrNone = Annotated[
    int | None, _or_none(readers.whole(100, 999, "an HTTP status, nor none"), **_number_schema(100, 999))
]
ReasonOrNone = Annotated[
    delivery.Reason | None, _or_none(readers.member(delivery.Reason, "a reason, nor none"), enum=list(delivery.Reason))
]
Flag = Annotated[bool, _kind(readers.flag, enum=[True, False, "true", "false"])]
Duration = Annotated[durations.Duration, _kind(durations.parse_duration, anyOf=[_TIME_SCHEMA, _ZERO])]
SomeTime = Annotated[durations.Duration, _kind(readers.some_time, **_TIME_SCHEMA)]
Instant = Annotated[durations.Instant, _kind(durations.parse_instant, **_ISO_SCHEMA)]
Moment = Annotated[readers.Moment, _kind(readers.moment, anyOf=[_TIME_SCHEMA, _ISO_SCHEMA, _ZERO])]
ClockMode = Annotated[str, _kind(readers.clock_mode, type="string", pattern=f"^{_CLOCK}$")]
Url = Annotated[str, Kind(lambda word, around: readers.url(word, around.environ), {"type": "string", "minLength": 1})]
Secret = Annotated[
    SecretStr,
    Kind(lambda word, around: SecretStr(readers.secret(word, around.environ)), {"type": "string", "minLength": 1}),
]
Ladder = Annotated[
    ladder.Ladder,
    Kind(lambda word, around: load_ladder(word, base=around.directory), {"type": "string", "minLength": 1}),
]
