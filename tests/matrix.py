"""Which check catches which flaw: the golden table, and how README shows it."""

from __future__ import annotations

from receiver_fixture.flaws import Flaw

_TABLE = """
no-dedupe: same-event-again same-instant repeat-while-working resend-after-outage two-endpoints header-id-differs
    hang-up-mid-work restart-forgets slow-answer-repeat
dedupe-by-resource: first-delivery reconciliation confirming-then-paid underpaid-then-paid-over burst-after-outage
dedupe-by-header-id: header-id-differs
ids-fold-case: ids-differ-in-case
order-key-event-id: resend-after-outage two-endpoints
late-payment-twice: resend-after-outage
blind-status: older-event-late confirming-after-paid expired-after-paid
paid-only: reconciliation underpaid-then-paid-over
check-then-insert: same-instant repeat-while-working
fulfil-before-record: same-instant repeat-while-working hang-up-mid-work slow-answer-repeat
record-then-lose: hang-up-mid-work slow-answer-repeat
dedupe-in-memory: restart-forgets
ack-before-store: killed-after-2xx
swallow-errors: swallowed-error get empty-body invalid-json big-body
unknown-type-500: unknown-type
strict-fields: unknown-fields
stale-occurred-at: resend-after-outage stale-occurred-at
slow-handler: answer-time
drops-under-load: burst burst-after-outage
leaks-signature: secret-in-answer
no-signature: unsigned wrong-secret tampered-body tampered-timestamp old-replay future-timestamp two-timestamps
    empty-values huge-header old-secret
first-v1-only: rotation-second three-signatures
last-v1-only: rotation-first
reencoded-json: tampered-body raw-body non-ascii
no-tolerance: old-replay future-timestamp
exact-header-case: header-case
empty-signature: empty-values
two-timestamps: two-timestamps
retired-secret: old-secret
"""


def _read() -> dict[Flaw, tuple[str, ...]]:
    rows = _TABLE.replace("\n    ", " ").strip().splitlines()
    return {Flaw(name): tuple(checks.split()) for name, _, checks in (row.partition(":") for row in rows)}


CAUGHT = _read()


def as_markdown() -> str:
    """Return the table as README has it."""
    rows = [f"| `{flaw}` | {', '.join(f'`{check}`' for check in checks)} |" for flaw, checks in CAUGHT.items()]
    return "\n".join(["| wrong receiver | caught by |", "| --- | --- |", *rows])
