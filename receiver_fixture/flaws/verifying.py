"""Wrong ways to verify: what the right verifier is given is bent first, or it is not asked at all."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from receiver_fixture.flaws import Flaw
from receiver_fixture.verify import Evidence, Reason, Verdict, verify_evidence

if TYPE_CHECKING:
    from collections.abc import Callable

    from receiver_fixture.flaws import Flaws

_FOR_EVER = 10**12
_STAMP = re.compile(r"(?:^|,)t=([0-9]{1,15})")
_FIRST_VALUE = re.compile(r"(v1=[^,]*).*")
_LAST_VALUE = re.compile(r"v1=.*(v1=)")


def verifier(flaws: Flaws) -> Callable[[Evidence], Verdict]:
    """Return how a receiver with these flaws judges a delivery."""
    bend = next((_WRONG[flaw] for flaw in flaws if flaw in _WRONG), None)
    if bend is None:
        return verify_evidence

    def judge(evidence: Evidence) -> Verdict:
        bent = bend(evidence)
        return bent if isinstance(bent, Verdict) else verify_evidence(bent)

    return judge


def _believe(_evidence: Evidence) -> Verdict:
    return Verdict(Reason.VALID)


def _first_value(evidence: Evidence) -> Evidence:
    return replace(evidence, header=evidence.header and _FIRST_VALUE.sub(r"\1", evidence.header))


def _last_value(evidence: Evidence) -> Evidence:
    return replace(evidence, header=evidence.header and _LAST_VALUE.sub(r"\1", evidence.header))


def _reencoded(evidence: Evidence) -> Evidence:
    try:
        text = json.dumps(json.loads(evidence.body), separators=(",", ":"), ensure_ascii=False)
    except (ValueError, RecursionError):
        return evidence
    return replace(evidence, body=text.encode("utf-8", "replace"))


def _any_age(evidence: Evidence) -> Evidence:
    return replace(evidence, tolerance=_FOR_EVER)


def _exact_name(evidence: Evidence) -> Evidence:
    return replace(evidence, header=evidence.exact)


def _nothing_to_compare(evidence: Evidence) -> Evidence | Verdict:
    values = [item[3:] for item in (evidence.header or "").split(",") if item.startswith("v1=")]
    return Verdict(Reason.VALID) if values and not any(values) else evidence


def _fresh_by_any(evidence: Evidence) -> Evidence:
    """Compare the age of the newest timestamp, and the digest with the oldest."""
    stamps = sorted(map(int, _STAMP.findall(evidence.header or "")))
    if len(stamps) < 2 or evidence.now - stamps[-1] > evidence.tolerance:  # noqa: PLR2004 - two is one too many
        return evidence
    header = f"t={stamps[0]}{''.join(re.findall(',v1=[^,]*', evidence.header or ''))}"
    return replace(evidence, header=header, tolerance=_FOR_EVER)


def _old_secrets_too(evidence: Evidence) -> Evidence:
    return replace(evidence, secrets=(*evidence.secrets, *evidence.retired))


_WRONG: dict[Flaw, Callable[[Evidence], Evidence | Verdict]] = {
    Flaw.NO_SIGNATURE: _believe,
    Flaw.FIRST_V1_ONLY: _first_value,
    Flaw.LAST_V1_ONLY: _last_value,
    Flaw.REENCODED_JSON: _reencoded,
    Flaw.NO_TOLERANCE: _any_age,
    Flaw.EXACT_HEADER_CASE: _exact_name,
    Flaw.EMPTY_SIGNATURE: _nothing_to_compare,
    Flaw.TWO_TIMESTAMPS: _fresh_by_any,
    Flaw.RETIRED_SECRET: _old_secrets_too,
}
