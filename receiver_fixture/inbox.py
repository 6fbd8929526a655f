"""The statements of an arrival: note the request, and store the event if it is believed, in one transaction."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from sqlalchemy import bindparam, delete, func, insert, select, update

from receiver_fixture.engine import insert_once
from receiver_fixture.rules import RIGHT
from receiver_fixture.schema import metadata, receipts, webhook_delivery

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from receiver_fixture.clock import Micros
    from receiver_fixture.envelope import Claim
    from receiver_fixture.rules import Rules

_NOTE = insert(receipts).returning(receipts.c.sequence)
_NOTE_ANSWER = update(receipts).where(receipts.c.sequence == bindparam("wanted"))
_COUNT = select(func.count()).select_from(receipts).where(receipts.c.event_id == bindparam("wanted"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """One request as it came: what it claims, what was found, and the answer that is planned.

    ``status`` is ``None`` while no answer has been given, and for ever when none will be.
    """

    claim: Claim
    header_id: str | None
    verdict: str
    status: int | None
    fault: str
    received_at: Micros


@dataclass(frozen=True, slots=True)
class Recorded:
    """What became of it: the receipt's number, and ``stored``, ``duplicate`` or the word given for no storing."""

    sequence: int
    outcome: str


def record(
    connection: Connection, receipt: Receipt, body: str | None, otherwise: str, rules: Rules = RIGHT
) -> Recorded:
    """Note a request; with a ``body`` also store the event once, by its ``event_id`` (contract §1.12)."""
    outcome = (
        otherwise
        if body is None
        else store(connection, receipt, body, rules.event_key(receipt.claim, receipt.header_id))
    )
    row = {
        **asdict(receipt.claim),
        "header_id": receipt.header_id,
        "verdict": receipt.verdict,
        "outcome": outcome,
        "status": receipt.status,
        "fault": receipt.fault,
        "received_at": receipt.received_at,
    }
    return Recorded(connection.execute(_NOTE, row).scalar_one(), outcome)


def store(connection: Connection, receipt: Receipt, body: str, key: str) -> str:
    """Store an event once under a key; say ``stored`` or ``duplicate``."""
    row = {**asdict(receipt.claim), "event_id": key, "body": body, "received_at": receipt.received_at}
    return "stored" if insert_once(connection, webhook_delivery, row) else "duplicate"


def is_stored(connection: Connection, event_id: str | None) -> bool:
    """Tell whether an event is there."""
    wanted = select(webhook_delivery.c.event_id).where(webhook_delivery.c.event_id == event_id)
    return connection.execute(wanted).first() is not None


def note_done(connection: Connection, receipt: Receipt) -> bool:
    """Write down that an event is done with, whether it is or not; ``False`` when that stood there before."""
    at = receipt.received_at
    row = {**asdict(receipt.claim), "body": "", "received_at": at, "processed_at": at, "effect": "noted"}
    return insert_once(connection, webhook_delivery, row)


def note_answer(connection: Connection, sequence: int, status: int) -> None:
    """Write down the status of an answer that had to wait."""
    connection.execute(_NOTE_ANSWER, {"wanted": sequence, "status": status})


def times_received(connection: Connection, event_id: str | None) -> int:
    """Count the requests that named this event, believed or not."""
    return connection.execute(_COUNT, {"wanted": event_id}).scalar_one()


def clear(connection: Connection) -> None:
    """Forget everything."""
    for table in metadata.sorted_tables:
        connection.execute(delete(table))
