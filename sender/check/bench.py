"""What a check works with: purchases, requests, and looks at what the receiver made of them. Everything is noted."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sender.check.counting import is_fulfilled, require_one
from sender.check.letter import Seal
from sender.check.need import Need
from sender.check.outcome import Exchange, Failed, Unjudged
from sender.check.pace import Pace, Rhythm
from sender.check.volley import Line, volley
from sender.durations import MILLISECOND, SECOND, format_duration
from sender.probe.looking import seen
from sender.store import reads
from sender.transport import Outgoing

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    from sender.check.letter import Letter
    from sender.check.means import Means
    from sender.check.purchase import Desk, News, Purchase
    from sender.check.volley import Shot
    from sender.durations import Duration
    from sender.probe.looking import Sighting
    from sender.providers.profile import Headers
    from sender.simulator import Simulator
    from sender.transport.client import Transport


@dataclass(slots=True)
class Bench:
    """The tools of one check at a time.

    ``exchanges``, ``warnings`` and ``remarks`` are those since ``begin``; ``answers`` those of the whole run.
    """

    simulator: Simulator
    transport: Transport
    desk: Desk
    means: Means
    endpoint_id: str
    pace: Pace = field(default_factory=Pace)
    rhythm: Rhythm = field(default_factory=lambda: Rhythm(0, 0))
    exchanges: list[Exchange] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    answers: list[Exchange] = field(default_factory=list)

    @property
    def seal(self) -> Seal:
        """What signs as the provider does."""
        return Seal(self.simulator.profile, self.means.secret)

    @property
    def now(self) -> int:
        """Unix seconds of real time, as signatures carry it."""
        return self.simulator.clock.real_now() // SECOND

    def begin(self) -> None:
        """Begin a check."""
        self.exchanges, self.warnings, self.remarks = [], [], []

    def warn(self, sentence: str) -> None:
        """Add a warning; once is enough."""
        if sentence not in self.warnings:
            self.warnings.append(sentence)

    def remark(self, sentence: str) -> None:
        """Say something that is neither good nor bad."""
        self.remarks.append(sentence)

    # -- purchases ----------------------------------------------------------------------------------------------------

    async def paid(self, name: str) -> tuple[Purchase, News]:
        """Make a purchase that is paid; nothing is sent yet."""
        purchase = await self.desk.purchase(name)
        return purchase, await purchase.paid()

    async def paid_letter(self, name: str) -> tuple[Purchase, Letter]:
        """Make a purchase that is paid, and the letter that says so."""
        purchase, news = await self.paid(name)
        return purchase, self.desk.letter(news)

    @asynccontextmanager
    async def subscribed(self) -> AsyncIterator[None]:
        """Let the simulator's own relay deliver what happens meanwhile; note its attempts."""
        async with self.simulator.database.read() as session:
            before = max((one.seq for one in await reads.attempts_after(session)), default=0)
        await self.simulator.subscriptions.resume(self.endpoint_id)
        try:
            yield
            await self.simulator.conductor.quiet()
        finally:
            await self.simulator.subscriptions.suspend(self.endpoint_id)
            await self._note_attempts(before)

    async def _note_attempts(self, after: int) -> None:
        async with self.simulator.database.read() as session:
            for one in await reads.attempts_after(session, after):
                body = await reads.body_of(session, one.event_id) or b""
                note = f"{one.event_type}, attempt {one.number}"
                answer = one.detail if one.status is None else one.answer_body.decode("utf-8", "replace")
                self._note(Exchange(note, "POST", one.url, one.request_headers, body, one.status, answer, one.duration))

    # -- requests -----------------------------------------------------------------------------------------------------

    async def post(self, letter: Letter, note: str, headers: Headers | None = None) -> Exchange:
        """Send one request and return what came of it; signed as the provider does unless headers are given."""
        sent = self.seal.headers(letter, self.now) if headers is None else headers
        answer = await self.transport.send(Outgoing(self.means.url, sent, letter.body), self.pace.timeout)
        text = answer.detail if answer.status is None else answer.body.decode("utf-8", "replace")
        return self._note(
            Exchange(note, "POST", self.means.url, sent, letter.body, answer.status, text, answer.elapsed)
        )

    async def deliver(self, letter: Letter, note: str) -> Exchange:
        """Send a genuine event. Raises ``Failed`` unless it is taken."""
        exchange = await self.post(letter, note)
        if not exchange.taken:
            raise Failed(
                f"A genuine event ({letter.event_type}: {note}) was {exchange.outcome}. Only a 2xx ends the provider's "
                "repeats: it would send this event ten times more over sixteen hours, and then give it up."
            )
        return exchange

    async def deliver_again(self, letter: Letter, note: str) -> Exchange:
        """Send an event until it is taken, as the ladder would, only faster; return the last answer."""
        ends = self.simulator.clock.monotonic() + self.pace.patience
        while True:
            exchange = await self.post(letter, note)
            if exchange.taken or self.simulator.clock.monotonic() > ends:
                return exchange
            await self.simulator.clock.sleep(0.2)

    async def volley(self, letters: Sequence[Letter], note: str) -> list[Exchange]:
        """Send several requests at the same instant."""
        requests = [(self.seal.headers(letter, self.now), letter.body) for letter in letters]
        try:
            shots = await volley(self.means.target, requests, self.simulator.clock, self.pace.timeout)
        except OSError as error:
            raise Failed(f"The receiver took no more connections ({error.strerror or error}).") from None
        return [
            self._note_shot(f"{note}, {number} of {len(shots)}", *request, shot)
            for number, (request, shot) in enumerate(zip(requests, shots, strict=True), start=1)
        ]

    async def meet(self, letter: Letter, after: Duration, note: str) -> list[Exchange]:
        """Send one request, and the same again on a warm connection while the first may still be at work."""
        headers = self.seal.headers(letter, self.now)
        lines = [await self._line(headers, letter.body) for _ in range(2)]
        first, second = lines
        first.fire()
        await self.simulator.clock.sleep(after / SECOND)
        second.fire()
        shots = await asyncio.gather(*(line.answer(self.pace.timeout) for line in lines))
        notes = (letter.event_type, f"again, {note}")
        return [self._note_shot(said, headers, letter.body, shot) for said, shot in zip(notes, shots, strict=True)]

    async def get(self) -> Exchange:
        """Ask the webhook's address with GET."""
        line = await self._line((), b"", "GET")
        line.fire()
        shot = await line.answer(self.pace.timeout)
        return self._note(Exchange("GET", "GET", self.means.url, (), b"", shot.status, shot.answer, shot.elapsed))

    async def hang_up(self, letter: Letter, after: Duration) -> None:
        """Send a whole request, and close the connection after a while without waiting for the answer."""
        headers = self.seal.headers(letter, self.now)
        line = await self._line(headers, letter.body)
        line.fire()
        await self.simulator.clock.sleep(after / SECOND)
        line.hang_up()
        waited = f"the sender hung up after {format_duration(after // MILLISECOND * MILLISECOND)}"
        self._note(Exchange(f"{letter.event_type}", "POST", self.means.url, headers, letter.body, None, waited, after))

    async def _line(self, headers: Headers, body: bytes, method: str = "POST") -> Line:
        try:
            return await Line.load(self.means.target, headers, body, self.simulator.clock, method)
        except OSError as error:
            raise Failed(f"The receiver took no more connections ({error.strerror or error}).") from None

    def _note_shot(self, note: str, headers: Headers, body: bytes, shot: Shot) -> Exchange:
        return self._note(Exchange(note, "POST", self.means.url, headers, body, shot.status, shot.answer, shot.elapsed))

    def _note(self, exchange: Exchange) -> Exchange:
        self.exchanges.append(exchange)
        self.answers.append(exchange)
        return exchange

    # -- looks --------------------------------------------------------------------------------------------------------

    async def look(self, order: str) -> Sighting:
        """Look once."""
        if self.means.probe is None:
            raise Unjudged(f"needs {Need.PROBE}")
        return await self.means.probe.look(order)

    async def until(self, order: str, holds: Callable[[Sighting], bool]) -> Sighting:
        """Look until it holds, or patience ends."""
        if self.means.probe is None:
            raise Unjudged(f"needs {Need.PROBE}")
        return await seen(self.means.probe, order, holds, self.pace.patience, self.simulator.clock)

    async def until_fulfilled(self, purchases: Sequence[Purchase]) -> None:
        """Look until each is fulfilled, or patience, which is for all of them together, ends."""
        if self.means.probe is None:
            raise Unjudged(f"needs {Need.PROBE}")
        clock = self.simulator.clock
        ends = clock.monotonic() + self.pace.patience
        for one in purchases:
            await seen(self.means.probe, one.order, is_fulfilled, max(ends - clock.monotonic(), 0), clock)

    async def settle(self) -> None:
        """Wait as long as anything that still happens would take."""
        await self.simulator.clock.sleep(self.rhythm.settle(self.pace) / SECOND)

    async def fulfilled_once(self, *purchases: Purchase, after: str) -> None:
        """Wait until each is fulfilled, and then whether it stays at once. Raises ``Failed``; ``after`` says what was.

        Without a probe nothing is looked at.
        """
        if self.means.probe is None:
            return
        await self.until_fulfilled(purchases)
        await self.settle()
        counts = {purchase.order: (await self.look(purchase.order)).fulfilled for purchase in purchases}
        require_one(counts, after)

    async def not_fulfilled(self, purchase: Purchase, after: str) -> None:
        """Wait, and raise ``Failed`` where an order was fulfilled that should not have been."""
        if self.means.probe is None:
            return
        await self.settle()
        found = await self.look(purchase.order)
        if found.fulfilled:
            raise Failed(f"Order {purchase.order} was fulfilled after {after}.")
