"""``paymos-sim serve --traffic``: it buys by itself, and says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.commands import command, served
from tests.receivers import receiving

if TYPE_CHECKING:
    from pathlib import Path

FLOW = 'every: 50ms\nwhat:\n  - {create_invoice: {amount: "1.00", currency: USD}, outcome: cancelled}\n'


async def test_served_traffic(tmp_path: Path) -> None:
    """The file's customers buy as soon as it serves, each order a new one, and it ends in order."""
    path = tmp_path / "own.yaml"
    path.write_text(FLOW)
    async with receiving() as receiver:
        words = ("--traffic", str(path), "--traffic", "rush-hour", "--endpoint", receiver.url())
        with served(*words) as simulator:
            assert simulator.ready["traffic"] == ["own", "rush-hour"]
            await receiver.received(3)
            simulator.process.terminate()
            _, complaint = simulator.process.communicate(timeout=30)
        orders = [one.event["data"]["order"]["external_id"] for one in receiver.requests]
    assert simulator.process.returncode == 0
    assert "Traceback" not in complaint
    assert [order.rpartition("-")[2] for order in orders[:3]] == ["1", "2", "3"]
    assert {order.partition("-")[0] for order in orders} == {"own"}


def test_bad_traffic_starts_nothing(tmp_path: Path) -> None:
    """A mistake in a traffic file is named with its place before anything is started."""
    (tmp_path / "own.yaml").write_text(FLOW.replace("50ms", "50"))
    result = command("serve", "--traffic", "own.yaml", folder=tmp_path)
    assert (result.code, result.printed) == (2, "")
    assert "--traffic: own.yaml:1:8: every: '50' has no unit" in result.complaint
