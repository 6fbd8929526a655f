"""Who asks: the provider's own vectors, byte for byte, and everything that is refused (contract §5.1)."""

from __future__ import annotations

import json
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest
from aiohttp.test_utils import make_mocked_request

from sender.clock import Clock
from sender.domain.signature import request_signature
from sender.durations import SECOND
from sender.errors import Forbidden
from sender.web.merchant.gate import _NOBODY, Caller, Gate
from sender.web.refusals import Unauthorized

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from aiohttp import web

    from sender.store.engine import Database

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "paymos.json").read_text())["request"]
VECTOR = VECTORS[0]


class FixedClock(Clock):
    """A clock that stands where it is put."""

    def __init__(self, second: int) -> None:
        self.second = second

    def real_now(self) -> int:
        """Return the instant."""
        return self.second * SECOND


class OneKey:
    """A database that holds one key."""

    def __init__(self, key_id: str, secret: str) -> None:
        self.row = SimpleNamespace(id=key_id, secret=secret, kind="payment", is_test=True)
        self.lookups = 0

    @asynccontextmanager
    async def read(self) -> AsyncIterator[OneKey]:
        """Open nothing."""
        self.lookups += 1
        yield self

    async def rows(self, _statement: object, params: dict[str, str]) -> list[Any]:
        """Return the key if it is asked for."""
        return [self.row] if params["b_id"] == self.row.id else []


def gate(second: int = 1_700_000_000, database: OneKey | None = None) -> Gate:
    """Return a gate that knows the key of the vectors."""
    found = database or OneKey(VECTOR["api_key"], VECTOR["api_secret"])
    return Gate(cast("Database", found), FixedClock(second))


def asked(vector: dict[str, str], **changes: str | None) -> web.Request:
    """Return the request of a vector, with some headers changed or left out."""
    headers = {
        "Authorization": f"HMAC-SHA256 {vector['api_key']}:{vector['signature']}",
        "X-Request-Timestamp": vector["timestamp"],
    } | {name.replace("_", "-"): value for name, value in changes.items()}
    sent = {name: value for name, value in headers.items() if value is not None}
    return make_mocked_request(vector["method"], vector["path"] + vector["query"], headers=sent)


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
async def test_published_vectors_are_let_in(vector: dict[str, str]) -> None:
    """The provider's conformance vectors, query and empty body included, verify as they are."""
    caller = await gate().admit(asked(vector), vector["body"].encode())
    assert caller == Caller("pk_test_key", frozenset({"payment"}), is_test=True)


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
@pytest.mark.parametrize("part", ["body", "path", "query", "method"])
async def test_every_part_is_signed(vector: dict[str, str], part: str) -> None:
    """A change of any part of the request is found out."""
    changed = {"body": vector["body"] + " ", "path": vector["path"] + "x", "method": "PUT"}
    changed["query"] = vector["query"].replace("=paid&", "=paid&x=1&") or "?x=1"
    other = vector | {part: changed[part]}
    with pytest.raises(Unauthorized) as caught:
        await gate().admit(asked(other), other["body"].encode())
    assert caught.value.reason_code == "invalid_signature"


@pytest.mark.parametrize(("second", "fresh"), [(-300, True), (-301, False), (300, True), (301, False)])
async def test_five_minutes_either_way(second: int, fresh: bool) -> None:  # noqa: FBT001 - a row of a table
    """The timestamp may be exactly five minutes off and not a second more."""
    door = gate(1_700_000_000 + second)
    if fresh:
        await door.admit(asked(VECTOR), VECTOR["body"].encode())
        return
    with pytest.raises(Unauthorized) as caught:
        await door.admit(asked(VECTOR), VECTOR["body"].encode())
    assert caught.value.reason_code == "timestamp_out_of_range"


async def test_unknown_key_and_wrong_signature_look_the_same() -> None:
    """Nobody learns from the answer which keys there are."""
    told = []
    for header in (
        f"HMAC-SHA256 pk_other_key:{VECTOR['signature']}",
        f"HMAC-SHA256 {VECTOR['api_key']}:{VECTOR['signature'][:-2]}A=",
    ):
        with pytest.raises(Unauthorized) as caught:
            await gate().admit(asked(VECTOR, Authorization=header), VECTOR["body"].encode())
        told.append((caught.value.reason_code, str(caught.value)))
    assert told[0] == told[1]


async def test_secret_that_stands_in_for_unknown_keys_opens_nothing() -> None:
    """An unknown key is compared with something all the same; whoever knows with what is not let in either."""
    headers = {"timestamp": VECTOR["timestamp"], "method": "GET", "path": "/v1/time", "query": "", "body": b""}
    signature = request_signature(_NOBODY, **headers)
    vector = {**VECTOR, "method": "GET", "path": "/v1/time", "api_key": "pk_nobody", "signature": signature}
    with pytest.raises(Unauthorized):
        await gate().admit(asked(vector), b"")


@pytest.mark.parametrize(
    "header",
    [
        None,
        "",
        "Bearer abc",
        "hmac-sha256 pk_test_key:AAAA",
        "HMAC-SHA256",
        "HMAC-SHA256 pk_test_key",
        "HMAC-SHA256 :AAAA",
        "HMAC-SHA256 pk_test_key:",
        "HMAC-SHA256 pk_test_key:===",
        "HMAC-SHA256  pk_test_key:AAAA",
        "HMAC-SHA256 pk_test_key:AA\u00e9A",
        "HMAC-SHA256 pk_\u0000key:AAAA",
        "HMAC-SHA256 " + "p" * 200 + ":AAAA",
    ],
)
async def test_malformed_credentials_are_refused(header: str | None) -> None:
    """What has not the form of credentials is a 401 that says which form it has to have."""
    with pytest.raises(Unauthorized):
        await gate().admit(asked(VECTOR, Authorization=header), VECTOR["body"].encode())


@pytest.mark.parametrize("timestamp", [None, "", "-1", "1.7e9", "1700000000.0", "\u0661" * 10, "9" * 400, " 1 7"])
async def test_malformed_timestamps_are_refused(timestamp: str | None) -> None:
    """Unix seconds are digits and nothing else."""
    with pytest.raises(Unauthorized):
        await gate().admit(asked(VECTOR, X_Request_Timestamp=timestamp), VECTOR["body"].encode())


async def test_known_key_is_looked_up_once_and_unknown_ones_always() -> None:
    """A key that was found is remembered; one that is added later is found then."""
    database = OneKey("pk_later", VECTOR["api_secret"])
    door = gate(database=database)
    for _ in range(2):
        with pytest.raises(Unauthorized):
            await door.admit(asked(VECTOR), VECTOR["body"].encode())
    database.row.id = VECTOR["api_key"]
    for _ in range(3):
        await door.admit(asked(VECTOR), VECTOR["body"].encode())
    assert database.lookups == 3


@pytest.mark.parametrize(
    ("kind", "needs", "sandbox", "code"),
    [
        ("payment", "payout", False, "payout_key_required"),
        ("payout", "payment", False, "payment_key_required"),
        ("payment", "payment", True, "not_sandbox"),
        ("payment", None, True, "not_sandbox"),
    ],
)
def test_live_key_of_a_kind_does_what_the_kind_may(kind: str, needs: str | None, sandbox: bool, code: str) -> None:  # noqa: FBT001
    """The wrong kind of key, and a live key in the sandbox, are told apart (contract §5.6)."""
    caller = Caller("id", frozenset({kind}), is_test=False)
    with pytest.raises(Forbidden) as caught:
        caller.require(needs, sandbox=sandbox)
    assert caught.value.reason_code == code
