"""The commands and their options as data; what carries a command out is imported when it is called."""

from __future__ import annotations

from sender.cli.command import Command, Option
from sender.cli.tools import TOOLS
from sender.errors import UsageError

LADDER = Option("--ladder", "retry schedule: a name that ships, or a path (default paymos)", "NAME|PATH")
ATTEMPT_TIMEOUT = Option(
    "--attempt-timeout", "real wait for an answer, as in 500ms; what is recorded stays the ladder's own", "DURATION"
)
SIGNATURE_CLOCK = Option(
    "--signature-clock", "time in signatures: real, or virtual for receivers whose clock is faked too", "real|virtual"
)
TRUST = Option("--trust", "file of authorities (PEM) that may vouch for receivers besides the public ones", "FILE")
TRUST_ENV = Option("--trust-env", "send through the proxies that the environment names", switch=True)
DATABASE = Option(
    "--database-url",
    "sqlite:///FILE, postgresql://… or embedded-postgres; a temporary file when left out",
    "URL",
)
POOL_SIZE = Option("--pool-size", "connections of each process to PostgreSQL at most (default 5)", "N")
RELAYS = Option("--relays", "how many relay processes (default 1)", "N")
SEED = Option("--seed", "the same seed gives the same ids and secrets (default 1)", "N")
LOG_LEVEL = Option(
    "--log-level", "info shows every attempt as two lines, warning only what is odd (default info)", "info|warning"
)
DURABLE = Option("--durable", "let SQLite wait for the disk at every commit", switch=True)
CLOCK = Option(
    "--clock", "real, manual (moves when told), skip (jumps to what is due next) or scale:N (default real)", "MODE"
)

