"""HTTPS with a certificate of a local authority, for clients that take nothing else (contract §5.1).

The PHP SDK speaks HTTPS only, and the Python SDK plain HTTP on loopback names only. The authority is made anew at every
start and its key is nowhere but in memory, so trusting its file trusts nobody else, and nobody after the stop.
"""

from __future__ import annotations

import ssl
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from sender.errors import NotAvailable

if TYPE_CHECKING:
    from collections.abc import Sequence

LOOPBACK = ("localhost", "127.0.0.1", "::1")
"""The names that a certificate has besides those it is asked for."""


def make_tls(names: Sequence[str] = (), folder: Path | None = None) -> tuple[ssl.SSLContext, Path]:
    """Return the context of a server that is reached by ``names``, and the file that its clients have to trust.

    The file is ``paymos-sim-ca.pem`` in ``folder``, or in a new temporary folder. Raises ``NotAvailable`` where trustme
    is not installed or the file cannot be written.
    """
    try:
        import trustme  # noqa: PLC0415 - it brings a whole cryptography library, which plain HTTP needs nothing of
    except ImportError:
        raise NotAvailable("--tls needs trustme, which is not installed; run: pip install 'paymos-sim[tls]'") from None
    authority = trustme.CA(organization_name="paymos-sim")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(*dict.fromkeys((*LOOPBACK, *names)), common_name="paymos-sim").configure_cert(context)
    try:
        file = (folder or Path(tempfile.mkdtemp(prefix="paymos-sim-"))) / "paymos-sim-ca.pem"
        file.write_bytes(authority.cert_pem.bytes())
    except OSError as error:
        raise NotAvailable(f"the file that clients have to trust cannot be written: {error}") from error
    return context, file
