"""The commands that talk to a simulator that runs, and the two that need none, as data."""

from __future__ import annotations

from sender.cli.command import Command, Option

HERE = (
    Option("--url", "where the simulator serves (default http://127.0.0.1:8080)", "URL"),
    Option("--token", "bearer token that was chosen at start", "TOKEN"),
    Option("--trust", "file of the authority to trust, as serve --tls names it", "FILE"),
)
JSON = Option("--json", "print JSON", switch=True)
BYTES = Option("-v", "show request and answer with headers and bodies", switch=True)
SECRET = Option("--secret", "webhook secret of the endpoint, whsec_…", "SECRET")
BODY = Option("--body", "file with the body, byte for byte; - or nothing for standard input", "FILE")

TOOLS = (
    Command(
        "listen",
        "follow deliveries as they are made",
        "Two lines for each attempt: what is sent, and what came of it. Ends with Ctrl-C.",
        (
            *HERE,
            Option("--events", "only these event types; invoice.* stands for all of invoices", "TYPE,…"),
            Option("--format", "text, or json for one object a line (default text)", "text|json"),
            Option("--count", "end after so many attempts", "N"),
            BYTES,
        ),
    ),
    Command(
        "events",
        "list, show or resend events",
        "events list; events show ID; events resend ID… or --failed.",
        (
            *HERE,
            Option("--state", "pending, delivered, failed or cancelled", "STATE"),
            Option("--type", "event type", "TYPE"),
            Option("--endpoint", "endpoint id", "ID"),
            Option("--resource", "id of the invoice, withdrawal, channel or deposit", "ID"),
            Option("--limit", "how many are listed (default 20, at most 100)", "N"),
            Option("--failed", "resend everything that failed", switch=True),
            BYTES,
            JSON,
        ),
        "list|show|resend [ID]",
        "what to do, and the ids of events",
    ),
    Command(
        "trigger",
        "make an event and what it needs",
        "Makes the invoice, withdrawal or deposit behind an event, and drives it there: trigger invoice.paid.",
        (
            *HERE,
            Option("--override", "value that the resource shall have, as in amount=5.00", "NAME=VALUE", repeated=True),
            JSON,
        ),
        "EVENT",
        "event type, such as invoice.paid",
    ),
    Command(
        "clock",
        "read virtual time, move it, or change its mode",
        "Without an option it shows the clock and what comes next.",
        (
            *HERE,
            Option("--by", "advance by a duration, as in 1h30m", "DURATION"),
            Option("--to", "advance to an instant, as in 2026-03-01T09:00:00Z", "INSTANT"),
            Option("--until-idle", "advance until no delivery is pending", switch=True),
            Option("--mode", "go on in another mode: real, manual, skip or scale:N", "MODE"),
            JSON,
        ),
    ),
    Command(
        "reset",
        "begin again: nothing that was sent before arrives after",
        "Clears invoices, deliveries, faults; --scopes says what: state, faults, clock, endpoints, merchant, traffic.",
        (
            *HERE,
            Option("--scopes", "what is cleared (default state,faults)", "SCOPE,…"),
            Option("--patience", "how long deliveries in flight are waited for", "DURATION"),
            JSON,
        ),
    ),
    Command(
        "sign",
        "sign a body as the provider does",
        "Prints the value of X-Webhook-Signature; needs no simulator.",
        (
            SECRET,
            BODY,
            Option("--timestamp", "Unix seconds in the signature (default now)", "SECONDS"),
        ),
    ),
    Command(
        "verify",
        "check a signature, and say what is wrong with it",
        "Names the usual mistake that a header, a body and a secret show; needs no simulator.",
        (
            SECRET,
            BODY,
            Option("--signature", "value of X-Webhook-Signature: t=…,v1=…", "HEADER"),
            Option("--now", "Unix seconds at which it arrived (default now)", "SECONDS"),
        ),
    ),
)