COMMANDS = (
    Command(
        "serve",
        "run the simulator: API, relay, receiver's webhooks",
        "Runs until Ctrl-C or SIGTERM. A line that begins with 'ready' says that API, database and relay work.",
        (
            Option("--host", "address to listen on; any but loopback needs --token (default 127.0.0.1)", "ADDRESS"),
            Option("--port", "port to listen on, 0 for a free one (default 8080)", "N"),
            DATABASE,
            POOL_SIZE,
            CLOCK,
            RELAYS,
            Option("--endpoint", "subscribe this URL to every webhook", "URL"),
            Option("--secret", "webhook secret of --endpoint; made from the seed when left out", "SECRET"),
            Option("--print-secret", "print the webhook secret and nothing else, and end", switch=True),
            Option(
                "--traffic",
                "let customers buy: a name that ships, as in small-shop, or a path",
                "NAME|PATH",
                repeated=True,
            ),
            Option("--token", "bearer token that the control API asks for", "TOKEN"),
            Option("--names", "host names that it answers to beside those of loopback", "NAME,…"),
            Option("--no-auth", "take requests to the merchant API without a signature", switch=True),
            Option("--strict-endpoints", "take the endpoints that the provider takes: public https only", switch=True),
            Option("--rate-limit", "requests per second that a key may make (default: any number)", "N"),
            Option(
                "--tls", "HTTPS, with a certificate of an authority of its own (needs the package trustme)", switch=True
            ),
            SEED,
            SIGNATURE_CLOCK,
            ATTEMPT_TIMEOUT,
            LADDER,
            LOG_LEVEL,
            Option("--json", "print one JSON object for each line", switch=True),
            TRUST,
            TRUST_ENV,
            DURABLE,
        ),
    ),
    Command(
        "relay",
        "run one more relay, on this or another host",
        "Delivers what another host's 'paymos-sim serve' queues in the same database, until Ctrl-C or SIGTERM.",
        (
            Option("--database-url", "the database of the simulator, postgresql://…", "URL"),
            POOL_SIZE,
            SIGNATURE_CLOCK,
            ATTEMPT_TIMEOUT,
            LADDER,
            LOG_LEVEL,
            Option("--json", "log one JSON object for each line", switch=True),
            TRUST,
            TRUST_ENV,
            DURABLE,
        ),
    ),
    Command(
        "run",
        "play scenarios and check what they expect",
        "Plays each story on a simulator of its own, with the reference receiver unless --target names yours.",
        (
            SEED,
            Option("--target", "webhook URL of your own receiver, in place of the reference receiver", "URL"),
            Option("--secret", "webhook secret of --target; made from the seed when left out", "SECRET"),
            TRUST,
            Option("--probe", "how to look into --target for what was fulfilled (see README)", "PROBE"),
            Option("-k", "only stories whose name fits, as in 'crash and not dispatch'", "EXPRESSION"),
            Option("-n", "play so many stories side by side (default 1)", "N"),
            Option("--repeat", "play each story so many times (default 1)", "N"),
            Option("--fail-fast", "end after the first story that fails", switch=True),
            Option("--dry-run", "show what would be done at which virtual time, and start nothing", switch=True),
            Option(
                "--report", "write junit=FILE, json=FILE or html=FILE when all is over", "FORMAT=FILE", repeated=True
            ),
            Option("--no-shorten", "do not look for a shorter story that fails in the same way", switch=True),
            DATABASE,
            Option("--in-process", "run the relay in this process, and let crashes drop it", switch=True),
            RELAYS,
            ATTEMPT_TIMEOUT,
            LADDER,
            Option("--json", "print one JSON object for each event", switch=True),
            SIGNATURE_CLOCK,
        ),
        "FILE|NAME|FOLDER",
        "scenario files, folders of them, or names of those that ship",
    ),
    Command(
        "check",
        "find out what is wrong with a receiver",
        "Sends payments to your own receiver, genuine and forged, twice and late, and says what it makes of them.",
        (
            Option("--target", "webhook URL of the receiver", "URL"),
            Option("--secret", "its webhook secret", "SECRET"),
            TRUST,
            Option("--probe", "how to look into it for what was fulfilled (see README)", "PROBE"),
            Option("--restart-cmd", "command that kills (SIGKILL) and restarts it", "COMMAND"),
            Option("--api-base", "URL at which it asks for invoices; the API is served there", "URL"),
            Option("--retired-secret", "a webhook secret that it must no longer take", "SECRET"),
            Option("--only", "run these checks and groups only", "ID,…"),
            Option("--skip", "leave these checks and groups out", "ID,…"),
            Option("--list", "list the checks, and end", switch=True),
            Option("--explain", "tell what a check does, why it matters, how to mend it, and end", "ID"),
            Option(
                "--report", "write junit=FILE, json=FILE or html=FILE when all is over", "FORMAT=FILE", repeated=True
            ),
            Option("--json", "print one JSON object for each event", switch=True),
            Option("--seed", "the ids of a run, for a receiver that has forgotten them (default: new ones)", "N"),
        ),
    ),
    Command(
        "validate",
        "check scenario files without running them",
        "Names every problem of every file, each with its place and what would be right.",
        (),
        "FILE|NAME|FOLDER",
        "scenario files, folders of them, or names of those that ship",
    ),
    Command("schema", "print the JSON Schema of scenario files", "Editors complete scenarios from it."),
    *TOOLS,
)


def command_named(word: str) -> Command:
    """Return a command by its name. Raises ``UsageError``."""
    for command in COMMANDS:
        if command.name == word:
            return command
    from sender.suggest import remedy, shown  # noqa: PLC0415 - only to complain

    what = "option" if word.startswith("-") else "command"
    raise UsageError(f"there is no {what} {shown(word)}; {remedy(word, [one.name for one in COMMANDS])}")


def overview() -> str:
    """Return what ``paymos-sim --help`` prints."""
    width = max(len(command.name) for command in COMMANDS)
    lines = [f"  {command.name:{width}}  {command.help}" for command in COMMANDS]
    return "\n".join([
        "usage: paymos-sim COMMAND [options]",
        "",
        "A local Paymos that sends webhooks the way the real one does.",
        "",
        "commands:",
        *lines,
        "",
        "options:",
        "  -h, --help     show this, or the options of a command: paymos-sim run --help",
        "  -V, --version  show the version",
        "",
        "Every option can be an environment variable: --database-url is PAYMOS_SIM_DATABASE_URL. A flag wins.",
        "Exit code: 0 it holds, 1 an expectation or a law failed, 2 could not run.",
    ])  # fmt: skip
