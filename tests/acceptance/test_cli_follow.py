"""The tools beside a real server, whose relay is a process of its own: what that one does is followed all the same."""

from __future__ import annotations

from tests.commands import PATIENCE, command, end, served, start


def test_a_second_terminal_follows_makes_and_resets() -> None:
    """Listen in one process, trigger in another, deliveries in a third; a story in processes of its own; a reset."""
    with served("--clock", "manual", "--endpoint", "http://127.0.0.1:9/", "--token", "opensesame") as server:
        here = ["--url", server.url, "--token", "opensesame"]
        listener = start("listen", "--events", "invoice.paid", "--count", "2", *here)
        try:
            assert listener.stderr is not None
            assert listener.stderr.readline() == f"listening at {server.url}\n"
            assert command("trigger", "invoice.paid", *here).code == 0
            assert command("clock", "--by", "1m", *here).code == 0
            printed, _ = listener.communicate(timeout=PATIENCE)
        finally:
            end(listener)
        assert (listener.returncode, printed.count("-->"), printed.count("<-- [refused]")) == (0, 2, 2)
        token = {"Authorization": "Bearer opensesame"}
        run = server.control("POST", "/runs", {"name": "happy-path"}, **token)["id"]
        while not (page := server.control("GET", f"/runs/{run}/lines?after=100000&wait=30", **token))["ended"]:
            pass
        assert page["state"] == "passed"
        assert command("reset", *here).printed == "cleared state, faults\n"
        assert command("events", "list", "--json", *here).printed == "[]\n"
