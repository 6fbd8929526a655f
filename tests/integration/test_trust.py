"""A receiver whose certificate is of one's own authority: refused, and believed with ``--trust`` by whoever sends."""

from __future__ import annotations

import asyncio
import ssl
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
import trustme

from sender.check.alive import runs_steadily
from sender.check.means import Means
from sender.check.volley import Target
from sender.cli.options import Given, Options
from sender.cli.settings import relay_settings
from sender.clock import Clock
from sender.durations import SECOND
from sender.remote_relay import RemoteRelay
from tests.checking import verdicts_on
from tests.receivers import PATIENCE, receiving
from tests.simulators import SECRET, attempts_of, cancelled, event, settings_for, simulating, subscribe

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

SENDERS = ("in process", "child", "elsewhere")


@pytest.fixture
def authority() -> trustme.CA:
    """Return a certificate authority that nobody knows."""
    return trustme.CA()


@pytest.fixture
def served(authority: trustme.CA) -> ssl.SSLContext:
    """Return the receiver's side of a certificate of it."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    return context


@pytest.fixture
def file(authority: trustme.CA, tmp_path: Path) -> str:
    """Return the path of its own certificate."""
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    return str(tmp_path / "ca.pem")


@asynccontextmanager
async def relaying(url: str, trust: str | None) -> AsyncIterator[None]:
    """Run ``paymos-sim relay`` in this loop."""
    told, ready = asyncio.Event(), asyncio.Event()
    running = asyncio.create_task(RemoteRelay(settings_for(url, relay={"trust": trust})).run(told, ready.set))
    try:
        async with asyncio.timeout(PATIENCE):
            await ready.wait()
        yield
    finally:
        told.set()
        await running


@pytest.mark.parametrize("sender", SENDERS)
async def test_every_relay_trusts_the_file(served: ssl.SSLContext, file: str, sender: str, tmp_path: Path) -> None:
    """Whichever relay sends, a private certificate is good with the file that it was given."""
    url = f"sqlite:///{tmp_path / 'a.db'}"
    async with (
        receiving(tls=served) as receiver,
        simulating(url, in_process=sender != "child", relay={"trust": file}) as simulator,
    ):
        if sender == "elsewhere":
            await simulator.relays.stop()
        await subscribe(simulator, receiver.url())
        event_id = await cancelled(simulator)
        if sender == "elsewhere":
            async with relaying(url, file):
                await simulator.conductor.quiet()
        await simulator.conductor.quiet()
        assert (await event(simulator, event_id)).state == "delivered"


async def test_without_the_file_a_private_certificate_is_refused(served: ssl.SSLContext) -> None:
    """Nothing is trusted that the system does not trust, unless it was named."""
    async with receiving(tls=served) as receiver, simulating("memory") as simulator:
        await subscribe(simulator, receiver.url())
        await cancelled(simulator)
        await simulator.conductor.quiet()
        (attempt,) = await attempts_of(simulator)
        assert attempt.reason == "tls"
        assert receiver.requests == []


async def test_a_check_trusts_the_file(served: ssl.SSLContext, file: str) -> None:
    """A verdict on a receiver with a private certificate needs the file, for letters and for volleys alike."""
    async with receiving(lambda _: 204, tls=served) as receiver:
        means = Means(url=receiver.url(), secret=SECRET, trust=file)
        (unsigned,) = (await verdicts_on(means, "unsigned")).results
        refused, _ = (await verdicts_on(replace(means, trust=None), "unsigned")).results
        steady = [await runs_steadily(one, Clock(), SECOND) for one in (means.target, Target(receiver.url()))]
    assert "signature" in unsigned.title.lower()
    assert "certificate" in refused.exchanges[0].answer
    assert "--trust ca.pem" in refused.mend
    assert steady == [True, False]


def test_the_option_names_the_file(file: str) -> None:
    """What relays are told is the absolute path, since children may stand elsewhere."""
    assert relay_settings(Options("serve", {"trust": Given(file, "--trust")})).trust == file
