"""The merchant's balances: one amount a token and environment, moved in the transaction that moves a resource."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from sqlalchemy import bindparam, insert, select, update

from sender.domain.money import ZERO, format_token, plus
from sender.errors import Conflict
from sender.store.schema import balances

if TYPE_CHECKING:
    from sender.domain.balance import Movement
    from sender.store.engine import Session

OPENING = {"USDC": Decimal(10_000), "USDT": Decimal(10_000)}
"""What the sandbox starts with, so that withdrawals work at once. Production starts with nothing."""


@dataclass(frozen=True, slots=True)
class Balance:
    """What the merchant can dispose of in one token."""

    currency: str
    available: Decimal


_ALL = (
    select(balances.c.currency, balances.c.available)
    .where(balances.c.is_test == bindparam("b_is_test"))
    .order_by(balances.c.currency)
)
_ONE = select(balances.c.available).where(
    balances.c.is_test == bindparam("b_is_test"), balances.c.currency == bindparam("b_currency")
)
_INSERT = insert(balances)
_UPDATE = (
    update(balances)
    .where(balances.c.is_test == bindparam("b_is_test"), balances.c.currency == bindparam("b_currency"))
    .values(available=bindparam("b_available"))
)


async def open_balances(session: Session) -> None:
    """Enter what the sandbox starts with."""
    rows = [{"is_test": True, "currency": currency, "available": f"{amount:f}"} for currency, amount in OPENING.items()]
    await session.run(_INSERT, rows)


async def read_balances(session: Session, *, is_test: bool) -> list[Balance]:
    """Return every balance of an environment, by the name of the token; one that was spent whole is there with 0."""
    return [Balance(row.currency, Decimal(row.available)) for row in await session.rows(_ALL, {"b_is_test": is_test})]


async def move(session: Session, movement: Movement) -> None:
    """Move one balance. Raises ``Conflict`` (``insufficient_balance``) where there is less than is to leave."""
    place = {"b_is_test": movement.is_test, "b_currency": movement.currency}
    rows = await session.rows(_ONE, place)
    present = Decimal(rows[0].available) if rows else ZERO
    available = plus(present, movement.amount)
    if movement.amount < ZERO and available < ZERO:
        message = (
            f"{format_token(-movement.amount)} {movement.currency} are to leave the balance "
            f"and {format_token(present)} are in it"
        )
        raise Conflict(message, code="insufficient_balance")
    if rows:
        await session.run(_UPDATE, {**place, "b_available": f"{available:f}"})
    else:
        new = {"is_test": movement.is_test, "currency": movement.currency, "available": f"{available:f}"}
        await session.run(_INSERT, new)
