"""The merchant API under ``/v1``: the 21 operations of contract §5.2."""
