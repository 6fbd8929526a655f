"""The tables, with the rules of the states repeated as constraints.

Instants are virtual microseconds unless the name says ``real``. Every ``seq`` of ``history`` and ``outbox`` comes from
the one counter in ``instance``, whose row a dispatch keeps locked until it commits: so the order of the numbers is the
order of the commits, on PostgreSQL too, and ids derived from the numbers repeat with the seed.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    text,
)

VERSION = 5
"""Raised with every change of a table; another version in a database is refused, never half-read."""

metadata = MetaData()

Big = BigInteger().with_variant(Integer, "sqlite")
"""SQLite numbers rows only in columns of type INTEGER, which hold 64 bits there."""

instance = Table(
    "instance",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("schema_version", Integer, nullable=False),
    Column("seed", Big, nullable=False),
    Column("issued", Big, nullable=False),
    # How often everything was cleared: whoever follows what is recorded begins again when this was raised.
    Column("resets", Integer, nullable=False),
    CheckConstraint("id = 1", name="one_row"),
)

timeline = Table(
    "timeline",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("mode", Text, nullable=False),
    Column("rate", Float, nullable=False),
    Column("real_base", Big, nullable=False),
    Column("virtual_base", Big, nullable=False),
    # Raised whenever endpoints or faults change, so that a relay re-reads them exactly then.
    Column("revision", Big, nullable=False),
    CheckConstraint("id = 1", name="one_row"),
)

endpoints = Table(
    "endpoints",
    metadata,
    Column("id", Text, primary_key=True),
    Column("url", Text, nullable=False),
    Column("secret", Text, nullable=False),
    Column("previous_secret", Text),
    Column("previous_secret_invalid_at", Big),
    Column("is_test", Boolean, nullable=False),
    Column("categories", Text, nullable=False),
    Column("project_id", Text),
    Column("status", Text, nullable=False),
    Column("created_at", Big, nullable=False),
    CheckConstraint("status IN ('active', 'suspended', 'deleted')", name="known_status"),
    CheckConstraint("(previous_secret IS NULL) = (previous_secret_invalid_at IS NULL)", name="window_of_previous"),
)

resources = Table(
    "resources",
    metadata,
    Column("seq", Big, primary_key=True, autoincrement=False),
    Column("kind", Text, nullable=False),
    Column("id", Text, nullable=False, unique=True),
    # The scope of an external id: the project, or nothing for what belongs to the merchant.
    Column("project_id", Text, nullable=False),
    Column("external_id", Text, nullable=False),
    Column("is_test", Boolean, nullable=False),
    Column("status", Text, nullable=False),
    Column("deadline_at", Big),
    Column("created_at", Big, nullable=False),
    Column("updated_at", Big, nullable=False),
    Column("document", Text, nullable=False),
    # In this order it serves the lists too, which are asked for an external id without a project.
    UniqueConstraint("kind", "external_id", "project_id", name="one_per_external_id"),
)
Index("resources_newest", resources.c.kind, resources.c.is_test, resources.c.created_at, resources.c.seq)
Index("resources_due", resources.c.deadline_at, sqlite_where=text("deadline_at IS NOT NULL"),
      postgresql_where=text("deadline_at IS NOT NULL"))  # fmt: skip

# One row for each confirmed deposit; ``seq`` is the number of the transition that confirmed it.
deposit_feed = Table(
    "deposit_feed",
    metadata,
    Column("seq", Big, primary_key=True, autoincrement=False),
    Column("deposit_id", Text, ForeignKey("resources.id"), nullable=False, unique=True),
    Column("channel_id", Text, nullable=False),
    Column("project_id", Text, nullable=False),
    Column("is_test", Boolean, nullable=False),
    Column("confirmed_at", Big, nullable=False),
    # Why the feed stops before this deposit, where somebody has ordered that.
    Column("blocked", Text),
)

balances = Table(
    "balances",
    metadata,
    Column("is_test", Boolean, primary_key=True),
    Column("currency", Text, primary_key=True),
    # A decimal number as text: a token has more digits than a 64-bit integer holds.
    Column("available", Text, nullable=False),
)

projects = Table(
    "projects",
    metadata,
    Column("seq", Big, primary_key=True),
    Column("id", Text, nullable=False, unique=True),
    Column("name", Text, nullable=False),
)

api_keys = Table(
    "api_keys",
    metadata,
    Column("seq", Big, primary_key=True),
    Column("id", Text, nullable=False, unique=True),
    Column("secret", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("is_test", Boolean, nullable=False),
    CheckConstraint("kind IN ('payment', 'payout')", name="known_kind"),
)

history = Table(
    "history",
    metadata,
    Column("seq", Big, primary_key=True, autoincrement=False),
    Column("resource_id", Text, nullable=False),
    Column("event_type", Text),
    Column("status", Text, nullable=False),
    Column("note", Text, nullable=False),
    # How many endpoints were subscribed; 0 with an event_type is "skipped: nobody subscribed".
    Column("deliveries", Integer, nullable=False),
    Column("occurred_at", Big, nullable=False),
)
Index("history_of_resource", history.c.resource_id, history.c.seq)

outbox = Table(
    "outbox",
    metadata,
    Column("seq", Big, primary_key=True, autoincrement=False),
    Column("event_id", Text, nullable=False, unique=True),
    Column("event_type", Text, nullable=False),
    Column("resource_id", Text, nullable=False),
    Column("endpoint_id", Text, ForeignKey("endpoints.id"), nullable=False),
    Column("state", Text, nullable=False),
    Column("due_at", Big),
    Column("claim_at", Big),
    Column("trigger", Text, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("failures", Integer, nullable=False),
    Column("lease_token", Text),
    Column("lease_owner", Text),
    Column("leased_until_real", Big),
    Column("created_at", Big, nullable=False),
    CheckConstraint("state IN ('pending', 'delivered', 'failed', 'cancelled')", name="known_state"),
    CheckConstraint("(state = 'pending') = (due_at IS NOT NULL)", name="due_while_pending"),
    CheckConstraint("claim_at IS NULL OR lease_token IS NULL", name="leased_is_not_claimable"),
    CheckConstraint("state <> 'cancelled' OR claim_at IS NULL", name="cancelled_is_never_sent"),
    CheckConstraint("(lease_token IS NULL) = (lease_owner IS NULL)", name="lease_is_whole"),
    CheckConstraint("failures <= attempts", name="failures_are_attempts"),
)
# The claim's cost must not depend on how many rows are settled: only claimable rows are in its index.
Index("outbox_claimable", outbox.c.endpoint_id, outbox.c.claim_at, outbox.c.seq,
      sqlite_where=text("claim_at IS NOT NULL"), postgresql_where=text("claim_at IS NOT NULL"))  # fmt: skip
Index("outbox_leased", outbox.c.lease_owner, sqlite_where=text("lease_token IS NOT NULL"),
      postgresql_where=text("lease_token IS NOT NULL"))  # fmt: skip
# Each filter of the archive has an index in the archive's own order, so that a page costs what it shows.
Index("outbox_of_resource", outbox.c.resource_id, outbox.c.seq)
Index("outbox_of_endpoint", outbox.c.endpoint_id, outbox.c.seq)
Index("outbox_of_type", outbox.c.event_type, outbox.c.seq)
Index("outbox_of_state", outbox.c.state, outbox.c.seq)

# Apart from the outbox because a change of state rewrites a whole row, and the body never changes.
bodies = Table(
    "bodies",
    metadata,
    Column("outbox_seq", Big, ForeignKey("outbox.seq"), primary_key=True, autoincrement=False),
    Column("body", LargeBinary, nullable=False),
)

attempts = Table(
    "attempts",
    metadata,
    Column("seq", Big, primary_key=True),
    Column("outbox_seq", Big, ForeignKey("outbox.seq"), nullable=False),
    Column("number", Integer, nullable=False),
    Column("trigger", Text, nullable=False),
    # False when the lease had been lost: evidence that a request went out, without a say in the row's state.
    Column("counted", Boolean, nullable=False),
    Column("due_at", Big, nullable=False),
    Column("started_at", Big, nullable=False),
    Column("finished_at", Big, nullable=False),
    Column("duration", Big, nullable=False),
    Column("outcome", Text, nullable=False),
    Column("reason", Text),
    Column("status", Integer),
    Column("detail", Text, nullable=False),
    Column("url", Text, nullable=False),
    Column("request_headers", Text, nullable=False),
    Column("answer_headers", Text, nullable=False),
    Column("answer_body", LargeBinary, nullable=False),
    Column("answer_cut", Boolean, nullable=False),
    Column("faults", Text, nullable=False),
    Column("lease_token", Text, nullable=False),
    CheckConstraint("outcome IN ('delivered', 'failed')", name="known_outcome"),
    CheckConstraint("finished_at >= started_at", name="ends_after_start"),
)
Index("attempts_of_delivery", attempts.c.outbox_seq, attempts.c.number)

# What befell a delivery in the hands of a relay that died; whatever that one had sent is on no record.
mishaps = Table(
    "mishaps",
    metadata,
    Column("seq", Big, primary_key=True),
    Column("outbox_seq", Big, ForeignKey("outbox.seq"), nullable=False),
    Column("what", Text, nullable=False),
    Column("due_at", Big),
)
Index("mishaps_of_delivery", mishaps.c.outbox_seq)

faults = Table(
    "faults",
    metadata,
    Column("seq", Big, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("event_type", Text),
    Column("event_id", Text),
    Column("endpoint_id", Text),
    Column("attempt", Integer),
    Column("params", Text, nullable=False),
    Column("remaining", Integer, nullable=False),
    CheckConstraint("kind IN ('crash', 'wire')", name="known_kind"),
    CheckConstraint("remaining >= 0", name="never_below_zero"),
)
