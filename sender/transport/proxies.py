"""The proxies of the environment: ignored unless asked for, and then named."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.request import getproxies_environment, proxy_bypass_environment  # type: ignore[attr-defined]

from yarl import URL

if TYPE_CHECKING:
    from collections.abc import Mapping

_VARIABLES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")


def proxy_variables(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the names of the proxy variables that are set, for the start banner; values may hold a password."""
    names = (spelling for name in _VARIABLES for spelling in (name, name.upper()))
    return tuple(name for name in names if environment.get(name))


class Proxies:
    """Which proxy a request goes through, as the environment was when the transport was made."""

    def __init__(self, *, trust_env: bool) -> None:
        self._found = getproxies_environment() if trust_env else {}

    def proxy_for(self, url: URL) -> URL | None:
        """Return the proxy of a URL: that of its scheme, else ``all_proxy``, and none for a host in ``no_proxy``.

        Raises ``ValueError`` when the variable holds no http or https URL.
        """
        if not self._found or not url.host or proxy_bypass_environment(url.host, self._found):
            return None
        text = self._found.get(url.scheme) or self._found.get("all")
        if not text:
            return None
        proxy = URL(text if "://" in text else f"http://{text}")
        if proxy.scheme not in {"http", "https"}:
            message = f"the environment names a {proxy.scheme} proxy for it; only http and https proxies are supported"
            raise ValueError(message)
        return proxy
