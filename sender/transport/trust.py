"""Which certificates are believed: the public ones, some file's besides, or any."""

from __future__ import annotations

import ssl

from sender.errors import NotAvailable
from sender.transport.exchange import INSECURE, STRICT


class Trust:
    """The transport's rule for certificates, and the exceptions that single endpoints make from it.

    What stands for a rule is what aiohttp takes as ``ssl``: ``True`` is its own strict context, made when it is
    imported, ``False`` its unverified one; a file gets a context of its own on first use.
    """

    def __init__(self, ca_file: str | None, *, insecure: bool) -> None:
        """Raise ``NotAvailable`` when ``ca_file`` cannot be used."""
        self._files: dict[str, ssl.SSLContext] = {}
        self._default = False if insecure else self._from_file(ca_file) if ca_file else True

    def rule(self, choice: str | None) -> ssl.SSLContext | bool:
        """Return the rule for ``Outgoing.tls``. Raises ``NotAvailable`` when it names a file that cannot be used."""
        if choice is None:
            return self._default
        if choice == STRICT:
            return True
        return False if choice == INSECURE else self._from_file(choice)

    def _from_file(self, path: str) -> ssl.SSLContext:
        if path not in self._files:
            self._files[path] = trusting(path)
        return self._files[path]


def trusting(path: str | None) -> ssl.SSLContext:
    """Return a context that trusts what the system does, and what the file holds. Raises ``NotAvailable``."""
    context = ssl.create_default_context()
    if path is None:
        return context
    try:
        context.load_verify_locations(cafile=path)
    except (OSError, ValueError) as error:
        unread = isinstance(error, ssl.SSLError | ValueError)
        why = "it holds no PEM certificate" if unread else getattr(error, "strerror", None) or error
        message = f"the certificate file {path!r} cannot be used: {why}"
        raise NotAvailable(message) from error
    # A server's own certificate may be trusted as it is, without its issuer; Python 3.13 has this by default.
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    context.set_alpn_protocols(["http/1.1"])
    return context
