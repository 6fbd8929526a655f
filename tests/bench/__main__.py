"""Run the benchmark: ``python -m tests.bench [PART …]``; without a part, all of them."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from sender.loops import run
from sender.store.embedded import start
from tests.bench import api, backlog, delivery, fixture, pages, processes
from tests.postgres import find_binaries

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from tests.bench.parts import Figure

    Url = Callable[[str], str]


async def _postgres(_url: Url) -> AsyncIterator[Figure]:
    server = start(binaries=find_binaries())
    try:
        async for figure in delivery.rates(server.url(), "PostgreSQL", "≥0.6"):
            yield figure
    finally:
        server.stop()


async def _starts(_url: Url) -> AsyncIterator[Figure]:
    for figure in processes.starts():
        yield figure


PARTS: dict[str, Callable[[Url], AsyncIterator[Figure]]] = {
    "ladder": lambda url: delivery.ladders(url("ladder")),
    "ladders": lambda url: delivery.many_ladders(url("ladders")),
    "rate": lambda url: delivery.rates(url("rate"), "SQLite", "≥0.65"),
    "postgres": _postgres,
    "idle": lambda url: delivery.latency(url("idle")),
    "succession": lambda url: processes.succession(url("succession")),
    "start": _starts,
    "fixture": lambda _url: fixture.whole_tests(),
    "creates": lambda url: api.creates(url("creates")),
    "reads": lambda url: api.reads(url("reads")),
    "archive": lambda url: pages.archive(url("archive")),
    "live": lambda url: pages.live(url("live")),
    "claim": lambda url: backlog.claims(url("few"), url("many"), "SQLite"),
    "memory": lambda url: backlog.memory(url("few-pending"), url("many-pending")),
}


async def _main(names: list[str]) -> None:
    print(f"{'figure':<60} {'measured':>12}  {'against':<32} {'ratio':>7}  aim")
    with tempfile.TemporaryDirectory() as folder:
        for name in names or list(PARTS):
            async for one in PARTS[name](lambda file: f"sqlite:///{Path(folder) / file}"):
                verdict = "" if one.holds else "  MISSED"
                numbers = f"{one.measured:>12}  {one.against:<32} {one.ratio:>7.3f}"
                print(f"{one.name:<60} {numbers}  {one.aim}{verdict}", flush=True)


if __name__ == "__main__":
    run(_main(sys.argv[1:]))
