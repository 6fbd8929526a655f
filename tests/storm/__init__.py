"""Kill storms: merchants buy over HTTP, and everything that runs is killed at seeded instants (design §3)."""
