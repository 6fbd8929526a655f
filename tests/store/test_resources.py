"""Resources as whole documents beside the columns that are searched, and their history. On both databases."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from sender.domain.invoice import InvoiceStatus
from sender.domain.resource import Wanted
from sender.durations import SECOND
from sender.errors import NotFound, StoreError
from sender.store import resources
from sender.store.resources import Deadline, Transitioned
from tests.invoices import DEADLINE, JOURNEYS, invoice_in
from tests.invoices import START as MADE
from tests.stores import opened


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
async def test_an_invoice_in_every_status_is_read_back_equal(
    kind: str, request: pytest.FixtureRequest, tmp_path: object
) -> None:
    """Decimals keep their digits, instants their microseconds, and what is absent stays absent."""
    url = f"sqlite:///{tmp_path}/x" if kind == "sqlite" else request.getfixturevalue("postgres_url")
    async with opened(url) as database, database.write() as session:
        for number, status in enumerate(JOURNEYS):
            made = replace(
                invoice_in(status), id=f"inv_{number}", external_id=f"{number} é 😀 '\"\\", created_at=MADE + 1
            )
            made = replace(made, amount=Decimal("11.050000000000000001"))
            await resources.add(session, number, made)
            assert await resources.load(session, made.id) == made
            wanted = Wanted("invoice", made.project_id, made.external_id, is_test=True)
            assert await resources.find(session, wanted) == made


async def test_a_change_replaces_the_document_and_what_is_searched(database_url: str) -> None:
    """After a transition the row holds the new state, and only that row."""
    before, other = (
        invoice_in(InvoiceStatus.AWAITING_PAYMENT),
        replace(invoice_in(InvoiceStatus.AWAITING_PAYMENT), id="inv_other", external_id="other"),
    )
    after = invoice_in(InvoiceStatus.PAID)
    async with opened(database_url) as database, database.write() as session:
        await resources.add(session, 1, before)
        await resources.add(session, 2, other)
        assert await resources.next_deadline(session) == DEADLINE
        await resources.change(session, after)
        assert await resources.load(session, before.id) == after
        assert await resources.load(session, "inv_other") == other
        await resources.change(session, replace(other, status=InvoiceStatus.PAID))
        assert await resources.next_deadline(session) is None


async def test_deadlines_come_by_due_time_then_by_creation(database_url: str) -> None:
    """Those reached are listed to the microsecond; finals and later ones are not."""
    waiting = invoice_in(InvoiceStatus.AWAITING_CLIENT)
    async with opened(database_url) as database, database.write() as session:
        for seq, name, expires in [(3, "c", 20), (2, "b", 10), (1, "a", 20), (4, "d", 21)]:
            made = replace(waiting, id=name, external_id=name, expires_at=MADE + expires * SECOND)
            await resources.add(session, seq, made)
        await resources.add(session, 5, replace(invoice_in(InvoiceStatus.PAID), id="e", external_id="e"))
        assert await resources.due(session, MADE + 20 * SECOND) == [
            Deadline(MADE + 10 * SECOND, "invoice", "b"),
            Deadline(MADE + 20 * SECOND, "invoice", "a"),
            Deadline(MADE + 20 * SECOND, "invoice", "c"),
        ]
        assert await resources.due(session, MADE + 10 * SECOND - 1) == []
        assert await resources.next_deadline(session) == MADE + 10 * SECOND


async def test_an_external_id_is_unique_within_its_project_and_kind(database_url: str) -> None:
    """A second invoice under the same id is impossible in the database too; in another project it is another one."""
    made = invoice_in(InvoiceStatus.PAID)
    async with opened(database_url) as database:
        async with database.write() as session:
            await resources.add(session, 1, made)
            await resources.add(session, 2, replace(made, id="inv_2", project_id="prj_other"))
        with pytest.raises(StoreError):
            async with database.write() as session:
                await resources.add(session, 3, replace(made, id="inv_3"))


async def test_what_is_not_there_is_not_found(database_url: str) -> None:
    """Unknown ids, ids of another kind and hostile ids are all simply not found."""
    made = invoice_in(InvoiceStatus.PAID)
    async with opened(database_url) as database, database.write() as session:
        await resources.add(session, 1, made)
        for resource_id, kind in [
            ("inv_none", "invoice"),
            (made.id, "withdrawal"),
            ("\x00'; --", "invoice"),
            ("", None),
        ]:
            with pytest.raises(NotFound):
                await resources.load(session, resource_id, kind)
        assert await resources.find(session, Wanted("invoice", "prj_other", made.external_id, is_test=True)) is None


async def test_the_history_holds_silent_transitions_too(database_url: str) -> None:
    """Every transition of one resource, oldest first, with how many endpoints were told."""
    told = [
        Transitioned(1, "inv_1", None, "awaiting_client", "created", 0, MADE),
        Transitioned(3, "inv_1", "invoice.paid", "paid", "paid", 2, MADE + 5),
    ]
    async with opened(database_url) as database, database.write() as session:
        for entry in [told[1], Transitioned(2, "inv_2", None, "x", "x", 0, MADE), told[0]]:
            await resources.remember(session, entry)
        assert list(await resources.history_of(session, "inv_1")) == told
