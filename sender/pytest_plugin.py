"""Fixtures for pytest: ``paymos``, ``paymos_session``, ``paymos_factory``. Nothing else is loaded until one is used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    from sender.testing import Paymos

MARKER = "paymos"
OPEN: pytest.StashKey[list[Paymos]] = pytest.StashKey()
"""The simulators that a test uses: their reports are shown where it fails."""


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known."""
    options = "clock='manual', seed=1, start=…, ladder='paymos', attempt_timeout='10s', laws=True"
    config.addinivalue_line("markers", f"{MARKER}({options}): options of the simulator behind the fixture paymos")


@pytest.fixture
def paymos(request: pytest.FixtureRequest) -> Iterator[Paymos]:
    """Give this test a Paymos of its own: a database in memory, a clock that stands still, laws that are checked."""
    yield from _opened(request, _options_of(request))


@pytest.fixture(scope="session")
def paymos_session() -> Iterator[Paymos]:
    """Give all tests of this process one Paymos: for a receiver that is started once."""
    from sender.testing import Paymos as Simulator  # noqa: PLC0415 - only where it is used

    with Simulator() as simulator:
        yield simulator


@pytest.fixture
def paymos_factory(request: pytest.FixtureRequest) -> Iterator[Callable[..., Paymos]]:
    """Give a function that makes as many as a test needs: ``paymos_factory(seed=2)``."""
    opened: list[Iterator[Paymos]] = []

    def make(**options: Any) -> Paymos:
        opened.append(_opened(request, {**_options_of(request), **options}))
        return next(opened[-1])

    yield make
    failures = [failure for one in reversed(opened) if (failure := _ended(one)) is not None]
    if failures:
        raise failures[0]


def _opened(request: pytest.FixtureRequest, options: dict[str, Any]) -> Iterator[Paymos]:
    from sender.errors import UsageError  # noqa: PLC0415 - only where it is used
    from sender.testing import Paymos as Simulator  # noqa: PLC0415

    try:
        simulator = Simulator(**options)
    except UsageError as error:
        pytest.fail(f"{MARKER}: {error}", pytrace=False)
    with simulator:
        request.node.stash.setdefault(OPEN, []).append(simulator)
        yield simulator


def _ended(opened: Iterator[Paymos]) -> BaseException | None:
    try:
        next(opened, None)
    except Exception as error:  # noqa: BLE001 - every other one has to end too
        return error
    return None


def _options_of(request: pytest.FixtureRequest) -> dict[str, Any]:
    """Return the options of the markers on this test; the one nearest to it wins."""
    options: dict[str, Any] = {}
    for marker in reversed(list(request.node.iter_markers(MARKER))):
        if marker.args:
            pytest.fail(f"{MARKER}: its options have names, as in @pytest.mark.paymos(seed=2)", pytrace=False)
        options |= marker.kwargs
    return options


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
    """Attach what the simulators did to the report of a test that fails."""
    report = yield
    if call.when == "call" and report.failed:
        shared = getattr(item, "funcargs", {}).get("paymos_session")
        for simulator in [*item.stash.get(OPEN, []), *([shared] if shared else [])]:
            report.sections.append(("paymos-sim", _told(simulator)))
    return report


def _told(simulator: Paymos) -> str:
    try:
        return simulator.report_text()
    except Exception as error:  # noqa: BLE001 - a report must never hide why the test failed
        return f"no report: {type(error).__name__}: {error}"
