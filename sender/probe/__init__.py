"""Looks into a receiver under test: how often an order was fulfilled, and what its status is there.

``looking`` says what a probe is and waits for what it shall see; ``spec`` reads one from a line that a person types;
``http``, ``sql`` and ``command`` are the three ways to look.
"""
