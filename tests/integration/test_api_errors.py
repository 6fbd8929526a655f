"""Whatever comes in, a clear 4xx goes out: problem+json with every member the provider's clients look for."""

from __future__ import annotations

import asyncio
import json
import logging
import zlib
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

import pytest

from sender.errors import StoreError
from sender.web.parts import ApiOptions
from sender.web.reading import LARGEST_BODY
from tests.api import ORDER, PATIENCE, PAYOUT, PROJECT, serving, sign
from tests.simulators import RecordingLog

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.api import Answer, Api

JSON = {"Content-Type": "application/json"}
INVOICE = "/v1/invoices/inv_0000000000000000000000"


@pytest.fixture
async def api() -> AsyncIterator[Api]:
    """Give a running API."""
    async with serving() as running:
        yield running


@pytest.fixture
async def open_api() -> AsyncIterator[Api]:
    """Give a running API that asks nobody who he is."""
    async with serving(options=ApiOptions(authenticate=False)) as running:
        yield running


@asynccontextmanager
async def connected(api: Api) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """Open a bare connection."""
    async with asyncio.timeout(PATIENCE):
        reader, writer = await asyncio.open_connection("127.0.0.1", int(api.base.rpartition(":")[2]))
        try:
            yield reader, writer
        finally:
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()


def told(answer: Answer) -> tuple[int, str]:
    """Return status and code of a problem, which has every member that it must have."""
    assert answer.headers["Content-Type"] == "application/problem+json"
    document = answer.document
    assert document["status"] == answer.status
    assert document["type"] == f"https://paymos.io/docs/errors/codes#{document['code']}"
    assert all(document[name] for name in ("title", "detail", "trace_id"))
    return answer.status, document["code"]


@pytest.mark.parametrize(
    "path", ["/nothing", "/v1", "/v1/", "/v1/invoices/", "/v2/invoices", "/v1/invoices/a/b", "/%00%ff", "/v1/%C3%A9"]
)
async def test_unknown_paths_are_404(api: Api, path: str) -> None:
    """There is nothing at a path that no operation has, however it is written."""
    assert told(await api.raw("GET", path, b"", {})) == (404, "not_found")


@pytest.mark.parametrize(
    ("method", "path", "allow"),
    [
        ("DELETE", "/v1/invoices", "GET,POST"),
        ("PUT", INVOICE, "GET"),
        ("GET", f"{INVOICE}/cancel", "POST"),
        ("OPTIONS", "/v1/time", "GET"),
        ("HEAD", "/v1/time", "GET"),
        ("PROPFIND", "/v1/time", "GET"),
    ],
)
async def test_other_methods_are_405(api: Api, method: str, path: str, allow: str) -> None:
    """A path that is there answers another method with the ones that it has."""
    answer = await api.raw(method, path, b"", {})
    assert (answer.status, answer.headers["Allow"]) == (405, allow)
    assert method == "HEAD" or told(answer) == (405, "method_not_allowed")


@pytest.mark.parametrize(
    "resource_id",
    [
        "inv_1",
        "x",
        "%00",
        "%FF",
        "%ED%A0%80",
        "wdr_0000000000000000000000",
        "..%2F..",
        "inv_%27--",
        "a" * 2_000,
        "%F0%9F%92%A9",
    ],
)
@pytest.mark.parametrize("path", ["/v1/invoices/{}", "/v1/payment-channels/{}", "/v1/payment-channel-deposits/{}"])
async def test_ids_of_nothing_are_404(api: Api, path: str, resource_id: str) -> None:
    """An id that is not there is not found, whatever characters it has."""
    kind = {"invoices": "invoice", "payment-channels": "payment_channel"}.get(path.split("/")[2], "deposit")
    assert told(await api.call("GET", path.format(resource_id))) == (404, f"{kind}_not_found")


async def test_resource_of_another_kind_is_404(api: Api) -> None:
    """The id of a channel is no id of an invoice, to read and to change."""
    body = {"project_id": PROJECT, "external_id": "c"}
    channel = (await api.call("POST", "/v1/payment-channels", body)).document["id"]
    assert told(await api.call("GET", f"/v1/invoices/{channel}")) == (404, "invoice_not_found")
    cancelled = await api.call("POST", f"/v1/invoices/{channel}/cancel", {"reason": "x"})
    assert told(cancelled) == (404, "invoice_not_found")


