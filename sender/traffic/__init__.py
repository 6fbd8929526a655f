"""Recurring traffic: what a merchant's customers do all day, so that ``serve`` has something to send."""
