"""Why a receiver may have an event more than once: each reason, and none where there is none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sender.store.mishaps import TAKEN_BACK, Mishap
from sender.web.dashboard import why
from sender.web.dashboard.why import why_twice
from tests.evidence import attempt

if TYPE_CHECKING:
    from sender.store.reads import AttemptView


def failed(number: int, **changes: object) -> AttemptView:
    """Return an attempt that was answered 503."""
    return attempt(number=number, outcome="failed", reason="status", status=503, **changes)


def unheard(number: int, reason: str, *faults: str) -> AttemptView:
    """Return an attempt without an answer."""
    return attempt(number=number, outcome="failed", reason=reason, status=None, faults=faults)


def good(number: int, **changes: object) -> AttemptView:
    """Return an attempt that went well."""
    return attempt(number=number, outcome="delivered", reason=None, status=200, **changes)


def said(*attempts: AttemptView, befell: tuple[str, ...] = (), subscribed: int = 1) -> list[str]:
    """Return the sentences, filled in."""
    found = why_twice(attempts, [Mishap(what, 0) for what in befell], subscribed)
    return [one.text.format(**one.values) for one in found]


@pytest.mark.parametrize("point", ["relay.after_send", "relay.before_commit"])
def test_a_death_after_sending_is_the_duplicate(point: str) -> None:
    """One attempt is on record and two requests were made; the crash that was armed is named."""
    assert said(good(1), befell=(point, TAKEN_BACK)) == [why.DIED_AFTER_SENDING.format(point=point)]


def test_a_death_before_sending_is_no_duplicate() -> None:
    """It is told as harmless, and a crash after the recording is not told at all."""
    told = said(good(1), befell=("relay.after_claim", TAKEN_BACK))
    assert told == [why.DIED_BEFORE_SENDING.format(point="relay.after_claim")]
    assert said(good(1), befell=("relay.after_commit",)) == []


def test_a_death_that_nobody_armed_may_have_sent() -> None:
    """As many as there were, beside those that were armed."""
    assert said(good(1), befell=(TAKEN_BACK, TAKEN_BACK)) == [why.DIED.format(count=2)]
    both = said(good(1), befell=("relay.after_send", TAKEN_BACK, TAKEN_BACK))
    assert both == [why.DIED_AFTER_SENDING.format(point="relay.after_send"), why.DIED.format(count=1)]


@pytest.mark.parametrize(
    ("attempts", "expected"),
    [
        ([good(1)], []),
        ([failed(1)], []),
        ([failed(1), failed(2), good(3)], [why.REFUSED.format(number=1, status=503)]),
        ([unheard(1, "timeout"), good(2)], [why.UNHEARD.format(number=1, reason="timeout")]),
        ([unheard(1, "reset"), failed(2), good(3)], [why.UNHEARD.format(number=1, reason="reset"),
                                                     why.REFUSED.format(number=2, status=503)]),
        ([unheard(1, "refused"), unheard(2, "dns"), unheard(3, "tls"), unheard(4, "sender"), good(5)], []),
        ([unheard(1, "timeout", "lose_request"), good(2)], []),
        ([unheard(1, "timeout", "lose_response"), good(2)], [why.UNHEARD.format(number=1, reason="timeout")]),
        ([good(1, faults=("duplicate",))], [why.COPIED.format(fault="duplicate", number=1)]),
        ([good(1), good(2, trigger="manual")], [why.BY_HAND.format(number=2)]),
        ([good(1), failed(2, trigger="manual")], [why.BY_HAND.format(number=2)]),
        ([good(1), good(1, counted=False)], [why.TWO_RELAYS.format(count=1)]),
    ],
)  # fmt: skip
def test_attempts_tell_why_there_was_another(attempts: list[AttemptView], expected: list[str]) -> None:
    """Only what a receiver may have seen counts, and each kind is told once."""
    assert said(*attempts) == expected


def test_a_url_that_is_subscribed_twice_gets_everything_twice() -> None:
    """Under different ids, which no receiver can know for the same."""
    assert said(good(1), subscribed=2) == [why.TWINS.format(count=2)]
