"""The long form of the proofs: ``make soak``."""
