"""The provider's own rules for endpoints, as its dashboard keeps them (contract §1.10)."""

from __future__ import annotations

import pytest

from sender.domain.endpoint import Endpoint, EndpointStatus, require_registrable
from sender.errors import Conflict, RequestRefused

URL = "https://shop.example.com/webhook"


def endpoint(url: str = URL, name: str = "new", **more: object) -> Endpoint:
    """Return an endpoint."""
    return Endpoint(name, url, "whsec_1", **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("url", [URL, "https://shop.ru:443/", "https://shop.ru:1024", "https://8.8.8.8/"])
def test_public_https_is_taken(url: str) -> None:
    """A public host, on 443 or a high port."""
    require_registrable(endpoint(url), [])


@pytest.mark.parametrize(
    ("url", "says"),
    [("http://shop.ru/", "https"), ("https://localhost/", "public host"), ("https://127.0.0.1/", "public host"),
     ("https://[::1]/", "public host"), ("https://10.1.2.3/", "public host"), ("https://169.254.1.1/", "public host"),
     ("https://shop.local/", "public host"), ("https://a.localhost/", "public host"), ("https://shop/", "public host"),
     ("https://shop.ru:80/", "no port, 443"), ("https://shop.ru:1023/", "no port, 443")],
)  # fmt: skip
def test_what_the_provider_never_calls_is_refused(url: str, says: str) -> None:
    """Plain http, loopback, private and link-local addresses, names of no public host, low ports."""
    with pytest.raises(RequestRefused, match=says) as refused:
        require_registrable(endpoint(url), [])
    assert refused.value.field == "url"


def test_an_active_url_is_registered_once_in_an_environment() -> None:
    """The other environment, a suspended endpoint and the endpoint itself do not count."""
    with pytest.raises(Conflict, match="has this url already"):
        require_registrable(endpoint(), [endpoint(name="old")])
    others = [endpoint(), endpoint(name="live", is_test=False), endpoint(name="old", status=EndpointStatus.SUSPENDED)]
    require_registrable(endpoint(), others)


def test_a_merchant_has_ten_endpoints() -> None:
    """The eleventh is refused; deleted ones make room."""
    ten = [endpoint(f"{URL}/{number}", f"e{number}") for number in range(10)]
    with pytest.raises(Conflict, match="at most 10"):
        require_registrable(endpoint(), ten)
    require_registrable(endpoint(), [endpoint(f"{URL}/0", "e0", status=EndpointStatus.DELETED), *ten[1:]])
