"""Folders for a server that is not allowed to run as root: whom it runs as instead, and what that user can reach."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import NamedTuple

from sender.errors import NotAvailable

_LONGEST_FOLDER = 70  # the path of a Unix socket ends at 103 bytes on macOS, at 107 on Linux


class Owner(NamedTuple):
    """Whom a server runs as when that is not us."""

    uid: int
    gid: int


def unprivileged() -> Owner | None:
    """Return whom to become, None when we are not root. Raises ``NotAvailable`` where there is nobody to become."""
    if os.geteuid() != 0:
        return None
    import pwd  # noqa: PLC0415 - Windows has none

    try:
        nobody = pwd.getpwnam("nobody")
    except KeyError:
        raise NotAvailable("PostgreSQL does not run as root, and there is no user nobody to run it as") from None
    return Owner(nobody.pw_uid, nobody.pw_gid)


def temporary_folder(owner: Owner | None) -> Path:
    """Return a new folder that only the owner can enter, at a path short enough for a socket."""
    parent = Path(tempfile.gettempdir())
    if len(str(parent)) > _LONGEST_FOLDER or not _open_to_all(parent):
        parent = Path("/tmp")  # noqa: S108 - mkdtemp makes the name and the rights safe
    folder = Path(tempfile.mkdtemp(prefix="paymos-sim-", dir=parent))
    _hand_over(folder, owner)
    return folder


def lasting_folder(parent: Path, name: str, owner: Owner | None) -> Path:
    """Return ``parent``/``name`` for the owner alone, made when missing. Raises ``NotAvailable`` if that cannot be."""
    folder = parent.resolve() / name
    if owner and not _open_to_all(folder.parent):
        raise NotAvailable(f"PostgreSQL runs as nobody and cannot get to {folder}; choose a folder that all can enter")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise NotAvailable(f"the folder {folder} cannot be made: {error.strerror}") from error
    _hand_over(folder, owner)
    return folder


def reachable_binaries(binaries: Path, spare: Path, owner: Owner | None) -> Path:
    """Return a folder of commands that the owner can run: ``binaries``, or a copy below ``spare`` of what they need."""
    if not owner or _open_to_all(binaries):
        return binaries
    package = binaries.parent.parent
    copy = spare / "copy"
    wanted = [binaries.parent, package / ".dylibs", package.with_name(f"{package.name}.libs")]
    for tree in wanted:  # the last two are where wheels keep libraries, on macOS and on Linux
        if tree.is_dir():
            target = copy / tree.relative_to(package.parent)
            shutil.copytree(tree, target, symlinks=True, ignore=shutil.ignore_patterns("include"))
    for path in (copy, *copy.rglob("*")):
        _hand_over(path, owner)
    return copy / binaries.relative_to(package.parent)


def _hand_over(path: Path, owner: Owner | None) -> None:
    if owner:
        os.chown(path, owner.uid, owner.gid, follow_symlinks=False)


def _open_to_all(folder: Path) -> bool:
    resolved = folder.resolve()
    return all(part.stat().st_mode & 0o001 for part in (resolved, *resolved.parents) if part.exists())
