"""One delivery as it came in: verified over its raw bytes first, read after that."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from receiver_fixture.clock import SECOND, Micros
from receiver_fixture.envelope import BadEnvelope, Claim, read_claim, read_envelope, read_json
from receiver_fixture.inbox import Receipt
from receiver_fixture.verify import Evidence, verify_evidence

if TYPE_CHECKING:
    from collections.abc import Callable

    from receiver_fixture.verify import Verdict

_LONGEST_HEADER = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """What came and what is to be thought of it.

    ``status`` is the answer it deserves: 200, 401 for a signature that is not good, 400 for a body that is no event.
    """

    body: bytes
    header_id: str | None
    received_at: Micros
    claim: Claim
    verdict: str
    detail: str
    status: int
    document: object = None
    signature: str | None = None

    @property
    def members(self) -> set[str]:
        """Return the names at the top of the body."""
        return set(self.document) if isinstance(self.document, dict) else set()

    @property
    def occurred_at(self) -> int:
        """Return when the body says that it happened, in Unix seconds."""
        return int(self.document["occurred_at"]) if isinstance(self.document, dict) else 0

    @property
    def believed(self) -> bool:
        """Tell whether it is a genuine event."""
        return self.status == 200  # noqa: PLR2004 (the status itself, there is no better name)

    def receipt(self, status: int | None, fault: str) -> Receipt:
        """Note it down, with the answer that is planned."""
        return Receipt(
            claim=self.claim,
            header_id=self.header_id,
            verdict=self.verdict,
            status=status,
            fault=fault,
            received_at=self.received_at,
        )


@dataclass(frozen=True, slots=True)
class Judge:
    """What a delivery is measured against: the secrets of the moment and the tolerance in seconds.

    ``verify`` is the right verifier or a wrong one; ``retired`` secrets are for one that still believes them.
    """

    secrets: tuple[str, ...]
    tolerance: int
    verify: Callable[[Evidence], Verdict] = verify_evidence
    retired: tuple[str, ...] = ()

    def arrival(
        self, body: bytes, signature: str | None, header_id: str | None, now: Micros, exact: str | None = None
    ) -> Arrival:
        """Judge a delivery. A forged body is still read afterwards, as evidence of what it claimed to be."""
        at = now // SECOND
        evidence = Evidence(signature, exact, body, self.secrets, self.retired, at, self.tolerance)
        verdict = self.verify(evidence)
        document = read_json(body)
        reason, detail, status = verdict.reason.value, "the signature was not accepted", 401
        if verdict.valid:
            reason, detail, status = _judge_envelope(document)
        return Arrival(
            body=body,
            header_id=None if header_id is None else _storable(header_id),
            received_at=now,
            claim=read_claim(document),
            verdict=reason,
            detail=detail,
            status=status,
            document=document,
            signature=signature,
        )


def _judge_envelope(document: object) -> tuple[str, str, int]:
    envelope = read_envelope(document)
    if isinstance(envelope, BadEnvelope):
        return envelope.reason, envelope.detail, 400
    return "valid", "", 200


def _storable(header: str) -> str:
    # Header bytes that are no UTF-8 come as lone surrogates, which no database takes.
    return header.encode("utf-8", "replace").decode("utf-8")[:_LONGEST_HEADER].replace("\0", "")
