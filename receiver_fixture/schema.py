"""The ledger's tables, the same on SQLite and PostgreSQL; instants are microseconds since the epoch.

Ids compare byte by byte on both databases, so two ids that differ in case are two events.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, CheckConstraint, Column, Index, Integer, MetaData, Table, Text

metadata = MetaData()

# The provider's own table (contract §1.12): a row is the promise that a 2xx gave.
webhook_delivery = Table(
    "webhook_delivery",
    metadata,
    Column("event_id", Text, primary_key=True),
    Column("resource_id", Text),
    Column("event_type", Text, nullable=False),
    Column("body", Text, nullable=False),
    Column("received_at", BigInteger, nullable=False),
    Column("processed_at", BigInteger),
    Column("effect", Text),
    CheckConstraint("(processed_at IS NULL) = (effect IS NULL)", name="processed_has_effect"),
    # Leads with processed_at: what is still to do sits together, whatever has been done already.
    Index("webhook_delivery_pending", "processed_at", "received_at", "event_id"),
    Index("webhook_delivery_resource", "resource_id"),
)

# Evidence, append-only but for the status of an answer that was still to come. Decides nothing.
receipts = Table(
    "receipts",
    metadata,
    Column("sequence", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True),
    Column("event_id", Text),
    Column("event_type", Text),
    Column("resource_id", Text),
    Column("header_id", Text),
    Column("verdict", Text, nullable=False),
    Column("outcome", Text, nullable=False),
    Column("status", Integer),
    Column("fault", Text, nullable=False),
    Column("received_at", BigInteger, nullable=False),
    CheckConstraint("outcome IN ('stored', 'duplicate', 'refused', 'skipped')", name="outcome_known"),
    Index("receipts_event", "event_id", "sequence"),
)

# The last state of every invoice, withdrawal and deposit.
resources = Table(
    "resources",
    metadata,
    Column("resource_id", Text, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("external_id", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("is_final", Boolean, nullable=False),
    Column("occurred_at", BigInteger, nullable=False),
    Index("resources_external", "kind", "external_id"),
)

# The guard: one booking per resource for ever, by its primary key.
applications = Table(
    "applications",
    metadata,
    Column("resource_id", Text, primary_key=True),
    Column("event_id", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("applied_at", BigInteger, nullable=False),
)

# The merchant's own view. ``fulfilled`` is counted up and not derived, so that a guard that fails shows as 2.
orders = Table(
    "orders",
    metadata,
    Column("external_order_id", Text, primary_key=True),
    Column("resource_id", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("paid", Boolean, nullable=False),
    Column("fulfilled", Integer, nullable=False),
    CheckConstraint("fulfilled >= 0 AND (fulfilled > 0 OR NOT paid)", name="paid_is_fulfilled"),
)
