"""The plugin in a pytest of its own: what a test sees of the fixtures, and what is shown where one fails."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path
from textwrap import dedent

import pytest

# What a pytest in this process loads it forgets when it ends; what is loaded here stays.
import sender.testing.serving
import sender.testing.world  # noqa: F401

README = Path(__file__).parents[2] / "README.md"

pytest_plugins = ("pytester",)

RECEIVER = """
    import pytest

    def receiver(environ, start, status="204 x"):
        environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"]))
        start(status, [])
        return [b""]

    def deaf(environ, start):
        return receiver(environ, start, "503 x")
"""


def run(pytester: pytest.Pytester, tests: str, *arguments: str) -> pytest.RunResult:
    """Run tests in a pytest of their own in this process."""
    pytester.makepyfile(dedent(RECEIVER) + dedent(tests))
    pytester.makeini("[pytest]\nfilterwarnings = error\n")
    return pytester.runpytest_inprocess("-p", "sender.pytest_plugin", "-p", "no:cacheprovider", *arguments)


@pytest.fixture(autouse=True)
def _no_other_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out what else is installed here: it costs each pytest a second."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


def test_pytest_finds_it_by_itself() -> None:
    """Whoever installs the package has the fixtures, without a line of configuration."""
    assert "sender.pytest_plugin" in [one.value for one in entry_points(group="pytest11")]


def test_a_failing_test_shows_its_deliveries(pytester: pytest.Pytester) -> None:
    """The report of the events is a section of the test's output; a test that passes shows nothing."""
    result = run(
        pytester,
        """
        def test_bad(paymos):
            paymos.receiver(deaf)
            paymos.cancel(paymos.create_invoice("10", order_id="order-9"))
            paymos.advance(minutes=1)
            assert False

        def test_good(paymos):
            paymos.receiver(receiver)
            paymos.cancel(paymos.create_invoice("10"))
        """,
    )
    result.assert_outcomes(failed=1, passed=1)
    result.stdout.fnmatch_lines(
        ["*- paymos-sim -*", "invoice.cancelled of order-9 to http://127.0.0.1:*pending, 2 attempts*", "*1*+0s*x 503*"]
    )
    assert result.stdout.str().count("- paymos-sim -") == 1


def test_a_broken_law_is_an_error_of_the_test(pytester: pytest.Pytester) -> None:
    """What the sender did wrong is found where the fixture ends, and can be left out."""
    result = run(
        pytester,
        """
        from sqlalchemy import delete
        from sender.store.schema import attempts

        async def forget(paymos):
            async with paymos.aio._simulator.database.write() as session:
                await session.run(delete(attempts))

        def sin(paymos):
            paymos.receiver(receiver)
            paymos.cancel(paymos.create_invoice("10"))
            paymos.thread.run(forget(paymos))

        def test_checked(paymos):
            sin(paymos)

        @pytest.mark.paymos(laws=False)
        def test_not_checked(paymos):
            sin(paymos)

        def test_made(paymos_factory):
            paymos_factory(laws=False)
            sin(paymos_factory())
            paymos_factory()
        """,
    )
    result.assert_outcomes(passed=3, errors=2)
    result.stdout.fnmatch_lines(["*LawsBroken: no delivery ends but by success, ladder or deletion: invoice*"])


BAD = {
    "seed='x'": "*paymos: 'x' is no seed; write a whole number, as in seed=2*",
    "sed=2": "*paymos: 'sed' is no option of paymos; did you mean 'seed'?*",
    "clock='later'": "*paymos: 'later' is not a clock mode; write real, manual, skip*",
    "attempt_timeout='5'": "*paymos: '5' has no unit*",
    "database_url='mysql://x'": "*paymos: *mysql*",
    "7": "*paymos: its options have names, as in @pytest.mark.paymos(seed=2)*",
}


def test_a_bad_marker_is_an_error_of_the_test(pytester: pytest.Pytester) -> None:
    """It is said in a sentence, without a traceback."""
    tests = [f"@pytest.mark.paymos({marker})\ndef test_{number}(paymos): pass" for number, marker in enumerate(BAD)]
    result = run(pytester, "\n".join(tests))
    result.assert_outcomes(errors=len(BAD))
    for said in BAD.values():
        result.stdout.fnmatch_lines_random([said])
    result.stdout.no_fnmatch_line("*sender/*.py:*")


