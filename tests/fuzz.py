"""How much is made up: the examples of the fuzzing tests, and the hostile files that all readers of files are given.

``PAYMOS_SIM_FUZZ`` is how many times as many examples are tried; ``make test`` leaves it at 1.
"""

from __future__ import annotations

import os
from string import printable

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

MEBIBYTE = 1 << 20

WORDS = (
    *("name", "steps", "pay", "expect", "create_invoice", "as", "invoice", "amount", "currency", "advance", "until"),
    *("timeout", "gaps", "measured_from", "after", "every", "cron", "what", "times", "endpoint", "secret", "wire"),
    *("", "null", "~", "NO", "1e999", "-0", "9" * 400, "0." + "0" * 400 + "1", "1" + "0" * 30 + "s", "16h", "-5s"),
    *("2026-13-01T00:00:00Z", "9999-12-31T23:59:59.999999999Z", "scale:1e308", "* * * * *", "*/0 * * * *"),
    *("../../etc/passwd", "/dev/zero", "/etc/shadow", "file:///etc/passwd", "http://[::1", "http://h:99999/"),
    *("${env:HOME}", "${env:}", "${{env:x}}", "{{7*7}}", "%s%n", "$(id)", "`id`", "'; DROP TABLE outbox;--"),
    *("\x1b]0;x\x07", "\x1b[2J", "\u202egnp.exe", "\u2066", "\ufeff", "\u0000", "\ud800", "e\u0301" * 40, "\U0001f600"),
)
"""What a hostile file says where something else is expected."""


def fuzzing(examples: int) -> settings:
    """Return settings for so many examples, each of which may take seconds and not more."""
    return settings(
        max_examples=examples * int(os.environ.get("PAYMOS_SIM_FUZZ", "1")),
        deadline=5_000,
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    )


words = st.sampled_from(WORDS) | st.text(max_size=20) | st.integers().map(str)
values = st.recursive(
    st.none() | words,
    lambda inner: st.lists(inner, max_size=4) | st.lists(st.tuples(words, inner), max_size=4),
    max_leaves=12,
)
"""Values of a file; a list of pairs is a mapping, in which a key may come twice."""


def written(value: object) -> str:
    """Return a value as YAML in one line; texts are between double quotes, with escapes for what is not ASCII."""
    if value is None:
        return "~"
    if isinstance(value, str):
        return '"' + "".join(map(_escaped, value)) + '"'
    assert isinstance(value, list)
    if value and all(isinstance(one, tuple) for one in value):
        return "{" + ", ".join(f"{written(key)}: {written(one)}" for key, one in value) + "}"
    return "[" + ", ".join(map(written, value)) + "]"


def _escaped(char: str) -> str:
    return char if char in printable[:95] and char not in '"\\' else f"\\U{ord(char):08x}"


def _many(each: str) -> str:
    return "".join(each.format(n=number) for number in range(MEBIBYTE // len(each)))


BOMBS = {
    "nested lists": "a: " + "[" * MEBIBYTE,
    "nested mappings": "{a: " * (MEBIBYTE // 4),
    "nested dashes": "- " * (MEBIBYTE // 2),
    "questions": "? " * (MEBIBYTE // 2),
    "a billion laughs": "a: &a [x, x, x, x, x, x, x, x, x]\n"
    + "".join(f"{one}: &{one} [{', '.join([f'*{chr(ord(one) - 1)}'] * 9)}]\n" for one in "bcdefghijklmnopqrstuvw"),
    "anchors": "a: [" + "&a a," * (MEBIBYTE // 5 - 2) + "]",
    "aliases": "a: [" + "*a," * (MEBIBYTE // 3 - 2) + "]",
    "tags": "a: [" + "!a a," * (MEBIBYTE // 5 - 2) + "]",
    "entries": "a: [" + "a," * (MEBIBYTE // 2 - 3) + "]",
    "keys": _many("key{n}:\n"),
    "one key": "a:\n" * (MEBIBYTE // 3),
    "documents": "---\n" * (MEBIBYTE // 4),
    "a number": "name: x\nsteps: [{pay: {invoice: a, amount: " + "9" * (MEBIBYTE - 100) + "}}]\n",
    "a duration": "timeout: " + "1m" * (MEBIBYTE // 2 - 20) + "\ngaps: [1m]\n",
    "steps": "name: x\nsteps:\n" + "- restart:\n" * (MEBIBYTE // 11 - 10),
    "invoices": "name: x\nsteps:\n" + _many("- create_invoice: {{as: a{n}, amount: 1, currency: USD}}\n"),
    "waiting": "name: x\nsteps:\n"
    + "".join(f"- create_invoice: {{as: a{number}, amount: 1, currency: USD}}\n" for number in range(1_000))
    + "- advance: {until: idle}\n" * 2_500,
    "strangers": "name: x\nendpoints:\n"
    + "".join(f"- {{as: e{number}}}\n" for number in range(5_000))
    + "steps:\n"
    + "- suspend: {}\n" * 1_000,
    "deeds": "name: x\nevery: 5s\nwhat:\n" + "- {create_invoice: {}}\n" * (MEBIBYTE // 24),
}
"""Files of up to a mebibyte, each of which costs a careless reader minutes, or all of its memory."""
