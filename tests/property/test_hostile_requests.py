"""Requests that mean harm: whatever is sent to the control API is done, or refused in a problem document."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sender.errors import FileRefused
from sender.runs import Run, ScenarioRuns
from sender.scenario.language import load_scenario
from tests.api import PATIENCE, Answer, serving_beside
from tests.described import described_control
from tests.fuzz import fuzzing, words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.api import Beside


class ReadOnly(ScenarioRuns):
    """Reads the stories that are to be played, as ``run`` does, and starts no process for them."""

    async def _child(self, run: Run, path: str, folder: str) -> int:
        try:
            load_scenario(Path(path))
        except FileRefused:
            return 2
        return 0


class Target(NamedTuple):
    """One call: its method, and its path."""

    method: str
    path: str


TARGETS = [
    Target(method.upper(), path)
    for path, item in described_control()["paths"].items()
    for method in item
    if not path.endswith("/stream")
]
_schemas = described_control()["components"]["schemas"].values()
NAMES = sorted({name for schema in _schemas for name in schema.get("properties", {})} | {"limit", "after", "cursor"})

numbers = st.integers(-(10**40), 10**40) | st.floats() | st.sampled_from([0, -1, 2**31, 2**63, 10**400])
json_values = st.recursive(
    st.none() | st.booleans() | numbers | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES) | words, inner, max_size=4),
    max_leaves=8,
)
bodies = st.one_of(
    st.just(b""),
    json_values.map(lambda value: json.dumps(value).encode()),
    st.dictionaries(st.sampled_from(NAMES), json_values, max_size=4).map(lambda value: json.dumps(value).encode()),
    st.binary(max_size=60),
    st.sampled_from(
        [b"[" * 100_000, b'{"a":' * 20_000, b'{"name":1,"name":2}', b"9" * 10_000, b'"\\ud800"', b"\xff{}"]
    ),
)
segments = st.sampled_from(["whe_0", "evt_0", "1", "..", "%00", "%ff", "%2e%2e%2f"]) | words.map(
    lambda word: quote(word, safe="", errors="surrogatepass")
)
queries = st.lists(st.tuples(st.sampled_from(NAMES), segments), max_size=3).map(
    lambda pairs: "&".join(f"{name}={value}" for name, value in pairs)
)
types = st.sampled_from(["application/json", "text/plain", "application/json; charset=utf-16", "multipart/form-data"])


@pytest.fixture(scope="module")
def beside() -> Iterator[Beside]:
    """Give a running API in a thread, which plays no stories."""
    with serving_beside(make_runs=ReadOnly) as running:
        yield running


def send(beside: Beside, method: str, target: str, body: bytes, content: str = "application/json") -> Answer:
    """Make one call from here; ``api.raw`` holds the answer against the description."""
    call: Any = beside.api.raw(method, target, body, {"Content-Type": content})
    return asyncio.run_coroutine_threadsafe(call, beside.loop).result(PATIENCE)


@fuzzing(200)
@given(target=st.sampled_from(TARGETS), segment=segments, query=queries, body=bodies, content=types)
@example(target=Target("GET", "/_sim/v1/events"), segment="", query="cursor=%00", body=b"", content="application/json")
def test_any_request_is_answered_as_described(
    beside: Beside, target: Target, segment: str, query: str, body: bytes, content: str
) -> None:
    """No call of the control API answers 5xx, or anything else that its description does not name."""
    path = target.path.replace("{id}", segment or "x")
    answer = send(beside, target.method, f"{path}?{query}" if query else path, body, content)
    assert answer.status < 500
    if answer.status >= 400:
        assert answer.headers["Content-Type"].startswith("application/problem+json")
        assert answer.document["status"] == answer.status


@fuzzing(60)
@given(story=st.text(max_size=200) | words, name=st.none() | words)
def test_any_story_that_is_handed_in_is_taken_or_refused(beside: Beside, story: str, name: str | None) -> None:
    """A story over the control API is its text: a name that does not ship is no file that is looked for."""
    wish = {"story": story} if name is None else {"name": name}
    answer = send(beside, "POST", "/_sim/v1/runs", json.dumps(wish).encode())
    assert answer.status in ({201, 400, 409} if name is None else {400, 404})
