"""Flaws of the reference receiver: chosen by name, one at a time, and shown."""

from __future__ import annotations

import pytest

from receiver_fixture.errors import CannotStart
from receiver_fixture.flaws import Flaw
from receiver_fixture.flaws.deciding import rules_for
from receiver_fixture.flaws.handling import webhook_class
from receiver_fixture.flaws.verifying import verifier
from receiver_fixture.options import read_options
from receiver_fixture.rules import RIGHT
from receiver_fixture.settings import Settings
from receiver_fixture.verify import verify_evidence
from receiver_fixture.webhook import Webhook


def test_flaw_by_name() -> None:
    """A wrong receiver is started by the name of its flaw."""
    settings = read_options(["--secret", "s", "--flaw", "no-dedupe", "--flaw-delay", "60ms", "--retired-secret", "old"])
    assert (settings.flaws, settings.flaw_delay, settings.retired) == (frozenset({Flaw.NO_DEDUPE}), 60_000, ("old",))


def test_unknown_flaw() -> None:
    """A name that is none is answered with the nearest one."""
    with pytest.raises(CannotStart, match=r"'no-dedup' is no flaw; did you mean no-dedupe\?"):
        read_options(["--secret", "s", "--flaw", "no-dedup"])


def test_one_flaw_at_a_time() -> None:
    """With two flaws nobody would know which one was found."""
    with pytest.raises(CannotStart, match="one flaw at most"):
        Settings(secrets=("s",), flaws=frozenset({Flaw.NO_DEDUPE, Flaw.PAID_ONLY}))


def test_without_a_flaw_nothing_is_bent() -> None:
    """The right receiver has the right rules, the right verifier and the right handler."""
    assert rules_for(frozenset()) is RIGHT
    assert verifier(frozenset()) is verify_evidence
    assert webhook_class(frozenset()) is Webhook


@pytest.mark.parametrize("flaw", list(Flaw))
def test_each_flaw_is_one_switch(flaw: Flaw) -> None:
    """Every flaw changes something: a rule, the verifier or the handler."""
    flaws = frozenset({flaw})
    right = (RIGHT, verify_evidence, Webhook)
    assert (rules_for(flaws), verifier(flaws), webhook_class(flaws)) != right
