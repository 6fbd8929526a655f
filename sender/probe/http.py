"""Look by HTTP: one GET for each look, and JSON paths (RFC 9535) that say where in the answer the two values stand."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self
from urllib.parse import quote, urlsplit

from jsonpath_rfc9535 import JSONPathError
from jsonpath_rfc9535 import compile as compile_path

from sender.durations import SECOND
from sender.errors import NotAvailable, UsageError
from sender.probe.looking import PATIENCE
from sender.probe.values import sighting
from sender.suggest import shown

if TYPE_CHECKING:
    from aiohttp import ClientSession
    from jsonpath_rfc9535 import JSONPathQuery

    from sender.clock import Clock
    from sender.probe.looking import Sighting

PLACEHOLDER = "{order}"

_SHAPE = "http:http://127.0.0.1:5000/orders/{order}#fulfilled=$.times_shipped,status=$.state"
_PATHS = re.compile(r"fulfilled=(?P<fulfilled>.+?)(?:,status=(?P<status>.+))?")
_OK, _NOT_FOUND = 200, 404
_LARGEST = 1024 * 1024


@dataclass(slots=True)
class HttpProbe:
    """Asks ``url``; 404 says that the order is not known yet."""

    url: str
    fulfilled: JSONPathQuery
    status: JSONPathQuery | None
    clock: Clock
    _session: ClientSession | None = None

    @classmethod
    def read(cls, text: str, clock: Clock) -> Self:
        """Read ``URL#fulfilled=PATH[,status=PATH]``. Raises ``UsageError``."""
        url, _, rest = text.partition("#")
        paths = _PATHS.fullmatch(rest)
        _require(_is_address(url), f"{shown(url)} is not an http or https address")
        _require(PLACEHOLDER in url, f"the address does not say where the order's id goes; put {PLACEHOLDER} there")
        if paths is None:
            raise UsageError(f"no JSON path says where the count stands; write it as in {_SHAPE}")
        status = paths["status"]
        return cls(url, _path(paths["fulfilled"]), None if status is None else _path(status), clock)

    async def look(self, order: str) -> Sighting:
        """Ask once."""
        url = self.url.replace(PLACEHOLDER, quote(order, safe=""))
        status, text = await self._get(url)
        if status == _NOT_FOUND:
            return sighting(0, None, str)
        if status != _OK:
            raise NotAvailable(f"probe: GET {url} was answered {status}; 200 with JSON, or 404, was expected")
        try:
            document = json.loads(text)
        except (ValueError, RecursionError):
            raise NotAvailable(f"probe: GET {url} was answered with {shown(text)}, which is not JSON") from None
        where = None if self.status is None else _value(self.status, document)
        return sighting(_value(self.fulfilled, document), where, lambda: f"probe: GET {url} at {self.fulfilled}")

    async def _get(self, url: str) -> tuple[int, str]:
        from aiohttp import ClientError, ClientSession  # noqa: PLC0415 - not for the other kinds of probe

        if self._session is None:
            self._session = ClientSession()
        try:
            async with self.clock.timeout(PATIENCE / SECOND), self._session.get(url, allow_redirects=False) as answer:
                return answer.status, (await answer.content.read(_LARGEST)).decode("utf-8", "replace")
        except TimeoutError:
            raise NotAvailable(f"probe: GET {url} was not answered within {PATIENCE // SECOND} s") from None
        except (ClientError, ValueError) as error:
            raise NotAvailable(f"probe: GET {url} failed: {error}") from None

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()


def _value(path: JSONPathQuery, document: object) -> object:
    """Return the value that is there, or how many there are where the path may find several."""
    found = path.find(document).values()  # type: ignore[arg-type]
    if not path.singular_query():
        return len(found)
    return found[0] if found else None


def _path(text: str) -> JSONPathQuery:
    try:
        return compile_path(text.strip())
    except JSONPathError as error:
        reason = str(error).splitlines()[0]
        raise UsageError(f"{shown(text)} is not a JSON path ({reason}); write it as in $.order.times_shipped") from None


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and bool(parts.netloc) and not re.search(r"\s", url)


def _require(holds: object, complaint: str) -> None:
    if not holds:
        raise UsageError(f"{complaint}; write it as in {_SHAPE}")
