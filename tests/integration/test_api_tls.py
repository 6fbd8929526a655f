"""HTTPS with a certificate of a local authority: who trusts its file gets through, who does not is refused."""

from __future__ import annotations

import ssl
from typing import TYPE_CHECKING

import aiohttp
import pytest
from aiohttp import web

from sender.errors import NotAvailable
from sender.serve import parts_of
from sender.simulator import Simulator
from sender.web.app import make_app
from sender.web.parts import ApiOptions
from sender.web.server import make_runner
from sender.web.tls import make_tls
from tests.api import PATIENCE, make_settings, sign

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path


@pytest.fixture
async def served(tmp_path: Path) -> AsyncIterator[tuple[int, Path]]:
    """Give port and file of an API that speaks HTTPS, also for the name paymos.test."""
    context, trust = make_tls(["paymos.test"], tmp_path)
    async with Simulator(make_settings()) as simulator:
        runner = make_runner(make_app(parts_of(simulator), ApiOptions(names=("paymos.test",))))
        await runner.setup()
        try:
            await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=context).start()
            yield runner.addresses[0][1], trust
        finally:
            await runner.cleanup()


async def status_of(port: int, host: str, trust: ssl.SSLContext, name: str | None = None) -> int:
    """Ask for the time, by a name that the certificate has to have."""
    timeout = aiohttp.ClientTimeout(total=PATIENCE)
    headers = sign("GET", "/v1/time") | {"Host": name or host}
    async with aiohttp.ClientSession(timeout=timeout) as session:
        url = f"https://{host}:{port}/v1/time"
        async with session.get(url, headers=headers, ssl=trust, server_hostname=name) as answer:
            return answer.status


@pytest.mark.parametrize(("host", "name"), [("127.0.0.1", None), ("localhost", None), ("127.0.0.1", "paymos.test")])
async def test_trusting_clients_get_through(served: tuple[int, Path], host: str, name: str | None) -> None:
    """The certificate names loopback in every form, and what it was told."""
    port, trust = served
    assert await status_of(port, host, ssl.create_default_context(cafile=str(trust)), name) == 200


async def test_other_clients_are_kept_out(served: tuple[int, Path]) -> None:
    """Without the file, and under a name it does not have, the certificate is worth nothing."""
    port, trust = served
    with pytest.raises(aiohttp.ClientConnectorCertificateError):
        await status_of(port, "127.0.0.1", ssl.create_default_context())
    with pytest.raises(aiohttp.ClientConnectorCertificateError):
        await status_of(port, "127.0.0.1", ssl.create_default_context(cafile=str(trust)), "other.test")


async def test_tls_1_2_is_spoken(served: tuple[int, Path]) -> None:
    """The least that the PHP SDK asks for is enough here."""
    port, trust = served
    context = ssl.create_default_context(cafile=str(trust))
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    assert await status_of(port, "127.0.0.1", context) == 200


def test_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    """A file that cannot be written is a sentence and not a traceback."""
    with pytest.raises(NotAvailable, match="cannot be written"):
        make_tls([], tmp_path / "nowhere")


def test_every_authority_is_another_one(tmp_path: Path) -> None:
    """Trusting the file of one start trusts no other."""
    files = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        files.append(make_tls([], tmp_path / name)[1].read_bytes())
    assert files[0] != files[1]
