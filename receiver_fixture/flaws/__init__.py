"""The named ways in which this receiver can be made wrong.

Each wrong receiver is the right one with one switch. ``verifying`` holds those that believe too much or too little,
``deciding`` those that tell events apart or book by a wrong rule, ``handling`` those that do the right things in a
wrong order. Whoever reads ``/_stats`` can see which receiver answered.
"""

from __future__ import annotations

from enum import StrEnum


class Flaw(StrEnum):
    """One way to be wrong, by its name."""

    # telling events apart, and booking
    NO_DEDUPE = "no-dedupe"
    DEDUPE_BY_RESOURCE = "dedupe-by-resource"
    DEDUPE_BY_HEADER_ID = "dedupe-by-header-id"
    IDS_FOLD_CASE = "ids-fold-case"
    ORDER_KEY_EVENT_ID = "order-key-event-id"
    LATE_PAYMENT_TWICE = "late-payment-twice"
    BLIND_STATUS = "blind-status"
    PAID_ONLY = "paid-only"
    # doing things in a wrong order
    CHECK_THEN_INSERT = "check-then-insert"
    FULFIL_BEFORE_RECORD = "fulfil-before-record"
    RECORD_THEN_LOSE = "record-then-lose"
    DEDUPE_IN_MEMORY = "dedupe-in-memory"
    ACK_BEFORE_STORE = "ack-before-store"
    SWALLOW_ERRORS = "swallow-errors"
    UNKNOWN_TYPE_500 = "unknown-type-500"
    STRICT_FIELDS = "strict-fields"
    STALE_OCCURRED_AT = "stale-occurred-at"
    SLOW_HANDLER = "slow-handler"
    DROPS_UNDER_LOAD = "drops-under-load"
    LEAKS_SIGNATURE = "leaks-signature"
    # believing
    NO_SIGNATURE = "no-signature"
    FIRST_V1_ONLY = "first-v1-only"
    LAST_V1_ONLY = "last-v1-only"
    REENCODED_JSON = "reencoded-json"
    NO_TOLERANCE = "no-tolerance"
    EXACT_HEADER_CASE = "exact-header-case"
    EMPTY_SIGNATURE = "empty-signature"
    TWO_TIMESTAMPS = "two-timestamps"
    RETIRED_SECRET = "retired-secret"  # noqa: S105 - the name of a mistake


Flaws = frozenset[Flaw]

NO_FLAWS: Flaws = frozenset()
