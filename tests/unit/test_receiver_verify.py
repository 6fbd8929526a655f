"""The receiver's own signature check, against the provider's published values."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from receiver_fixture.verify import Reason, verify
from tests.receiver import NOW, SECRET, digest

VECTORS: dict[str, Any] = json.loads((Path(__file__).parents[1] / "vectors" / "paymos.json").read_text("utf-8"))
BODY = b'{"event_id":"evt_1"}'
GOOD = digest(BODY)
WRONG = "f" * 64


def reason(header: str | None, *, now: int = NOW, tolerance: int = 300, secrets: tuple[str, ...] = (SECRET,)) -> Reason:
    """Verify ``BODY`` under a header."""
    return verify(header, BODY, secrets, now=now, tolerance=tolerance).reason


@pytest.mark.parametrize("vector", VECTORS["webhook"], ids=lambda vector: vector["name"])
def test_accepts_the_published_values(vector: dict[str, Any]) -> None:
    """Every published signature is valid at its own time."""
    header = f"t={vector['timestamp']},v1={vector['v1']}"
    verdict = verify(header, vector["body"].encode(), [vector["secret"]], now=vector["timestamp"], tolerance=300)
    assert verdict.valid


@pytest.mark.parametrize("vector", VECTORS["webhook_header"], ids=lambda vector: vector["name"])
def test_judges_the_published_headers(vector: dict[str, Any]) -> None:
    """Every published header gets its published verdict."""
    first = VECTORS["webhook"][0]
    verdict = verify(
        vector["header"], first["body"].encode(), [first["secret"]], now=vector["now"], tolerance=vector["tolerance_s"]
    )
    assert verdict.valid is vector["valid"]


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        (f"t={NOW},v1={GOOD}", Reason.VALID),
        (f"t={NOW},v1={GOOD.upper()}", Reason.VALID),
        (f" t={NOW} , v1={GOOD} ", Reason.VALID),
        (f"v1={GOOD},t={NOW}", Reason.VALID),
        (f"t={NOW},v1={WRONG},v1={GOOD}", Reason.VALID),
        (f"t={NOW},v1={GOOD},v1={WRONG}", Reason.VALID),
        (f"t={NOW},v1={WRONG},v1={WRONG},v1={GOOD}", Reason.VALID),
        (f"t={NOW},v1=,v1=short,v1={GOOD}", Reason.VALID),
        (f"t={NOW},v2={WRONG},v1={GOOD}", Reason.VALID),
        (f"t={NOW},v1={WRONG}", Reason.MISMATCH),
        (f"t={NOW + 1},v1={GOOD}", Reason.MISMATCH),
        (None, Reason.MISSING),
        ("", Reason.MALFORMED),
        (f"v1={GOOD}", Reason.MALFORMED),
        (f"t={NOW}", Reason.MALFORMED),
        (f"t={NOW},v1=", Reason.MALFORMED),
        (f"t=,v1={GOOD}", Reason.MALFORMED),
        (f"t=+{NOW},v1={GOOD}", Reason.MALFORMED),
        (f"t={NOW}.0,v1={GOOD}", Reason.MALFORMED),
        (f"t={NOW},t={NOW},v1={GOOD}", Reason.MALFORMED),
        (f"t={NOW},t=x,v1={GOOD}", Reason.MALFORMED),
        (f"t={'1' * 5000},v1={GOOD}", Reason.MALFORMED),
        # Arabic-Indic digits are digits to Unicode and nothing to us.
        (f"t=\u0661\u0667\u0660\u0660\u0660\u0660\u0660\u0660\u0660\u0660,v1={GOOD}", Reason.MALFORMED),
        (f"T={NOW},V1={GOOD}", Reason.MALFORMED),
        (f"t={NOW},v1={GOOD}\n", Reason.MALFORMED),
        (GOOD, Reason.MALFORMED),
    ],
)
def test_reads_the_header(header: str | None, expected: Reason) -> None:
    """Any of several ``v1`` in either case will do; exactly one ``t`` of ASCII digits is needed."""
    assert reason(header) is expected


@pytest.mark.parametrize(
    ("age", "expected"),
    [
        (300, Reason.VALID),
        (301, Reason.TOO_OLD),
        (-300, Reason.VALID),
        (-301, Reason.TOO_NEW),
    ],
)
def test_the_tolerance_includes_its_boundary(age: int, expected: Reason) -> None:
    """A signature may be exactly 300 s old or early, and not a second more."""
    assert reason(f"t={NOW},v1={GOOD}", now=NOW + age) is expected


def test_a_forged_old_delivery_is_called_forged() -> None:
    """Only a genuine delivery is called too old."""
    assert reason(f"t={NOW},v1={WRONG}", now=NOW + 9_999) is Reason.MISMATCH


@pytest.mark.parametrize(("secrets", "number"), [((SECRET, "other"), 0), (("other", SECRET), 1)])
def test_every_configured_secret_counts(secrets: tuple[str, ...], number: int) -> None:
    """The verdict says which of the secrets matched."""
    verdict = verify(f"t={NOW},v1={GOOD}", BODY, secrets, now=NOW, tolerance=300)
    assert (verdict.valid, verdict.secret_number) == (True, number)


def test_one_changed_byte_is_a_mismatch() -> None:
    """The signature covers every byte of the body, a space at its end too."""
    assert verify(f"t={NOW},v1={GOOD}", BODY + b" ", [SECRET], now=NOW, tolerance=300).reason is Reason.MISMATCH
