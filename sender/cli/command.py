"""What a command and an option are, as data."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Option:
    """One option. A ``switch`` has no value; one that is ``repeated`` may be given several times.

    Each can be given as an environment variable too, ``PAYMOS_SIM_`` and its name; a flag wins over the variable.
    """

    flag: str
    help: str
    metavar: str = ""
    switch: bool = False
    repeated: bool = False

    @property
    def name(self) -> str:
        """The option without its dashes, ``database_url``."""
        return self.flag.lstrip("-").replace("-", "_")

    @property
    def variable(self) -> str:
        """The environment variable that stands for it."""
        return f"PAYMOS_SIM_{self.name.upper()}"


@dataclass(frozen=True, slots=True)
class Command:
    """One command: its line in the overview, what it takes, and the module in ``sender.cli`` that carries it out."""

    name: str
    help: str
    about: str
    options: tuple[Option, ...] = ()
    operands: str = ""
    operands_help: str = ""
