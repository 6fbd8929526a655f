"""The sentence about orders that were not fulfilled, or more than once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sender.check.outcome import Failed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sender.probe.looking import Sighting


def is_fulfilled(found: Sighting) -> bool:
    """Tell whether an order was fulfilled at all."""
    return found.fulfilled > 0


def require_one(counts: Mapping[str, int], after: str) -> None:
    """Raise ``Failed`` unless each order was fulfilled once; ``after`` says what had happened."""
    missing = [order for order, count in counts.items() if count == 0]
    double = {order: count for order, count in counts.items() if count > 1}
    if missing:
        raise Failed(
            f"After {after}, {_orders(missing, len(counts))} never fulfilled, though the payment was announced and "
            "the announcement taken. The customer has paid and gets nothing."
        )
    if double:
        order, count = next(iter(double.items()))
        raise Failed(
            f"After {after}, {_orders(list(double), len(counts))} fulfilled more than once: {order} {count} times. "
            "One payment was made, and the goods left more than once."
        )


def _orders(orders: list[str], total: int) -> str:
    return f"order {orders[0]} was" if total == 1 else f"{len(orders)} of {total} orders were"
