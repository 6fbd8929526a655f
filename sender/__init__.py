"""The sending side: a local Paymos with an outbox, a relay process and a clock that can be moved."""

__version__ = "0.1.0"
