"""The rules of the provider as plain functions over frozen values; the standard library only."""