def test_markers_add_up(pytester: pytest.Pytester) -> None:
    """Those of the module hold for every test in it; the nearer one wins."""
    run(
        pytester,
        """
        pytestmark = pytest.mark.paymos(seed=5, clock="skip")

        def test_of_the_module(paymos):
            assert (paymos.options.seed, paymos.options.clock) == (5, "skip")

        @pytest.mark.paymos(seed=6)
        def test_of_its_own(paymos, paymos_factory):
            assert (paymos.options.seed, paymos.options.clock) == (6, "skip")
            assert paymos_factory(clock="manual").options.clock == "manual"
        """,
    ).assert_outcomes(passed=2)


def test_the_session_has_one(pytester: pytest.Pytester) -> None:
    """``paymos_session`` is the same one in every test of a process, and keeps its world."""
    run(
        pytester,
        """
        ids = []

        @pytest.mark.parametrize("number", [1, 2])
        def test_it(paymos_session, number):
            ids.append(paymos_session.create_invoice("10").id)
            assert len(set(ids)) == number
        """,
    ).assert_outcomes(passed=2)


@pytest.mark.parametrize("mode", ["auto", "strict"])
def test_asyncio_tests_in_both_modes(pytester: pytest.Pytester, mode: str) -> None:
    """A coroutine test awaits ``paymos.aio``; the fixture is the same plain one in either mode of pytest-asyncio."""
    run(
        pytester,
        """
        from aiohttp import web

        async def hook(request):
            return web.Response(status=204)

        @pytest.mark.asyncio
        async def test_it(paymos):
            app = web.Application()
            app.router.add_post("/webhook", hook)
            async with paymos.aio.serving(app):
                invoice = await paymos.aio.create_invoice("10")
                await paymos.aio.cancel(invoice)
                await paymos.aio.expect(invoice, "invoice.cancelled", state="delivered")
        """,
        *("-p", "pytest_asyncio.plugin", f"--asyncio-mode={mode}", "-o", "asyncio_default_fixture_loop_scope=function"),
    ).assert_outcomes(passed=1)


def test_side_by_side_with_xdist(pytester: pytest.Pytester) -> None:
    """Two processes play at once, and the report of a failure comes back from the other process."""
    result = run(
        pytester,
        """
        @pytest.mark.parametrize("number", range(4))
        def test_it(paymos, number):
            paymos.receiver(receiver)
            paymos.cancel(paymos.create_invoice("10", order_id=f"order-{number}"))
            assert number != 3
        """,
        *("-p", "xdist", "-n2"),
    )
    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines(["*- paymos-sim -*", "invoice.cancelled of order-3 to http*"])


SHOP = """
import json

class Shop:
    def __init__(self, webhook_secret):
        self.seen, self.shipped, self.is_down = set(), [], False

    def __call__(self, environ, start):
        event = json.loads(environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"])))
        if self.is_down:
            start("503 x", [])
            return [b""]
        if event["event_type"] == "invoice.paid" and event["event_id"] not in self.seen:
            self.shipped.append(event["data"]["order"]["external_id"])
        self.seen.add(event["event_id"])
        start("204 x", [])
        return [b""]

make_app = Shop
"""


def test_the_readme_is_true(pytester: pytest.Pytester) -> None:
    """The tests of its page pass against a shop of the kind that they speak of."""
    section = README.read_text().split("\n## In pytest\n")[1]
    (tests, *_) = re.findall(r"^```python\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    pytester.makepyfile(shop=SHOP)
    pytester.syspathinsert()
    run(pytester, tests).assert_outcomes(passed=2)


def test_it_loads_nothing_until_a_fixture_is_used() -> None:
    """A project that has it installed and does not use it pays for one small module (≤ 30 ms)."""
    code = (
        "import time, pytest, sys\nbefore = set(sys.modules)\nbegan = time.perf_counter()\n"
        "import sender.pytest_plugin\ntook = time.perf_counter() - began\n"
        "print(sorted(one for one in set(sys.modules) - before if one != 'sender')); assert took <= 0.03, took"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "['sender.pytest_plugin']"
