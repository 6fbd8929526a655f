"""What has to hold after a storm: every law, every promise, and what each side says of the other."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sender.scenario.breach import Witness
from sender.scenario.evidence import Evidence, Seen
from sender.scenario.receiver_laws import LAWS
from sender.store import reads, resources
from tests.simulators import LADDER, SECRET
from tests.storm.parent import RELAYS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from sender.scenario.receiver_client import ReceiverClient
    from sender.store.engine import Database
    from sender.store.reads import AttemptView, EventView
    from tests.storm.chronicle import Chronicle
    from tests.storm.figures import Figures

AT_ONCE = 128
"""Requests that one relay can have under way at two endpoints (``endpoint_concurrency``)."""

SIGNATURE = "X-Webhook-Signature"


class Judge:
    """Gathers the evidence once, then judges."""

    def __init__(self, database: Database, figures: Figures, chronicle: Chronicle) -> None:
        self._database = database
        self._figures = figures
        self._chronicle = chronicle
        self._evidence: Evidence

    async def gather(self, client: ReceiverClient, invoices: Iterable[str], deleted: AbstractSet[str]) -> None:
        """Read what the database and the receiver hold."""
        async with self._database.read() as session:
            events = await reads.events(session)
            attempts: dict[int, list[AttemptView]] = {}
            for one in sorted(await reads.attempts_after(session), key=lambda one: (one.number, one.seq)):
                # Every endpoint leads to the one receiver, whatever its URL says beside.
                attempts.setdefault(one.outbox_seq, []).append(replace(one, url=client.url))
            bodies = {one.event_id: await reads.body_of(session, one.event_id) or b"" for one in events}
            concerned = sorted({*invoices, *(one.resource_id for one in events)})
            history = [row for one in concerned for row in await resources.history_of(session, one)]
        kills = self._figures.kills
        self._evidence = Evidence(
            ladder=LADDER,
            events=events,
            attempts=attempts,
            bodies=bodies,
            secrets={SECRET},
            signature_header=SIGNATURE,
            deaths=kills.total() + (RELAYS - 1) * (kills["parent"] + kills["host"] + kills["blackout"]),
            seen=Seen(url=client.url, events=await client.received(), orders=await client.orders()),
            history=history,
            deleted=deleted,
        )
        self._count()

    def logs(self, untold: int) -> None:
        """See that nobody died but by our hand or complained, and that what came twice was in flight at a death."""
        deaths = self._chronicle.of("relay.died")
        assert {one["exit_code"] for one in deaths if "exit_code" in one} <= {-9}, deaths
        assert self._chronicle.of("request.failed") == []
        assert self._chronicle.of("sending.failed") == []
        assert not (said := _unexplained(self._chronicle.complaints)), "\n".join(said)
        figures = self._figures
        figures.in_flight += sum(one["given_back"] for one in deaths)
        figures.in_flight += sum(one["cut_off"] for one in self._chronicle.of("relay.stopped"))
        assert figures.unrecorded <= figures.in_flight + AT_ONCE * untold, "more came twice than were in flight"

    def laws(self) -> None:
        """See that every law holds that needs no probe."""
        for law in LAWS:
            if law.witness is not Witness.PROBE:
                assert list(law.breaches(self._evidence)) == [], law.says

    def ends(self, settled: Mapping[str, tuple[str, int]]) -> None:
        """See that everything is final, was applied once if it was taken, and never moved or went out once settled."""
        assert self._evidence.seen is not None
        for one in self._evidence.events:
            assert one.state in {"delivered", "failed", "cancelled"}, one
            assert settled.get(one.event_id, (one.state, one.attempts)) == (one.state, one.attempts), one
            if one.state == "delivered":
                assert self._evidence.seen.events[one.event_id]["applied"] == 1, one
            assert self._sent_after_it_was_settled(one) == []

    def promises(self, promised: Sequence[Mapping[str, Sequence[str]]], shown: Mapping[str, str]) -> None:
        """See that all that was answered is there, and that API, history and events tell one story."""
        been: dict[str, list[str]] = {}
        for row in self._evidence.history:
            been.setdefault(row.resource_id, []).append(row.status)
        for invoice, statuses in [item for one in promised for item in one.items()]:
            missing = set(statuses) - set(been[invoice])
            assert not missing, f"{invoice} was answered to be {missing}, and has been {been[invoice]}"
            assert shown[invoice] == been[invoice][-1]
        self._compare_events()

    def events(self, shown: Mapping[str, Mapping[str, Any]]) -> None:
        """See that the API shows every event as it stands."""
        stands = {one.event_id: (one.state, one.attempts) for one in self._evidence.events}
        assert {key: (one["state"], one["attempts"]) for key, one in shown.items()} == stands

    def _compare_events(self) -> None:
        told_by = {row.seq + place: row for row in self._evidence.history for place in range(1, row.deliveries + 1)}
        for one in self._evidence.events:
            assert json.loads(self._evidence.bodies[one.event_id])["data"]["status"] == told_by[one.seq].status

    def _sent_after_it_was_settled(self, event: EventView) -> list[AttemptView]:
        """Return attempts, counted or not, that began when the one that settled the event was over."""
        made = self._evidence.attempts_of(event)
        over = [one.finished_at for one in made if one.counted and one.outcome == "delivered"]
        return [one for one in made if over and one.started_at > over[0]]

    def _count(self) -> None:
        seen = self._evidence.seen
        assert seen is not None
        received = {event_id: one["received"] for event_id, one in seen.events.items()}
        recorded = Counter({one.event_id: len(self._evidence.attempts_of(one)) for one in self._evidence.events})
        figures = self._figures
        figures.events.update(one.state for one in self._evidence.events)
        figures.attempts = recorded.total()
        figures.received = sum(received.values())
        # Whoever deletes an endpoint takes the lease of what is in flight away, so that nobody can count it later.
        states = {one.event_id: one.state for one in self._evidence.events}
        figures.unrecorded = sum(
            max(count - recorded[event_id], 0)
            for event_id, count in received.items()
            if states.get(event_id) != "cancelled"
        )


def _unexplained(complaints: Sequence[str]) -> list[str]:
    """Return what was said beside the log, but for the fork server's traceback when its parent dies giving birth."""
    tracebacks = "\n".join(complaints).split("Traceback (most recent call last):\n")
    return [one for one in map(str.strip, tracebacks) if one and not _is_of_the_fork_server(one)]


def _is_of_the_fork_server(traceback: str) -> bool:
    last = traceback.splitlines()[-1]
    return last.startswith("EOFError") and "multiprocessing/forkserver.py" in traceback and "sender/" not in traceback
