"""Providers' contracts: one profile each, data plus the verbs encode, sign and accepts."""
