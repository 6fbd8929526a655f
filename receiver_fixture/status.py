"""Which resource state follows which: a pure rule that never goes back (contract §1.9, §4).

Events arrive in any order, so states are compared and not counted: final beats open whatever the clocks say, among open
ones the one that occurred later wins, among final ones the one of higher rank. This is a total order and the ledger
keeps its maximum, so neither the order of arrival nor repetition can change where a resource ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from receiver_fixture.kinds import KINDS, kind_of
from receiver_fixture.words import word_or_none

if TYPE_CHECKING:
    from receiver_fixture.envelope import Envelope


@dataclass(frozen=True, slots=True)
class State:
    """A resource as one event shows it; ``occurred_at`` in Unix seconds."""

    kind: str
    resource_id: str
    external_id: str
    status: str
    is_final: bool
    occurred_at: int

    @property
    def books(self) -> bool:
        """Tell whether this state moves money: a paid invoice, a completed withdrawal, a confirmed deposit.

        Only with ``is_final`` as well, which is how the provider words it for deposits (contract §2.4).
        """
        return self.is_final and self.status in KINDS[self.kind].booked


def read_state(envelope: Envelope) -> State | None:
    """Read the resource out of ``data``; ``None`` when it lacks what a state needs.

    The event type only names the kind; what happened is what the snapshot says (contract §1.9).
    """
    kind = kind_of(envelope.event_type)
    if kind is None:
        return None
    resource_id = word_or_none(envelope.data.get(kind.id_member))
    external_id = word_or_none(_at(envelope.data, kind.external_path))
    status, is_final = word_or_none(envelope.data.get("status")), envelope.data.get("is_final")
    if resource_id is None or external_id is None or status is None or not isinstance(is_final, bool):
        return None
    return State(kind.name, resource_id, external_id, status, is_final, envelope.occurred_at)


def _at(data: dict[str, Any], path: tuple[str, ...]) -> object:
    value: object = data
    for member in path:
        value = value.get(member) if isinstance(value, dict) else None
    return value


def follows(current: State, incoming: State) -> bool:
    """Tell whether the incoming state replaces the current one of the same resource."""
    return _position(incoming) > _position(current)


def _position(state: State) -> tuple[bool, int, int, str]:
    rank = KINDS[state.kind].ranks.get(state.status, -1)
    # The name comes last, for statuses that no table ranks.
    return (state.is_final, 0 if state.is_final else state.occurred_at, rank, state.status)
