"""What comes in, made plain: strict JSON and the target as it was sent."""

from __future__ import annotations

from typing import Any

import pytest
from aiohttp.test_utils import make_mocked_request

from sender.web.reading import json_object, target_of
from sender.web.refusals import Invalid, NotJson

JSON = "application/json"


def read(body: bytes, content_type: str | None = JSON) -> dict[str, Any]:
    """Read a body that came with a content type."""
    headers = {} if content_type is None else {"Content-Type": content_type}
    return json_object(make_mocked_request("POST", "/", headers=headers), body)


@pytest.mark.parametrize("content_type", [JSON, "application/json; charset=utf-8", 'Application/JSON;charset="UTF-8"'])
def test_json_in_utf_8_is_read(content_type: str) -> None:
    """Media type and charset are compared without regard to case."""
    assert read('{"заказ": "№ 1"}'.encode(), content_type) == {"заказ": "№ 1"}


def test_nothing_is_an_empty_object() -> None:
    """A request without a body needs no content type either."""
    assert read(b"", None) == {}


@pytest.mark.parametrize(
    "content_type",
    [
        None,
        "",
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/jsonp",
        "application/json; charset=latin-1",
    ],
)
def test_other_media_types_are_refused(content_type: str | None) -> None:
    """A body that is not announced as JSON in UTF-8 is not read as if it were."""
    with pytest.raises(NotJson):
        read(b"{}", content_type)


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b"{", "line 1, column 2"),
        (b'{"a": 1,}', "not JSON"),
        (b"{'a': 1}", "not JSON"),
        (b'{"a": 1} x', "not JSON"),
        (b'{"a": 1}{"b": 2}', "not JSON"),
        (b'{"a": "\n"}', "not JSON"),
        (b"\xef\xbb\xbf{}", "not JSON"),
        (b"\0", "not JSON"),
        (b" ", "not JSON"),
        (b'{"a": "\xff"}', "not UTF-8 at byte 7"),
        ('{"a": 1}'.encode("utf-16"), "not UTF-8"),
        (b"[]", "not an object"),
        (b"null", "not an object"),
        (b'"{}"', "not an object"),
        (b"12", "not an object"),
        (b'{"a": 1, "b": 2, "a": 1}', "the key 'a' more than once"),
        (b'{"a": {"b": 1, "b": 1}}', "the key 'b' more than once"),
        (b'{"a": NaN}', "NaN"),
        (b'{"a": -Infinity}', "-Infinity"),
        (b'{"a": ' + b"9" * 5_000 + b"}", "too many digits"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"a":' * 100_000, "nested too deeply"),
    ],
    ids=range(22),
)
def test_malformed_json_is_refused_with_its_place(body: bytes, says: str) -> None:
    """Whatever is wrong with a body, the answer is a 400 that says what."""
    with pytest.raises(Invalid) as caught:
        read(body)
    assert says in str(caught.value)
    assert caught.value.reason_code == "malformed_json"


@pytest.mark.parametrize(
    ("sent", "path", "query"),
    [
        ("/v1/invoices", "/v1/invoices", ""),
        ("/v1/invoices?", "/v1/invoices", "?"),
        ("/v1/a%20b%2F%2a~?x=%2f&y=+?z", "/v1/a%20b%2F%2a~", "?x=%2f&y=+?z"),
        ("http://localhost:8080/v1/time?a=b", "/v1/time", "?a=b"),
        ("http://localhost:8080", "/", ""),
        ("//v1//time", "//v1//time", ""),
    ],
)
def test_target_is_taken_as_it_was_sent(sent: str, path: str, query: str) -> None:
    """What is signed is what stood in the request line, nothing re-escaped (contract §5.1)."""
    request = make_mocked_request("GET", "/")
    changed = request._message._replace(path=sent)
    request._message = changed
    assert target_of(request) == (path, query)
