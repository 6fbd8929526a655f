"""A disk that can be filled and emptied, and one that cannot be written: a file system of its own where it may be had.

Mounting takes the rights of root. Elsewhere the size of files is limited for this process, and modes forbid to write.
"""

from __future__ import annotations

import os
import resource
import subprocess
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BLOCK = 4096


@dataclass
class Disk:
    """A folder whose disk can be full."""

    folder: Path
    mounted: bool

    def fill(self) -> None:
        """Leave no room for another block."""
        if not self.mounted:
            largest = max((path.stat().st_size for path in self.folder.iterdir()), default=BLOCK)
            resource.setrlimit(resource.RLIMIT_FSIZE, (largest, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
            return
        with suppress(OSError), (self.folder / "ballast").open("wb", buffering=0) as ballast:
            while ballast.write(b"\0" * BLOCK):
                pass

    def empty(self) -> None:
        """Make room again."""
        (self.folder / "ballast").unlink(missing_ok=True)
        hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))

    def protect(self) -> None:
        """Let nothing be written any more."""
        if self.mounted:
            subprocess.run(["mount", "-o", "remount,ro", str(self.folder)], check=True)
            return
        if os.geteuid() == 0:
            pytest.skip("root may write everywhere, and may mount nothing here")
        for path in [*self.folder.iterdir(), self.folder]:
            path.chmod(0o500 if path.is_dir() else 0o400)


@contextmanager
def disk(folder: Path, *, own: bool = True) -> Iterator[Disk]:
    """Give a disk of its own, or the folder itself where nothing can be mounted, or not ``own``."""
    command = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(folder)]
    may = own and os.geteuid() == 0
    there = Disk(folder, may and subprocess.run(command, check=False, capture_output=True).returncode == 0)
    try:
        yield there
    finally:
        if there.mounted:
            subprocess.run(["umount", "--lazy", str(folder)], check=True)
        else:
            folder.chmod(0o700)
            there.empty()
