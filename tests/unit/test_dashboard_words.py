"""The words of the pages: every text has its Russian, no Russian is left over, and browsers get what they ask for."""

from __future__ import annotations

import re
from pathlib import Path
from string import Formatter

import pytest

from sender.domain.invoice import InvoiceStatus
from sender.errors import BadDuration, NotFound, SimError
from sender.web.checkout.app import STATUSES
from sender.web.dashboard import why
from sender.web.dashboard.deeds import DEEDS
from sender.web.dashboard.faults import CRASHES, WIRES
from sender.web.dashboard.language import Words, language_of
from sender.web.dashboard.refusals import SENTENCES, complaint
from sender.web.refusals import Flaw, Invalid
from sender.wire import WIRE_FAULTS, wire_fault

SENDER = Path(__file__).parents[2] / "sender"
WEB = SENDER / "web"
MERCHANTS_ONLY = {
    *("host_refused", "insufficient_balance", "invalid_signature", "key_not_found", "payment_channel_not_accepting"),
    *("timestamp_out_of_range", "too_much_traffic", "traffic_not_found", "whitelist_required", "withdrawal_not_found"),
}
_CODE = re.compile(r'\bcode="([a-z_]+)"')
_IN_TEMPLATES = re.compile(r"""\bt\((?:"([^"]+)"|'([^']+)')""")
_IN_CODE = re.compile(r"""\bdone\(\s*"([^"]+)\"""")


def texts() -> set[str]:
    """Return every English text that a page may show."""
    rooms = (WEB / "dashboard", WEB / "checkout")
    pages = [path.read_text() for room in rooms for path in room.glob("templates/*.html")]
    code = [path.read_text() for room in rooms for path in room.glob("*.py")]
    found = {one or other for page in pages for one, other in _IN_TEMPLATES.findall(page)}
    found |= {one for text in code for one in _IN_CODE.findall(text)}
    deeds = [words for one in DEEDS for words in (one.label, one.says)]
    return found.union(CRASHES.values(), WIRES.values(), STATUSES.values(), deeds, why.SENTENCES, SENTENCES.values())


def test_every_text_has_its_russian() -> None:
    """And nothing is translated that no page says."""
    assert set(Words().russian) == texts()


def test_a_translation_keeps_the_places() -> None:
    """The names in braces are the same in both."""

    def places(text: str) -> set[str | None]:
        return {name for _, name, _, _ in Formatter().parse(text)} - {None}

    assert [text for text, said in Words().russian.items() if places(text) != places(said)] == []


def test_everything_that_can_go_wrong_has_a_button() -> None:
    """Each wire fault and each crash point; and each status of an invoice has words for its payer."""
    assert set(WIRES) == {each.name for each in WIRE_FAULTS}
    assert {type(wire_fault(name, {})) for name in WIRES} == set(WIRE_FAULTS)
    assert set(STATUSES) == set(InvoiceStatus)


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("", "en"), ("ru", "ru"), ("ru-RU,ru;q=0.9,en-US;q=0.8", "ru"), ("en-US,ru;q=0.9", "en"), ("de,fr", "en"),
        ("ru;q=0.2, en;q=0.1", "ru"), ("ru;q=0", "en"), ("RU", "ru"), ("ru;q=x", "en"), ("ru;q=nan,en;q=0.1", "en"),
        (";;,,=", "en"), ("*", "en"), ("rus", "en"),
    ],
)  # fmt: skip
def test_the_language_is_the_browsers(accepted: str, language: str) -> None:
    """English, unless Russian is asked for more."""
    assert language_of(accepted) == language


def test_what_has_no_translation_is_said_in_english() -> None:
    """A sentence is never lost."""
    assert Words().say("ru", "Something {new}", new=1) == "Something 1"
    assert Words().say("en", "{kept} as it is") == "{kept} as it is"


@pytest.mark.parametrize(
    ("error", "says", "detail"),
    [
        (NotFound("there is no event evt_1", code="event_not_found"), "Такого события нет", "there is no event evt_1"),
        (NotFound("odd", code="something_new"), "Такого нет", "odd"),
        (BadDuration("'600' has no unit"), "Длительность", "'600' has no unit"),
        (Invalid([Flaw("field_invalid", "times", "must be whole")]), "Поле", "times: must be whole"),
        (Invalid([Flaw("a", "b", "c"), Flaw("d", "e", "f")]), "Некоторые поля", "b: c; e: f"),
    ],
)
def test_a_refusal_is_told_in_the_pages_words(error: SimError, says: str, detail: str) -> None:
    """In Russian with the API's own detail behind it; an English page says the detail alone."""
    told = complaint(error, "ru")
    assert Words().say("ru", told.says).startswith(says)
    assert told.detail == detail
    assert complaint(error, "en") == (detail, "")


def test_a_refusal_without_words_is_told_as_it_is() -> None:
    """A failure of ours has no sentence of its own."""
    assert complaint(SimError("broken"), "ru") == ("broken", "")


def test_every_code_that_a_form_can_meet_has_words() -> None:
    """Codes that are given where something is raised; those of the merchant API alone stand apart."""
    given = {code for path in SENDER.rglob("*.py") for code in _CODE.findall(path.read_text())}
    assert given - set(SENTENCES) == MERCHANTS_ONLY
