"""Certificates: strict unless told otherwise, one reason for whatever is wrong with them, and a way out of each."""

from __future__ import annotations

import asyncio
import ssl
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
import trustme

from sender.durations import MILLISECOND
from sender.errors import NotAvailable
from tests.integration.hostile import (
    BODY,
    OK,
    PLENTY,
    Caller,
    hostile,
    obliging,
    on_each_loop,
    patient,
    send,
    transport,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

__all__ = ["patient"]

PAST = datetime(2020, 1, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    """Return a certificate authority that nobody knows."""
    return trustme.CA()


@pytest.fixture
def ca_file(authority: trustme.CA, tmp_path: Path) -> str:
    """Return the path of its certificate."""
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    return str(tmp_path / "ca.pem")


@asynccontextmanager
async def tls_receiver(context: ssl.SSLContext) -> AsyncIterator[str]:
    """Run a receiver that answers 204 over TLS; yields its port."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError, ConnectionError, ssl.SSLError):
            while True:
                await reader.readuntil(b"\r\n\r\n")
                await reader.readexactly(len(BODY))
                writer.write(OK)
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0, ssl=context)
    async with server:
        yield str(server.sockets[0].getsockname()[1])


def serving(certificate: trustme.LeafCert) -> ssl.SSLContext:
    """Return the server's side of a certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    certificate.configure_cert(context)
    return context


def self_signed() -> ssl.SSLContext:
    """Return the server's side of a certificate that vouches for itself."""
    return serving(trustme.CA().issue_cert("localhost"))


@on_each_loop
async def test_a_certificate_of_ones_own_authority(authority: trustme.CA, ca_file: str) -> None:
    """A receiver with a private certificate is refused, accepted with its authority's file, and with ``insecure``."""
    async with tls_receiver(serving(authority.issue_cert("localhost"))) as port:
        url = f"https://localhost:{port}/"
        async with transport() as sender:
            strict = await send(sender, url, PLENTY)
            trusted = await send(sender, url, PLENTY, tls=ca_file)
            insecure = await send(sender, url, PLENTY, tls="insecure")
            again = await send(sender, url, PLENTY)
        async with transport(ca_file=ca_file) as sender:
            by_default = await send(sender, url, PLENTY)
            strict_after_all = await send(sender, url, PLENTY, tls="strict")
        async with transport(insecure=True) as sender:
            any_is_good = await send(sender, url, PLENTY)
    assert [each.reason for each in (strict, again, strict_after_all)] == ["tls"] * 3
    assert "the certificate of" in strict.detail
    assert "unable to get local issuer certificate" in strict.detail
    assert [each.status for each in (trusted, insecure, by_default, any_is_good)] == [204] * 4


@on_each_loop
async def test_a_server_certificate_can_be_trusted_itself(tmp_path: Path) -> None:
    """The file may hold the receiver's own certificate instead of its issuer's."""
    certificate = trustme.CA().issue_cert("localhost")
    certificate.cert_chain_pems[0].write_to_path(str(tmp_path / "server.pem"))
    async with tls_receiver(serving(certificate)) as port, transport() as sender:
        answer = await send(sender, f"https://localhost:{port}/", PLENTY, tls=str(tmp_path / "server.pem"))
    assert answer.status == 204


@on_each_loop
async def test_an_expired_certificate_is_refused(authority: trustme.CA, ca_file: str) -> None:
    """A certificate that has run out is no certificate, even from a trusted authority."""
    expired = authority.issue_cert("localhost", not_before=PAST, not_after=PAST + timedelta(days=1))
    async with tls_receiver(serving(expired)) as port, transport(ca_file=ca_file) as sender:
        answer = await send(sender, f"https://localhost:{port}/", PLENTY)
        insecure = await send(sender, f"https://localhost:{port}/", PLENTY, tls="insecure")
    assert (answer.reason, insecure.status) == ("tls", 204)
    assert "certificate has expired" in answer.detail


@on_each_loop
async def test_a_certificate_for_another_name_is_refused(authority: trustme.CA, ca_file: str) -> None:
    """The name in the certificate has to be the URL's, also when that is an address."""
    async with tls_receiver(serving(authority.issue_cert("example.org"))) as port, transport(ca_file=ca_file) as sender:
        by_name = await send(sender, f"https://localhost:{port}/", PLENTY)
        by_address = await send(sender, f"https://127.0.0.1:{port}/", PLENTY)
    assert (by_name.reason, by_address.reason) == ("tls", "tls")
    assert "Hostname mismatch" in by_name.detail
    assert "IP address mismatch" in by_address.detail


@on_each_loop
async def test_an_address_may_be_certified(authority: trustme.CA, ca_file: str) -> None:
    """A certificate for 127.0.0.1 is good for a URL with that address."""
    async with tls_receiver(serving(authority.issue_cert("127.0.0.1"))) as port, transport(ca_file=ca_file) as sender:
        assert (await send(sender, f"https://127.0.0.1:{port}/", PLENTY)).status == 204


@on_each_loop
async def test_the_server_is_told_the_name(authority: trustme.CA, ca_file: str) -> None:
    """The host of the URL is asked for in the handshake (SNI), so a receiver with many names finds its certificate."""
    context = serving(authority.issue_cert("example.org"))
    wanted = serving(authority.issue_cert("localhost"))
    asked: list[str | None] = []

    def choose(connection: ssl.SSLObject, name: str | None, _context: ssl.SSLContext) -> None:
        asked.append(name)
        connection.context = wanted

    context.sni_callback = choose
    async with tls_receiver(context) as port, transport(ca_file=ca_file) as sender:
        answer = await send(sender, f"https://localhost:{port}/", PLENTY)
    assert answer.status == 204
    assert asked == ["localhost"]


@pytest.mark.usefixtures("patient")
@on_each_loop
async def test_a_burst_shakes_hands_once(authority: trustme.CA, ca_file: str) -> None:
    """An encrypted connection is used again like any other."""
    hands: list[object] = []
    context = serving(authority.issue_cert("localhost"))
    context.sni_callback = lambda connection, _name, _context: hands.append(connection)
    async with tls_receiver(context) as port, transport(ca_file=ca_file) as sender:
        answers = [await send(sender, f"https://localhost:{port}/", PLENTY) for _ in range(5)]
    assert [answer.status for answer in answers] == [204] * 5
    assert len(hands) == 1


@on_each_loop
async def test_a_receiver_without_tls() -> None:
    """A receiver that speaks plain HTTP behind an https URL is a TLS failure."""

    async def plain(caller: Caller) -> None:
        await caller.say(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        await caller.gone()

    async with hostile(plain) as receiver, transport() as sender:
        answer = await send(sender, f"https://127.0.0.1:{receiver.port}/", PLENTY)
    assert answer.reason == "tls"
    assert answer.detail == f"the TLS handshake with 127.0.0.1:{receiver.port} failed: wrong version number"


@pytest.mark.parametrize("rude", [False, True], ids=["closes", "resets"])
@on_each_loop
async def test_a_handshake_broken_off(rude: bool) -> None:  # noqa: FBT001 - a parameter
    """A receiver that hangs up in the handshake, politely or not, is a TLS failure."""

    async def break_off(caller: Caller) -> None:
        await caller.gone_within(0.05)
        if rude:
            caller.reset()

    async with hostile(break_off) as receiver, transport() as sender:
        answer = await send(sender, f"https://127.0.0.1:{receiver.port}/", PLENTY)
    assert answer.reason == "tls", answer


@on_each_loop
async def test_a_handshake_in_silence_times_out() -> None:
    """A receiver that never answers the handshake costs no more than the timeout, and is hung up on."""

    async def silent(caller: Caller) -> None:
        await caller.gone()

    async with hostile(silent) as receiver, transport() as sender:
        answer = await send(sender, f"https://127.0.0.1:{receiver.port}/", 100 * MILLISECOND)
        await receiver.everybody_gone()
    assert answer.reason == "timeout"


@on_each_loop
async def test_a_client_certificate_is_demanded(authority: trustme.CA, ca_file: str) -> None:
    """A receiver that wants a client certificate is a TLS failure, unless its hanging up overtakes what it says."""
    context = serving(authority.issue_cert("localhost"))
    context.verify_mode = ssl.CERT_REQUIRED
    authority.configure_trust(context)
    async with tls_receiver(context) as port, transport(ca_file=ca_file) as sender:
        answer = await send(sender, f"https://localhost:{port}/", PLENTY)
    assert answer.reason in {"tls", "reset", "closed"}, answer


@on_each_loop
async def test_a_bad_certificate_file(tmp_path: Path) -> None:
    """A file that holds no certificate is named: at once for a transport, in the outcome for an endpoint."""
    (tmp_path / "empty.pem").write_text("nothing")
    with pytest.raises(NotAvailable, match=r"missing\.pem.*No such file"):
        async with transport(ca_file=str(tmp_path / "missing.pem")):
            pass
    async with hostile(obliging) as receiver, transport() as sender:
        answer = await send(sender, receiver.url, PLENTY, tls=str(tmp_path / "empty.pem"))
    assert answer.reason == "tls"
    assert "empty.pem' cannot be used: it holds no PEM certificate" in answer.detail
    assert receiver.connections == 0
