"""Questions about paths that somebody typed: one that cannot even be asked about, being too long, is not there."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def exists(path: str | Path) -> bool:
    """Tell whether there is something; pathlib raises ``OSError`` for some names that cannot be."""
    return os.path.exists(path)  # noqa: PTH110


def is_file(path: str | Path) -> bool:
    """Tell whether there is a plain file."""
    return os.path.isfile(path)  # noqa: PTH113


def is_folder(path: str | Path) -> bool:
    """Tell whether there is a folder."""
    return os.path.isdir(path)  # noqa: PTH112
