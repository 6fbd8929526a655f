"""The only room that knows SQL: one set of SQLAlchemy Core statements for SQLite and PostgreSQL (design §7)."""
