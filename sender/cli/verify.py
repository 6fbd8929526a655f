"""``paymos-sim verify``: checks a signature without a simulator, and says which of the usual mistakes it shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sender.cli.saying import say
from sender.cli.sign import body_of, secret_of, unix_seconds
from sender.domain.diagnosis import diagnose
from sender.errors import UsageError

if TYPE_CHECKING:
    from sender.cli.options import Options


def main(options: Options) -> int:
    """Return 0 for a signature that holds, and 1 with every mistake that it shows."""
    header = options.text("signature")
    if header is None:
        raise UsageError("--signature is missing; give the value of X-Webhook-Signature, t=…,v1=…")
    secret = secret_of(options)
    findings = diagnose(header, body_of(options), secret, unix_seconds(options, "now"))
    for finding in findings:
        say(f"{finding.code}: {finding.says}")
    if not findings:
        say("ok: the signature fits the body and the secret, and is fresh")
    return 1 if findings else 0
