"""No test is silently left out where nobody would look: in continuous integration a skipped test has failed.

Elsewhere what is missing on a machine is told in one line, however many tests wanted it.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Turn a skipped test into a failed one in continuous integration, with its reason."""
    report = yield
    marked = any(item.get_closest_marker(name) for name in ("skip", "skipif"))
    if report.skipped and call.excinfo is not None and not marked:
        _name_place(report, call.excinfo)
    if not hasattr(report, "wasxfail"):
        _refuse_skip(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Do the same to a file that skips itself."""
    report = yield
    _refuse_skip(report)
    return report


def _name_place(report: pytest.TestReport, why: pytest.ExceptionInfo[BaseException]) -> None:
    """Name the line that skips, which pytest does not where that is a fixture; it counts what is alike as one line."""
    if isinstance(report.longrepr, tuple):
        skips = why.traceback.filter(why)[-1]
        report.longrepr = (str(skips.path), skips.lineno + 1, report.longrepr[2])


def _refuse_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    if report.skipped and os.environ.get("CI") == "true":
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longreprtext
        report.outcome = "failed"
        report.longrepr = f"no test is skipped in continuous integration. {reason}"