async def test_unknown_project_is_404(api: Api) -> None:
    """An invoice is created in a project that is there."""
    answer = await api.call("POST", "/v1/invoices", ORDER | {"project_id": "prj_nobody"})
    assert told(answer) == (404, "project_not_found")
    assert answer.document["field"] == "project_id"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", "validation_failed"),
        (b"{", "malformed_json"),
        (b"[]", "malformed_json"),
        (b'{"amount":"1","amount":"2"}', "malformed_json"),
        (b'{"amount": "\xff"}', "malformed_json"),
        (b'{"a":' * 20_000, "malformed_json"),
        (json.dumps(ORDER | {"amount": 11.05}).encode(), "field_invalid"),
        (json.dumps(ORDER | {"amount": "9" * 40}).encode(), "field_invalid_amount"),
        (json.dumps(ORDER | {"amount": "1E5"}).encode(), "field_invalid_amount"),
        (json.dumps(ORDER | {"amount": "11.055"}).encode(), "field_invalid_amount"),
        (json.dumps(ORDER | {"currency": "JPY", "amount": "100.5"}).encode(), "field_invalid_amount"),
        (json.dumps(ORDER | {"external_order_id": "a\0b"}).encode(), "field_invalid"),
        (json.dumps(ORDER | {"external_order_id": "a\ud800b"}).encode(), "field_invalid"),
        (json.dumps(ORDER | {"currency": "\ud800"}).encode(), "field_invalid"),
        (json.dumps(ORDER | {"\ud800\0": 1}).encode(), "field_invalid"),
        (json.dumps(ORDER | {"network": "TON", "currency": "USDC"}).encode(), "validation_failed"),
        (json.dumps(dict.fromkeys(map(str, range(50_000)))).encode(), "validation_failed"),
        (b"{" + b",".join(b'"%d":0' % number for number in range(90_000)) + b',"89999":0}', "malformed_json"),
    ],
    ids=range(18),
)
async def test_bad_bodies_are_400(api: Api, body: bytes, code: str) -> None:
    """Each names what is wrong; none of them is a 500."""
    assert told(await api.call("POST", "/v1/invoices", body)) == (400, code)


async def test_largest_numbers_pass_through_every_step(api: Api) -> None:
    """An amount of 38 digits is quoted, paid and shown exactly."""
    order = ORDER | {"amount": "9" * 38, "currency": "USDT", "network": "TRC20"}
    created = await api.call("POST", "/v1/invoices", order)
    assert created.status == 201
    target = f"/v1/sandbox/invoices/{created.document['invoice_id']}/simulate-payment"
    paid = await api.call("POST", target, {"stage": "paid"})
    assert (paid.status, paid.document["payment"]["paid"]) == (200, "9" * 38 + ".00")


async def test_several_flaws_come_at_once(api: Api) -> None:
    """More than one flaw is validation_failed with a list (contract §5.6)."""
    answer = await api.call("POST", "/v1/withdrawals", {"currency": "EUR", "amount": "-1"}, PAYOUT)
    assert told(answer) == (400, "validation_failed")
    assert {error["field"] for error in answer.document["errors"]} == {
        "currency", "network", "amount", "destination_address", "external_order_id",
    }  # fmt: skip
    assert all(set(error) == {"code", "field", "message"} for error in answer.document["errors"])


async def test_large_bodies_are_413(open_api: Api) -> None:
    """A mebibyte is read, one byte more is not, announced or in chunks."""
    target, fill = "/v1/invoices", b"x" * LARGEST_BODY
    assert told(await open_api.raw("POST", target, fill, JSON)) == (400, "malformed_json")
    assert told(await open_api.raw("POST", target, fill + b"x", JSON)) == (413, "body_too_large")

    async def chunks() -> AsyncIterator[bytes]:
        for _ in range(40):
            yield fill[: LARGEST_BODY // 32]

    async with open_api.session.post(open_api.base + target, data=chunks(), headers=JSON) as answer:
        assert answer.status == 413


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Content-Type": "text/plain"},
        {"Content-Type": "application/json; charset=utf-16"},
        {"Content-Type": "application/x-www-form-urlencoded"},
        JSON | {"Content-Encoding": "deflate"},
        JSON | {"Content-Encoding": "br"},
    ],
)
async def test_other_forms_are_415(open_api: Api, headers: dict[str, str]) -> None:
    """What is not plain JSON in UTF-8 is not read."""
    body = zlib.compress(b"{}") if "Content-Encoding" in headers else b"{}"
    async with open_api.session.post(
        f"{open_api.base}/v1/invoices", data=body, headers=headers, skip_auto_headers=["Content-Type"]
    ) as answer:
        assert answer.status == 415
        assert (await answer.json(content_type=None))["code"] == "unsupported_media_type"


async def test_operations_without_a_body_take_none(api: Api) -> None:
    """Nothing and an empty object are no body; anything else is refused."""
    body = {"project_id": PROJECT, "external_id": "c"}
    target = f"/v1/payment-channels/{(await api.call('POST', '/v1/payment-channels', body)).document['id']}/block"
    assert (await api.call("POST", target)).status == 200
    assert (await api.call("POST", target, {})).status == 200
    assert told(await api.call("POST", target, {"reason": "x"})) == (400, "field_unknown")


