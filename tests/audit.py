"""Hold every pinned release against the vulnerabilities that are known: ``python -m tests.audit``, in ``make check``.

A known vulnerability is exit code 1. Where the service that knows them is not to be had (no network, an index that is a
mirror without it, no answer in time), one line says that the audit was left out, and the exit code is 0.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

PINS = Path(__file__).parents[1] / ".constraints.txt"
AT_ONCE = 3
"""The releases are asked for one by one; so many of pip-audit's processes share them."""
PATIENCE = 8.0
"""Real seconds for all of it; a check that is made before each test run may not take longer."""


def main() -> int:
    """Audit, and say in a few lines what came of it."""
    pins = [line for line in PINS.read_text().splitlines() if "==" in line]
    code, lines = verdict(asyncio.run(_answers(pins)))
    sys.stdout.writelines(f"pip-audit: {line}\n" for line in lines)
    return code


def verdict(answers: list[str]) -> tuple[int, list[str]]:
    """Return the exit code for what pip-audit printed, and what is to be said."""
    found: list[dict[str, Any]] = [one for text in answers for one in _dependencies(text)]
    known = [one for one in found if "vulns" in one]
    bad = [f"{one['name']} {one['version']}: {_named(one['vulns'])}" for one in known if one["vulns"]]
    if bad:
        return 1, [*bad, "raise these pins in .constraints.txt"]
    if not known:
        return 0, ["left out, as the service that knows of vulnerabilities cannot be reached from here"]
    missing = len(found) - len(known)
    rest = f"; {missing} releases are not known to the service" if missing else ""
    rest += "; not all of it, as some of the answers did not come in time" if not all(answers) else ""
    return 0, [f"no known vulnerability in {len(known)} releases{rest}"]


def _dependencies(text: str) -> list[dict[str, Any]]:
    return json.loads(text)["dependencies"] if text.strip() else []


def _named(vulnerabilities: list[dict[str, Any]]) -> str:
    return ", ".join(f"{one['id']} (mended in {', '.join(one['fix_versions']) or 'none'})" for one in vulnerabilities)


async def _answers(pins: list[str]) -> list[str]:
    with TemporaryDirectory() as folder:
        files = [Path(folder) / f"{number}.txt" for number in range(AT_ONCE)]
        for number, file in enumerate(files):
            file.write_text("\n".join(pins[number::AT_ONCE]))
        return list(await asyncio.gather(*map(_ask, files)))


async def _ask(file: Path) -> str:
    """Return what pip-audit prints about a list of pins, or nothing where it came to no end."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "pip_audit", "--no-deps", "--disable-pip", "--requirement", str(file),
        "--format", "json", "--progress-spinner", "off", "--timeout", "5",
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    try:
        async with asyncio.timeout(PATIENCE):
            output, _ = await process.communicate()
    except TimeoutError:
        process.kill()
        await process.wait()
        return ""
    return output.decode()


if __name__ == "__main__":
    sys.exit(main())
