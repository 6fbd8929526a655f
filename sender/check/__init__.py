"""Verdicts on a receiver, whatever it is written in: one class for each check, and what they need to find out.

``runner`` runs them one after another; ``checks`` holds them, by group; ``bench`` is what a check works with: purchases
of its own (``purchase``), requests as the provider sends them or as a forger would (``letter``, ``post``, ``volley``),
and a look at what the receiver made of them. Nothing a receiver answers is believed; what counts is what it did.
"""
