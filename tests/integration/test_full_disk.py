"""A disk that is really full, or cannot be written: an answer to the client, nothing half-written, and on it goes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sqlalchemy import func, select

from sender.cli import main
from sender.store.schema import bodies, history, outbox, resources
from sender.subscriptions import NewEndpoint
from tests.api import ORDER, serving
from tests.full_disk import disk
from tests.receivers import accept, receiving
from tests.simulators import events_of

if TYPE_CHECKING:
    from pathlib import Path

    from tests.api import Answer, Api

ENOUGH = 2_000
TABLES = (resources, history, outbox, bodies)


async def buy(api: Api, number: int) -> Answer:
    """Make an order of some size."""
    return await api.call(
        "POST", "/v1/invoices", ORDER | {"external_order_id": f"order-{number}", "client_id": "x" * 200}
    )


async def counts(api: Api) -> list[int]:
    """Count resources, transitions, deliveries and bodies."""
    async with api.simulator.database.read() as session:
        return [(await session.rows(select(func.count()).select_from(table)))[0][0] for table in TABLES]


@pytest.mark.parametrize("own", [True, False], ids=["no block is left", "no file may grow"])
async def test_a_full_disk_is_said_and_got_over(tmp_path: Path, *, own: bool) -> None:
    """Every write is a 503 problem, reads go on, and nothing is half there; with room again all is well."""
    with disk(tmp_path, own=own) as there:
        async with receiving(accept) as receiver, serving(f"sqlite:///{tmp_path / 'db'}") as api:
            await api.simulator.subscriptions.add(NewEndpoint(url=receiver.url()))
            there.fill()
            made = 0
            while (answer := await buy(api, made)).status == 201 and made < ENOUGH:
                made += 1
            for _ in range(3):
                answer = await buy(api, made)
                assert (answer.status, answer.document["status"]) == (503, 503)
                assert answer.headers["Content-Type"].startswith("application/problem+json")
            assert (await api.call("GET", "/v1/invoices")).status == 200
            assert await counts(api) == [made, made, 0, 0]
            there.empty()
            paid = await buy(api, made)
            assert paid.status == 201
            await api.call("POST", f"/v1/invoices/{paid.document['invoice_id']}/cancel", {"reason": "why not"})
            await api.simulator.conductor.quiet()
            assert [one.state for one in await events_of(api.simulator)] == ["delivered"]
            assert await counts(api) == [made + 1, made + 2, 1, 1]


@pytest.mark.parametrize("state", ["read-only", "full"])
def test_a_server_that_cannot_write_does_not_start(
    state: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A database on a disk that takes nothing is refused in one line that says why, before anybody is served."""
    with disk(tmp_path) as there:
        (there.fill if state == "full" else there.protect)()
        code = main(["serve", "--port", "0", "--database-url", f"sqlite:///{tmp_path / 'db'}"])
    printed = capsys.readouterr()
    assert (code, printed.out) == (2, "")
    assert printed.err.count("\n") == 1
    assert "check --database-url" in printed.err or "cannot be opened" in printed.err
