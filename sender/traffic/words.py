"""What the parts of a traffic file have in common: known fields, single values, whole numbers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sender.suggest import remedy, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sender.yamlfile import KeyPath, Plain, YamlFile


def check_fields(file: YamlFile, path: KeyPath, known: Sequence[str], node: dict[str, Plain] | None = None) -> None:
    """Note each field that is not known."""
    for field in file.data if node is None else node:
        if field not in known:
            file.complain((*path, field), f"the field {shown(field)} is not known; {remedy(field, known)}", key=True)


def whole(lowest: int, highest: int) -> Callable[[str], int]:
    """Return the reader of a whole number; it raises ``ValueError`` with a sentence."""

    def read(text: str) -> int:
        if not re.fullmatch("[0-9]{1,9}", text) or not lowest <= int(text) <= highest:
            raise ValueError(f"{shown(text)} is not such a number; write a whole one from {lowest} to {highest}")
        return int(text)

    return read
