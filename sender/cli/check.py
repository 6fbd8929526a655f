"""``paymos-sim check``: a verdict on a receiver, in whatever language it is written."""

from __future__ import annotations

import asyncio
import os
import sys
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

from sender import __version__
from sender.check.choice import chosen, explained, listed
from sender.cli import readers, reports
from sender.clock import Clock
from sender.errors import NotAvailable, UsageError
from sender.loops import run
from sender.probe.spec import make_probe
from sender.signals import end_on_sigterm

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from sender.check.check import Check
    from sender.check.events import Listener, Plan, Verdicts
    from sender.check.means import Means
    from sender.cli.options import Options

TERMINATED = 143
"""128 + SIGTERM."""


def main(options: Options) -> int:
    """Run the checks, or tell about them; return 0 when none failed, 1 when one did, 2 when nothing can be said."""
    if options.has("explain"):
        print(explained(options.text("explain") or ""))
        return 0
    checks = chosen(options.text("only"), options.text("skip"))
    if options.has("list"):
        print("\n".join(listed(checks)))
        return 0
    files = options.read("report", reports.wanted, reports.NONE)
    url, secret = _required(options, "target"), _required(options, "secret")
    options.read("api_base", readers.url, None)
    try:
        return run(_check(options, checks, url, secret, files))
    except asyncio.CancelledError:
        return TERMINATED


def _required(options: Options, name: str) -> str:
    value = options.read(name, {"target": readers.url, "secret": readers.secret}[name], None)
    if value is None:
        raise UsageError(f"--{name} is missing; {_WHY[name]}")
    return value


_WHY = {
    "target": "give the webhook URL of your receiver, as in --target http://127.0.0.1:5000/webhook",
    "secret": "give the webhook secret that your receiver has, as in --secret whsec_test_…",
}


async def _check(options: Options, checks: Sequence[Check], url: str, secret: str, files: dict[str, Path]) -> int:
    from sender.check.opening import bench_for  # noqa: PLC0415 - the simulator, once it is needed
    from sender.check.runner import run_checks  # noqa: PLC0415
    from sender.cli.check_api import serving  # noqa: PLC0415

    end_on_sigterm()
    listener = _listener(options)
    base = options.text("api_base")
    async with AsyncExitStack() as stack:
        means = await _means(options, url, secret, stack)
        api = None if base is None else serving(base, means.asked)
        seed = options.read("seed", readers.seed, int.from_bytes(os.urandom(7)))
        bench = await stack.enter_async_context(bench_for(means, seed, api=api))
        verdicts = await run_checks(bench, checks, listener)
    for name, path in files.items():
        _write(name, path, verdicts, listener.plan)
    return verdicts.exit_code


async def _means(options: Options, url: str, secret: str, stack: AsyncExitStack) -> Means:
    from sender.check.means import Means  # noqa: PLC0415
    from sender.check.restart import RestartCommand  # noqa: PLC0415
    from sender.check.volley import Target  # noqa: PLC0415

    clock = Clock()
    trust = options.read("trust", readers.trust, None)
    probe = options.read("probe", lambda text: make_probe(text, clock), None)
    if probe is not None:
        stack.push_async_callback(probe.close)
    return Means(
        url=url,
        secret=secret,
        probe=probe,
        restart=options.read("restart_cmd", lambda text: RestartCommand.read(text, Target(url, trust), clock), None),
        retired=options.read("retired_secret", readers.secret, None),
        asked=[] if options.has("api_base") else None,
        trust=trust,
    )


class _Listener:
    """Hands on what happens, and keeps the plan for the files."""

    def __init__(self, inner: Listener) -> None:
        self._inner = inner
        self.plan: Plan | None = None
        self.started, self.finished, self.ended = inner.started, inner.finished, inner.ended

    def planned(self, plan: Plan) -> None:
        """Keep the plan."""
        self.plan = plan
        self._inner.planned(plan)


def _listener(options: Options) -> _Listener:
    from sender.check.report_json import JsonReport  # noqa: PLC0415
    from sender.check.report_text import TextReport  # noqa: PLC0415
    from sender.scenario.report_ink import Ink  # noqa: PLC0415

    if options.has("json"):
        return _Listener(JsonReport(_say))
    terminal = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
    return _Listener(TextReport(_say, Ink(terminal and "NO_COLOR" not in os.environ), live=terminal))


def _say(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def _write(name: str, path: Path, verdicts: Verdicts, plan: Plan | None) -> None:
    from sender.check import report_files  # noqa: PLC0415 - a template engine, once it is wanted

    makers = {
        "junit": report_files.junit_report,
        "json": report_files.json_report,
        "html": report_files.html_report,
    }
    if plan is None:
        return
    try:
        path.write_bytes(makers[name](verdicts, plan, __version__))
    except OSError as error:
        raise NotAvailable(f"--report: {path} cannot be written: {error.strerror}") from None
