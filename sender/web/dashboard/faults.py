"""The page of faults: crash points and wire faults to arm by one click, and what is armed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sender.crash import CrashPoint
from sender.web.control.call import Ask
from sender.web.control.faults import FaultBody, FaultCalls
from sender.web.dashboard.visit import Page, Visit, done
from sender.web.merchant.operation import Nothing
from sender.web.refusals import Flaw, Invalid
from sender.web.validation import checked

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sender.web.dashboard.visit import Went
    from sender.web.parts import Parts

CRASHES: Mapping[str, str] = {
    CrashPoint.DISPATCH_BEFORE_COMMIT: "Nothing has happened; the client sees an error and asks again.",
    CrashPoint.DISPATCH_AFTER_COMMIT: "Everything has happened; the client sees an error and asks again.",
    CrashPoint.RELAY_AFTER_CLAIM: "Taken and never sent; the successor sends it.",
    CrashPoint.RELAY_AFTER_SEND: "The receiver has it and the sender does not know: the duplicate.",
    CrashPoint.RELAY_BEFORE_COMMIT: "The same, a moment later: the recording is rolled back.",
    CrashPoint.RELAY_AFTER_COMMIT: "Recorded: harmless.",
}
"""What each crash point shows (design §6)."""

WIRES: Mapping[str, str] = {
    "lose_request": "The request never arrives; the sender waits for its timeout.",
    "lose_response": "The receiver answers and nobody hears it; the next rung is a duplicate.",
    "drop": "Something on the way answers 200; the receiver never sees it.",
    "delay": "The request arrives a second after it was signed.",
    "reorder": "The request arrives behind a later one about the same resource.",
    "duplicate": "The request arrives twice in one attempt.",
    "bad_signature": "The signature does not fit.",
    "wrong_secret": "It is signed with another secret.",
    "stale_timestamp": "A proper signature that is too old.",
    "missing_header": "The request comes without its signature.",
    "tampered_body": "Larger amounts than were signed.",
}
"""What a receiver sees of each wire fault, with its fields as they are by default."""


class FaultsPage:
    """Shows what is armed and arms."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._calls = FaultCalls(parts)

    async def show(self, _visit: Visit) -> Page:
        """Show what waits to strike, and buttons for everything there is."""
        return Page(
            "faults.html",
            {
                "armed": await self._parts.subscriptions.armed(),
                "endpoints": {one.id: one.url for one in await self._parts.subscriptions.all()},
                "crashes": CRASHES,
                "wires": WIRES,
                "event_types": self._parts.profile.event_types,
            },
        )

    async def arm(self, visit: Visit) -> Went:
        """Arm the fault of the button, or none that is known under its name."""
        kind, _, name = (visit.given("fault") or "").partition(":")
        wish = {
            "kind": kind,
            "name": name,
            "on": _match(visit),
            "params": _params(visit.given("params") or ""),
            "times": _whole(visit.given("times") or "1", "times"),
        }
        await self._calls.arm(Ask(visit.request, "", checked(FaultBody, wish), Nothing()))
        return done("Armed: {name}. It strikes at the next delivery that fits.", name=name)

    async def disarm(self, visit: Visit) -> Went:
        """Take back one fault."""
        await self._calls.disarm(Ask(visit.request, visit.id, Nothing(), Nothing()))
        return done("Taken back.")

    async def disarm_all(self, visit: Visit) -> Went:
        """Take back all of them."""
        await self._calls.disarm_all(Ask(visit.request, "", Nothing(), Nothing()))
        return done("Taken back.")


def _match(visit: Visit) -> dict[str, Any]:
    match: dict[str, Any] = {name: visit.given(name) for name in ("event_type", "endpoint_id")}
    attempt = visit.given("attempt")
    return {**match, "attempt": None if attempt is None else _whole(attempt, "attempt")}


def _params(text: str) -> dict[str, str]:
    """Read ``copies=3, spacing=1s``."""
    params = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, sign, value = part.partition("=")
        if not sign:
            raise Invalid([Flaw("field_invalid", "params", "write fields as in by=3s, copies=2")])
        params[name.strip()] = value.strip()
    return params


def _whole(text: str, field: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 8):  # noqa: PLR2004 - beyond what is taken anyway
        raise Invalid([Flaw("field_invalid", field, "must be a whole number in digits")])
    return int(text)
