"""Numbers in the text format of Prometheus: one name with its help and type, then a line for each set of labels.

A library for this keeps registries and counters of its own; ours are read from the database when somebody asks, so
what is left to do is the text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

PREFIX = "paymos_sim_"


class Sample:
    """One number: its name without prefix, what it says, its value, and its labels. A name in ``_total`` counts up."""

    def __init__(self, name: str, says: str, value: float, **labels: str) -> None:
        self.name = PREFIX + name
        self.says = says
        self.value = value
        self.labels = labels


def text_of(samples: Iterable[Sample]) -> str:
    """Return samples as text; those of one name stand together, as they must."""
    lines: list[str] = []
    seen: set[str] = set()
    for sample in samples:
        if sample.name not in seen:
            seen.add(sample.name)
            kind = "counter" if sample.name.endswith("_total") else "gauge"
            lines += [f"# HELP {sample.name} {sample.says}", f"# TYPE {sample.name} {kind}"]
        lines.append(f"{sample.name}{_labels(sample.labels)} {sample.value:.15g}")
    return "\n".join(lines) + "\n"


def _labels(labels: dict[str, str]) -> str:
    """Return labels in braces; their values are words of ours, without anything to escape."""
    return "{" + ",".join(f'{name}="{value}"' for name, value in labels.items()) + "}" if labels else ""