@pytest.mark.parametrize(
    "query",
    ["?limit=0", "?limit=x", "?foo=1", "?status=paid&status=paid", "?status=", "?created_from=2&created_to=1", "?a&b",
     "?cursor=abc", "?cursor=%FF", "?limit=%00", "?limit=1&limit=1", "?project_id=%ED%A0%80", f"?cursor={'A' * 5_000}"],
)  # fmt: skip
async def test_bad_queries_are_400(api: Api, query: str) -> None:
    """Unknown, repeated, empty and impossible parameters are refused (contract §5.5)."""
    assert (await api.call("GET", f"/v1/invoices{query}")).status == 400


CHUNKED = b"POST /v1/invoices HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
RAW = [
    (b"GET / HTTP/9.9\r\n\r\n", b"400"),
    (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 300, b"400"),
    (b"GET /v1/time HTTP/1.1\r\nHost: localhost\r\nX: " + b"y" * 70_000 + b"\r\n\r\n", b"400"),
    (b"GET /v1/time HTTP/1.1\r\nHost: localhost\r\nX: a\0b\r\n\r\n", b"400"),
    (b"GET /v1/time HTTP/1.1\r\n\r\n", b"400"),
    (b"GET /v1/time HTTP/1.0\r\n\r\n", b"403"),
    (b"GET http://localhost/v1/time HTTP/1.1\r\nHost: localhost\r\n\r\n", b"200"),
    (b"GET http://evil.example/v1/time HTTP/1.1\r\nHost: evil.example\r\n\r\n", b"403"),
    (b"OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n", b"404"),
    (CHUNKED + b"zz\r\n", b"400"),
    (b"POST /v1/invoices HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\n\r\n", b"400"),
    (b"POST /v1/invoices HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}", b"400"),
    (b"POST /v1/invoices HTTP/1.1\r\nHost: localhost\r\nExpect: miracles\r\nContent-Length: 2\r\n\r\n{}", b"417"),
    (b"POST /v1/invoices HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9999999\r\n\r\n", b"413"),
]  # fmt: skip


@pytest.mark.parametrize(("sent", "status"), RAW, ids=range(len(RAW)))
async def test_bytes_that_are_hardly_http_get_an_answer(
    open_api: Api, caplog: pytest.LogCaptureFixture, sent: bytes, status: bytes
) -> None:
    """Broken requests are answered, with a problem document, and not told of in the log: their senders know."""
    async with connected(open_api) as (reader, writer):
        writer.write(sent)
        line = await reader.readline()
        head = await reader.readuntil(b"\r\n\r\n")
    assert line.split(b" ")[1] == status
    assert (b"Content-Type: application/problem+json" in head) == (status != b"200")
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert (await open_api.raw("GET", "/v1/time", b"", {})).status == 200


async def test_client_that_leaves_in_the_middle_disturbs_nobody(
    open_api: Api, caplog: pytest.LogCaptureFixture
) -> None:
    """A body that never comes whole is nobody's bug."""
    port = int(open_api.base.rpartition(":")[2])
    _, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"POST /v1/invoices HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{")
    await writer.drain()
    writer.transport.abort()
    assert (await open_api.raw("GET", "/v1/time", b"", {})).status == 200
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


async def test_failure_of_the_store_is_503(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """Our own database failing is said as that, and the next request is served."""

    def fail() -> Any:
        raise StoreError("the disk is full")

    await api.call("GET", "/v1/time")
    with monkeypatch.context() as patched:
        patched.setattr(api.simulator.database, "write", fail)
        answer = await api.call("POST", "/v1/invoices", ORDER)
    assert told(answer) == (503, "store_unavailable")
    assert (await api.call("POST", "/v1/invoices", ORDER)).status == 201


async def test_bug_is_500_without_details(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """What nobody foresaw is a problem document too; its traceback is in the log under the same trace."""

    async def fail(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(api.simulator.invoices, "create", fail)
    headers = sign("POST", "/v1/invoices", json.dumps(ORDER).encode()) | JSON
    async with api.session.post(f"{api.base}/v1/invoices", data=json.dumps(ORDER).encode(), headers=headers) as answer:
        document = await answer.json(content_type="application/problem+json")
    assert (answer.status, document["code"]) == (500, "internal")
    assert "ZeroDivision" not in json.dumps(document)
    log = api.simulator.runtime.log
    assert isinstance(log, RecordingLog)
    (line,) = log.of("request.failed")
    assert line["trace_id"] == document["trace_id"]
    assert "ZeroDivisionError" in line["traceback"]
