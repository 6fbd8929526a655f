"""Reads the words of a command line: flag over environment variable over default, and a sentence for what is wrong."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from sender.errors import FileRefused, UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Mapping, Sequence

    from sender.cli.command import Command, Option

T = TypeVar("T")

_TRUE, _FALSE = frozenset({"1", "true", "yes", "on"}), frozenset({"", "0", "false", "no", "off"})


@dataclass(frozen=True, slots=True)
class Given:
    """A value as it was typed, and where: the flag, or the name of the variable."""

    text: str
    where: str


@dataclass(frozen=True, slots=True)
class Options:
    """What one command was given. Values are text; ``read`` turns them into what is meant."""

    command: str
    values: Mapping[str, Given] = field(default_factory=dict)
    operands: tuple[str, ...] = ()

    def has(self, name: str) -> bool:
        """Tell whether an option was given, or a switch set."""
        return name in self.values

    def text(self, name: str) -> str | None:
        """Return an option as it was typed."""
        given = self.values.get(name)
        return given.text if given else None

    def read(self, name: str, reader: Callable[[str], T], default: T) -> T:
        """Return the value that is meant. Raises ``UsageError`` that names the option where the reader complains."""
        given = self.values.get(name)
        if given is None:
            return default
        try:
            return reader(given.text)
        except FileRefused as error:
            raise FileRefused([f"{given.where}: {problem}" for problem in error.problems]) from None
        except (UsageError, ValueError) as error:
            raise UsageError(f"{given.where}: {error}") from None


def read_options(command: Command, words: Sequence[str], environ: Mapping[str, str]) -> Options:
    """Read the words behind a command. Raises ``UsageError``; prints the help and exits when that is asked for."""
    names, rest = _parser(command).parse_known_args(words)
    _refuse_unknown(command, rest)
    values = {option.name: given for option in command.options if (given := _given(option, names, environ))}
    operands = tuple(getattr(names, "operands", ()))
    return Options(command.name, values, operands)


def _given(option: Option, names: argparse.Namespace, environ: Mapping[str, str]) -> Given | None:
    typed = getattr(names, option.name)
    if typed is not None:
        return Given(",".join(typed) if option.repeated else str(typed), option.flag)
    text = environ.get(option.variable)
    if text is None or (text == "" and not option.switch):
        return None
    if option.switch and not _is_set(option, text):
        return None
    return Given(text, option.variable)


def _is_set(option: Option, text: str) -> bool:
    if text.lower() not in _TRUE | _FALSE:
        raise UsageError(f"{option.variable}: {text!r} is neither true nor false; write one of these two words")
    return text.lower() in _TRUE


def _parser(command: Command) -> argparse.ArgumentParser:
    import argparse  # noqa: PLC0415 - not for --help of the whole

    class Parser(argparse.ArgumentParser):
        """Complains with an exception, so that there is one way in which messages get out."""

        def error(self, message: str) -> None:  # type: ignore[override]
            raise UsageError(f"{message}; see paymos-sim {command.name} --help")

    parser = Parser(
        prog=f"paymos-sim {command.name}",
        description=command.about,
        epilog="Each option can be an environment variable too: --attempt-timeout is PAYMOS_SIM_ATTEMPT_TIMEOUT.",
        allow_abbrev=False,
    )
    for option in command.options:
        if option.switch:
            parser.add_argument(option.flag, action="store_const", const="true", help=option.help)
        else:
            action = "append" if option.repeated else "store"
            parser.add_argument(option.flag, action=action, metavar=option.metavar, help=option.help)
    if command.operands:
        parser.add_argument("operands", nargs="+", metavar=command.operands, help=command.operands_help)
    return parser


def _refuse_unknown(command: Command, rest: Sequence[str]) -> None:
    if not rest:
        return
    # The name of an option only: a secret behind a misspelt one must not end up in a log.
    flags = [word.partition("=")[0] for word in rest if word.startswith("-")]
    if not flags:
        raise UsageError(f"paymos-sim {command.name} takes no file or name; see paymos-sim {command.name} --help")
    from sender.suggest import nearest, shown  # noqa: PLC0415 - only to complain

    near = nearest(flags[0], [option.flag for option in command.options])
    remedy = f"did you mean {near!r}?" if near else f"see paymos-sim {command.name} --help"
    raise UsageError(f"there is no option {shown(flags[0])}; {remedy}")
