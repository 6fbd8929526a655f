"""The closed list of wire faults, and how one is made from its name and its fields."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sender.errors import UsageError
from sender.wire.copies import Duplicate
from sender.wire.forgeries import BadSignature, Forgery, MissingHeader, StaleTimestamp, TamperedBody, WrongSecret
from sender.wire.losses import Drop, LoseRequest, LoseResponse
from sender.wire.timing import Delay, Reorder

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sender.wire.way import Reader, WireFault

WIRE_FAULTS: tuple[type[WireFault], ...] = (
    *(LoseRequest, LoseResponse, Drop),
    *(Delay, Reorder, Duplicate),
    *(BadSignature, WrongSecret, StaleTimestamp, MissingHeader, TamperedBody),
)

FORGERIES = frozenset(each.name for each in WIRE_FAULTS if issubclass(each, Forgery))
"""The faults under which something else arrives than what was stored and signed."""


def wire_fault(name: str, params: Mapping[str, object]) -> WireFault:
    """Return the fault of that name with the fields given, each as text; the others keep their defaults.

    Raises ``UsageError``, which names the field, for anything that is not one.
    """
    kind = next((each for each in WIRE_FAULTS if each.name == name), None)
    if kind is None:
        raise UsageError(f"{name!r} is not a wire fault; write one of {', '.join(each.name for each in WIRE_FAULTS)}")
    for field in params:
        if field not in kind.fields:
            raise UsageError(f"wire fault {name}: there is no field {field!r}; it has {_listed(kind.fields)}")
    return kind(**{field: _read(name, field, kind.fields[field], str(text)) for field, text in params.items()})


def _read(name: str, field: str, reader: Reader, text: str) -> object:
    try:
        return reader(text)
    except (UsageError, ValueError) as error:
        raise UsageError(f"wire fault {name}: {field}: {error}") from error


def _listed(fields: Mapping[str, Reader]) -> str:
    *others, last = fields or ("none",)
    return f"{', '.join(others)} and {last}" if others else last
