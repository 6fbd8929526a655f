"""The iterators of the official SDK over many pages, while the list grows."""

from __future__ import annotations

from threading import Event, Thread

from tests.api import PROJECT, serving_beside
from tests.sdk import sdk

COUNT = 250


def test_iterating_over_250_invoices_loses_and_repeats_none() -> None:
    """Every invoice that was there at the beginning comes exactly once, while another thread adds more."""
    stop = Event()
    added = 0
    with serving_beside() as api:
        client = sdk(api.base)

        def create(name: str) -> str:
            made = sdk(api.base).invoices.create(
                project_id=PROJECT, amount="1.00", currency="USD", external_order_id=name
            )
            return made["invoice_id"]

        def add() -> None:
            nonlocal added
            while not stop.is_set():
                create(f"late-{added}")
                added += 1

        there = [create(f"order-{number}") for number in range(COUNT)]
        adding = Thread(target=add)
        adding.start()
        try:
            seen = [item["invoice_id"] for item in client.invoices.iterate(limit=7)]
        finally:
            stop.set()
            adding.join()

    assert added > 0
    assert len(set(seen)) == len(seen)
    assert [one for one in seen if one in set(there)] == there[::-1]
