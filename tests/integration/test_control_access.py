"""The control API towards browsers, its own description, and the processes that it starts."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from sender.web.admission import COOKIE, PAGE_TOKEN_HEADER, Admission
from sender.web.parts import ApiOptions
from tests.api import PATIENCE, serving
from tests.controlling import ask

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.api import Api

OWN = {"Origin": "http://127.0.0.1:8080"}


@pytest.fixture
async def api() -> AsyncIterator[Api]:
    """Give a running API."""
    async with serving() as running:
        yield running


async def test_a_browser_needs_the_token_of_a_page() -> None:
    """A page of another port or site cannot change anything, whatever cookie comes along; reading and programs may."""
    async with serving() as api:
        assert (await ask(api, "GET", "/events", **OWN)).status == 200
        for headers in (
            OWN,
            {"Sec-Fetch-Site": "same-site"},
            {"Cookie": f"{COOKIE}=x"},
            OWN | {PAGE_TOKEN_HEADER: "x"},
        ):
            refused = await ask(api, "DELETE", "/faults", **headers)
            assert (refused.status, refused.document["code"]) == (403, "page_token_required")
        assert (await ask(api, "DELETE", "/faults")).status == 204


async def test_the_cookie_stands_for_the_token_and_not_for_the_page() -> None:
    """With a token, a browser that has shown it reads by its cookie, and changes with the page's token besides."""
    known = {"Cookie": f"{COOKIE}={Admission('opensesame').cookie}"}
    async with serving(options=ApiOptions(control_token="opensesame")) as api:
        assert (await ask(api, "GET", "/events", Cookie=f"{COOKIE}=guess")).status == 401
        assert (await ask(api, "GET", "/events", **known)).status == 200
        assert (await ask(api, "DELETE", "/faults", **known)).status == 403
        assert (await ask(api, "DELETE", "/faults", **OWN, Authorization="Bearer opensesame")).status == 204


async def test_the_description_names_every_call(api: Api) -> None:
    """The control API describes itself, and each path that it names answers something else than 404 of no route."""
    document = (await ask(api, "GET", "/openapi.json")).document
    assert len(document["paths"]) > 25
    for path, item in document["paths"].items():
        for method in item:
            if path.endswith("/stream"):
                continue
            answer = await api.raw(method.upper(), path.replace("{id}", "nobody"), b"", {})
            assert "there is nothing at" not in answer.raw.decode(), path


async def test_a_story_is_played_beside_the_simulator(api: Api) -> None:
    """A shipped story and a given one are started, followed line by line to their end, and reported."""
    assert "happy-path" in (await ask(api, "GET", "/stories")).document["items"]
    given = 'name: nothing to see\nsteps:\n  - create_invoice: {as: one, amount: "1.00", currency: USD}\n'
    run = (await ask(api, "POST", "/runs", {"story": given})).document
    assert run["state"] == "running"
    seen: list[dict] = []
    ended = False
    async with asyncio.timeout(PATIENCE):
        while not ended:
            page = (await ask(api, "GET", f"/runs/{run['id']}/lines?after={len(seen)}&wait=5")).document
            seen += page["items"]
            ended = page["ended"]
    done = (await ask(api, "GET", f"/runs/{run['id']}")).document
    assert (done["state"], done["lines"], done["report"]) == ("passed", len(seen), seen[-1])
    wrong = (await ask(api, "POST", "/runs", {"story": "steps: 5"})).document
    async with asyncio.timeout(PATIENCE):
        while not (page := (await ask(api, "GET", f"/runs/{wrong['id']}/lines?wait=5")).document)["ended"]:
            pass
    done = (await ask(api, "GET", f"/runs/{wrong['id']}")).document
    assert (page["state"], "story.yaml" in done["problem"]) == ("could_not_run", True)
    assert [one["id"] for one in (await ask(api, "GET", "/runs")).document["items"]] == [wrong["id"], run["id"]]


async def test_runs_are_bounded_and_can_be_stopped(api: Api) -> None:
    """Two at once and no more; a stopped run makes room; what ships under no such name is 404."""
    runs = [(await ask(api, "POST", "/runs", {"name": "ladder-to-the-end"})).document["id"] for _ in range(2)]
    third = await ask(api, "POST", "/runs", {"name": "happy-path"})
    assert (third.status, third.document["code"]) == (409, "too_many_runs")
    for run in runs:
        for _ in range(2):
            assert (await ask(api, "DELETE", f"/runs/{run}")).document["state"] == "stopped"
    for body in ({"name": "../../etc/passwd"}, {"name": "no-such-story"}):
        assert (await ask(api, "POST", "/runs", body)).status == 404
    for body in ({}, {"name": "happy-path", "story": "x"}):
        assert (await ask(api, "POST", "/runs", body)).status == 400
    assert (await ask(api, "GET", "/runs/run_99")).status == 404
