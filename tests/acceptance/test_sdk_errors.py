"""The typed exceptions of the official SDK: class, code, field, errors and the time to wait."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import paymos
import pytest
from paymos import (
    ApiError,
    AuthenticationError,
    ConflictError,
    NotFoundError,
    Paymos,
    RateLimitError,
    UnavailableError,
    ValidationError,
)

from sender.errors import StoreError
from sender.web.parts import ApiOptions
from tests.api import LIVE_PAYMENT, PAYMENT, PROJECT, serving_beside
from tests.sdk import payout_sdk, sdk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.api import Beside

ORDER: dict[str, Any] = {"project_id": PROJECT, "amount": "11.05", "currency": "USD", "external_order_id": "order-1"}
PAYOUT = {"destination_address": "T1", "network": "TRC20", "currency": "USDT", "external_order_id": "payout-1"}


@pytest.fixture(scope="module")
def api() -> Iterator[Beside]:
    """Give an API that all tests of this file share."""
    with serving_beside() as running:
        yield running


def refused(kind: type[ApiError], call: Callable[..., Any], *given: Any, **named: Any) -> Any:
    """Return the exception of a call; it is of exactly this class and came with a problem document."""
    with pytest.raises(ApiError) as caught:
        call(*given, **named)
    assert type(caught.value) is kind
    assert caught.value.problem is not None
    assert caught.value.problem["status"] == caught.value.status
    return caught.value


def test_one_flaw(api: Beside) -> None:
    """A single flaw has its own code and names its field."""
    error = refused(ValidationError, sdk(api.base).invoices.create, **(ORDER | {"amount": "0.00"}))
    assert (error.status, error.code, error.field, error.errors) == (400, "field_invalid_amount", "amount", [])


def test_unsupported_currency(api: Beside) -> None:
    """The provider's own sentence for it (contract §5.6)."""
    error = refused(ValidationError, sdk(api.base).invoices.create, **(ORDER | {"currency": "XXX"}))
    assert (error.code, error.field, error.detail) == ("validation_failed", "currency", "Currency is not supported.")


def test_several_flaws(api: Beside) -> None:
    """Several flaws are in ``errors``, each with its field."""
    error = refused(
        ValidationError, sdk(api.base).invoices.create, **(ORDER | {"amount": "x", "external_order_id": "x" * 129})
    )
    assert (error.code, error.field) == ("validation_failed", None)
    assert [(one["code"], one["field"]) for one in error.errors] == [
        ("field_invalid_amount", "amount"),
        ("field_invalid", "external_order_id"),
    ]


def test_unknown_credentials(api: Beside) -> None:
    """A wrong secret and an unknown key are authentication errors with one code."""
    for key, secret in [(PAYMENT.id, "sk_test_wrong"), ("pk_test_nobody", PAYMENT.secret)]:
        error = refused(AuthenticationError, Paymos(key, secret, base_url=api.base).system.time)
        assert (error.status, error.code) == (401, "invalid_signature")


def test_clock_that_is_off(api: Beside) -> None:
    """A client whose clock is six minutes slow is told so."""
    client = Paymos(PAYMENT.id, PAYMENT.secret, base_url=api.base, clock=lambda: 1_700_000_000)
    assert refused(AuthenticationError, client.system.time).code == "timestamp_out_of_range"


def test_wrong_kind_of_key(api: Beside) -> None:
    """The SDK tells permission apart from authentication, by class and code."""
    assert refused(paymos.PermissionError, sdk(api.base).balances.get).code == "payout_key_required"
    assert refused(paymos.PermissionError, payout_sdk(api.base).invoices.list).code == "payment_key_required"


def test_live_key_in_the_sandbox(api: Beside) -> None:
    """A live key cannot simulate."""
    client = sdk(api.base, LIVE_PAYMENT)
    error = refused(paymos.PermissionError, client.invoices.simulate_payment, "inv_0", "paid")
    assert (error.status, error.code) == (403, "not_sandbox")


def test_nothing_of_that_id(api: Beside) -> None:
    """What is not there is not found, also where the id has characters that need escaping."""
    payment, payout = sdk(api.base), payout_sdk(api.base)
    assert refused(NotFoundError, payment.invoices.get, "a b/*~").code == "invoice_not_found"
    assert refused(NotFoundError, payment.payment_channels.get, "pc_(1)*").code == "payment_channel_not_found"
    assert refused(NotFoundError, payment.payment_channel_deposits.get, "pcd/9").code == "deposit_not_found"
    assert refused(NotFoundError, payout.withdrawals.get, "wdr_?x=1").code == "withdrawal_not_found"


def test_conflicts(api: Beside) -> None:
    """What the state does not allow is a conflict with a code that says which."""
    payment, payout = sdk(api.base), payout_sdk(api.base)
    invoice = payment.invoices.create(**(ORDER | {"external_order_id": "conflict"}))["invoice_id"]
    payment.invoices.cancel(invoice, "first")
    assert refused(ConflictError, payment.invoices.cancel, invoice, "second").code == "invoice_cannot_be_cancelled"
    live = sdk(api.base, LIVE_PAYMENT)
    other = refused(ConflictError, live.invoices.create, **(ORDER | {"external_order_id": "conflict"}))
    assert other.code == "invoice_idempotency_conflict"
    error = refused(ConflictError, payout.withdrawals.create, **PAYOUT, amount="99999999")
    assert error.code == "insufficient_balance"


def test_bad_cursor(api: Beside) -> None:
    """A cursor that no list gave out is refused."""
    error = refused(ValidationError, sdk(api.base).invoices.list, cursor="made-up")
    assert error.field == "cursor"


def test_database_that_fails(api: Beside, monkeypatch: pytest.MonkeyPatch) -> None:
    """A failure of our own storage is an unavailable server, which the SDK may ask again."""

    def fail() -> Any:
        raise StoreError("the disk is full")

    client = sdk(api.base)
    client.invoices.list()
    with monkeypatch.context() as patched:
        patched.setattr(api.api.simulator.database, "read", fail)
        error = refused(UnavailableError, client.invoices.list)
    assert (error.status, error.code) == (503, "store_unavailable")


def test_too_many_requests() -> None:
    """The limit is told with the seconds to wait, and a client that waits gets through by itself."""
    waited: list[float] = []
    with serving_beside(options=ApiOptions(rate_limit=1)) as api:
        client = sdk(api.base)
        client.system.time()
        error = refused(RateLimitError, client.system.time)
        assert (error.status, error.code, error.retry_after_seconds) == (429, "rate_limited", 1)

        patient = sdk(api.base, max_retries=1)
        patient.sleep = waited.append
        refused(RateLimitError, patient.system.time)
    assert len(waited) == 1
    assert waited[0] >= 1
