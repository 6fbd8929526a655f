"""Every story that ships, on both databases, with the relay as a child and in process: it holds, and tells the same."""

from __future__ import annotations

from typing import Any

import pytest

from tests.commands import STORIES, Result, command

REAL = frozenset({"duration_ms", "elapsed_ms", "detail", "receiver", "database", "relay", "exit_code"})
"""What differs from run to run (real time, a port), and from one way to run to another (who ran it, on what)."""

CRASHES = {
    "crash-dispatch-before-commit": ("delivered", 1, 1, 1),
    "crash-dispatch-after-commit": ("delivered", 1, 1, 1),
    "crash-after-claim": ("delivered", 1, 1, 1),
    "crash-after-send": ("delivered", 1, 2, 1),
    "crash-before-commit": ("delivered", 1, 2, 1),
    "crash-after-commit": ("delivered", 1, 1, 1),
}
"""What becomes of ``invoice.paid``: state, recorded attempts, received, applied (design §6)."""


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_every_story_holds(database: str, request: pytest.FixtureRequest) -> None:
    """Every shipped story holds, with the relay as a child and in process, and tells the same either way."""
    words = ["--database-url", str(request.getfixturevalue("postgres_url"))] if database == "postgresql" else []
    child, in_process = (command("run", *STORIES, "--json", *words, *way) for way in ((), ("--in-process",)))
    check_stories(child)
    assert comparable(child) == comparable(in_process)


def check_stories(result: Result) -> None:
    """Check that every story meets its expectations and every law, and that every crash leaves what it must."""
    finished = {line["story"]: line for line in result.of("run.finished")}
    assert sorted(finished) == STORIES
    assert [line for line in result.lines if line["kind"] in {"expectation.failed", "law.broken"}] == []
    assert {line["verdict"] for line in finished.values()} == {"passed"}
    assert result.code == 0
    assert all(line["laws"] == 12 and line["expectations"] > 2 for line in finished.values())
    assert crash_table(result) == CRASHES


def crash_table(result: Result) -> dict[str, tuple[Any, ...]]:
    """Return what became of ``invoice.paid`` in each story of a crash."""
    table, story = {}, ""
    for line in result.lines:
        if line["kind"] == "run.started":
            story = line["story"]
        if line["kind"] == "event.summed" and line["event_type"] == "invoice.paid" and story in CRASHES:
            table[story] = (line["state"], line["attempts"], line["received"], line["applied"])
    return table


def comparable(result: Result) -> list[dict[str, Any]]:
    """Return what was told without what may differ."""
    return [{name: value for name, value in line.items() if name not in REAL} for line in result.lines]


def test_same_seed_tells_the_same() -> None:
    """Of one seed every line repeats, byte for byte but for real time; of another the ids differ."""
    stories = ["ladder-to-the-end", "crash-after-send", "deposit-reorged"]
    first, again, other = (command("run", "--json", "--in-process", "--seed", seed, *stories) for seed in "778")
    assert comparable(first) == comparable(again) != comparable(other)
    assert first.of("run.started")[0]["seed"] == 7
