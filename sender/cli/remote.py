"""A simulator that runs, as the tools of the command line see it: its control API over plain HTTP.

The standard library's client is enough for a call and a stream, and starts in a tenth of the time of another one.
"""

from __future__ import annotations

import json
import re
from contextlib import closing
from dataclasses import dataclass
from http.client import HTTPException
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import ProxyHandler, Request, build_opener

from sender.errors import NotAvailable, RequestRefused, UsageError
from sender.harmless import plain

if TYPE_CHECKING:
    from collections.abc import Iterator
    from urllib.request import OpenerDirector

    from sender.cli.options import Options

DEFAULT_URL = "http://127.0.0.1:8080"
PREFIX = "/_sim/v1"
PATIENCE = 900.0
"""Real seconds that a call may take: an advance of hours waits for every attempt on its way."""
SILENCE = 60.0
"""Real seconds after which a stream without even a heartbeat is taken for dead."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of the stream."""

    kind: str
    data: Any
    id: str


class Remote:
    """The control API at a URL. Every failure is a sentence with what to do."""

    def __init__(self, url: str = DEFAULT_URL, token: str | None = None, trust: str | None = None) -> None:
        self.url = url.rstrip("/")
        self._headers = {"Content-Type": "application/json"}
        if token is not None:
            self._headers["Authorization"] = f"Bearer {token}"
        self._opener = _opener(trust)

    def call(self, method: str, path: str, body: object = None) -> Any:
        """Make a call; return its document, or ``None`` for an empty answer.

        Raises ``RequestRefused`` with what the simulator says, and ``NotAvailable`` where none answers.
        """
        data = None if body is None else json.dumps(body).encode()
        request = Request(f"{self.url}{PREFIX}{path}", data, self._headers, method=method)  # noqa: S310 - http, checked
        text = self._read(request)
        try:
            return json.loads(text) if text else None
        except ValueError:
            raise self._somebody_else() from None

    def stream(self, query: str, last_id: str = "") -> Iterator[Message]:
        """Give the messages of the stream until it ends; ``last_id`` is where to go on."""
        headers = {**self._headers, **({"Last-Event-ID": last_id} if last_id else {})}
        request = Request(f"{self.url}{PREFIX}/stream{query}", None, headers)  # noqa: S310 - http, checked
        try:
            with closing(self._opener.open(request, timeout=SILENCE)) as answer:
                fields: dict[str, str] = {}
                for line in answer:
                    name, _, value = line.decode("utf-8", "replace").rstrip("\r\n").partition(": ")
                    if name in {"event", "data", "id"}:
                        fields[name] = value
                    elif not name and "data" in fields:
                        yield Message(fields.get("event", ""), json.loads(fields["data"]), fields.get("id", ""))
                        fields = {}
        except HTTPError as error:
            raise _refusal(error) from None
        except (OSError, HTTPException, ValueError) as error:
            raise self._nobody(error) from None

    def _read(self, request: Request) -> bytes:
        try:
            with closing(self._opener.open(request, timeout=PATIENCE)) as answer:
                return bytes(answer.read())
        except HTTPError as error:
            raise _refusal(error) from None
        except (OSError, HTTPException) as error:
            raise self._nobody(error) from None

    def _nobody(self, error: Exception) -> NotAvailable:
        cause = error.reason if isinstance(error, URLError) else error
        why = plain(getattr(cause, "strerror", None) or str(cause) or type(cause).__name__)
        return NotAvailable(
            f"no simulator answers at {self.url} ({why}); start one with 'paymos-sim serve', "
            "or name another with --url or PAYMOS_SIM_URL"
        )

    def _somebody_else(self) -> NotAvailable:
        return NotAvailable(f"what answers at {self.url} is no simulator; name one with --url or PAYMOS_SIM_URL")


def remote_of(options: Options) -> Remote:
    """Return the simulator that the options name. Raises ``UsageError`` for what is no address."""
    return Remote(options.read("url", _address, DEFAULT_URL), options.text("token"), options.text("trust"))


def _address(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in {"http", "https"} or not parts.hostname or re.search(r"[\s\x00-\x1f\x7f?#]", text):
        raise ValueError(f"{plain(text)!r} is not an address; write it as in {DEFAULT_URL}")
    return text


def _opener(trust: str | None) -> OpenerDirector:
    # A simulator is on this machine or beside it; no proxy stands between.
    if trust is None:
        return build_opener(ProxyHandler({}))
    import ssl  # noqa: PLC0415 - only for --tls
    from urllib.request import HTTPSHandler  # noqa: PLC0415

    try:
        context = ssl.create_default_context(cafile=trust)
    except (OSError, ssl.SSLError) as error:
        raise UsageError(
            f"--trust: {plain(trust)!r} cannot be read as a certificate: {error.strerror or error}"
        ) from None
    return build_opener(ProxyHandler({}), HTTPSHandler(context=context))


def _refusal(error: HTTPError) -> RequestRefused | NotAvailable:
    """Return what the simulator says, with what to do where that is known here."""
    try:
        document = json.loads(error.read())
        detail = plain(str(document["detail"]))
    except (ValueError, KeyError, TypeError, OSError):
        return NotAvailable(f"what answers at {error.url} is no simulator; name one with --url or PAYMOS_SIM_URL")
    if error.code == 401:  # noqa: PLR2004
        return RequestRefused("the simulator asks for the token of its start; give it with --token or PAYMOS_SIM_TOKEN")
    return RequestRefused(detail)
