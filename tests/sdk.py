"""The provider's own SDK as the only client: pointed at a running API by its base URL and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paymos import Paymos, Response
from paymos.client import _default_transport

from tests.api import PAYMENT, PAYOUT
from tests.described import check_answer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sender.domain.access import ApiKey


def sdk(base: str, key: ApiKey = PAYMENT, max_retries: int = 0) -> Paymos:
    """Return a client with one of the first keys; each answer it gets is held against the description."""

    def transport(method: str, url: str, headers: Mapping[str, str], body: bytes | None, timeout: float) -> Response:
        answer = _default_transport(method, url, headers, body, timeout)
        kind = next(value for name, value in answer.headers.items() if name.lower() == "content-type")
        check_answer(method, url.removeprefix(base), answer.status, kind, answer.body.encode())
        return answer

    return Paymos(key.id, key.secret, base_url=base, max_retries=max_retries, transport=transport)


def payout_sdk(base: str) -> Paymos:
    """Return a client with the first payout key."""
    return sdk(base, PAYOUT)
