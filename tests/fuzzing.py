"""What schemathesis, in a process of its own, has to know beyond the document: the signature, and what exists.

A document says how a request looks, not which projects there are or that a cursor is one that was handed out. So a
request that is meant to be valid is given a project and a resource that exist.
"""

from __future__ import annotations

import os
import re
from itertools import count
from typing import TYPE_CHECKING, Any, cast

import schemathesis
from paymos import Paymos

from tests.api import PAYMENT, PAYOUT, PROJECT, sign

if TYPE_CHECKING:
    from schemathesis import Case, HookContext

VARIABLE = "PAYMOS_SIM_FUZZED"
"""The environment variable that says where the API is."""

_numbers = count(1)


class Signature:
    """Signs what goes out, as it goes out."""

    def __call__(self, request: Any) -> Any:
        """Add the headers of contract §5.1."""
        body = request.body or b""
        key = PAYOUT if re.search("/(withdrawals|balances)", request.path_url) else PAYMENT
        data = body.encode() if isinstance(body, str) else body
        request.headers.update(sign(request.method, request.path_url, data, key))
        return request


cast("Any", schemathesis.auth).set_from_requests(Signature())


@schemathesis.hook
def before_call(_context: HookContext, case: Case, _kwargs: dict[str, Any]) -> None:
    """Give a request that is meant to be valid what only this simulator knows."""
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    case.query.pop("cursor", None)
    if int(case.query.get("created_to", 1)) <= int(case.query.get("created_from", 0)):
        case.query.pop("created_to", None)
    if isinstance(case.body, dict) and "project_id" in case.body:
        case.body["project_id"] = PROJECT
    if "id" in case.path_parameters and "_" not in case.path_parameters["id"]:
        case.path_parameters["id"] = _made(case.operation.path)


def _made(path: str) -> str:
    """Make a resource for a path and return its id."""
    name, base = f"fuzz-{next(_numbers)}", os.environ[VARIABLE]
    payment = Paymos(PAYMENT.id, PAYMENT.secret, base_url=base)
    if "/invoices" in path:
        order = payment.invoices.create(project_id=PROJECT, amount="20", currency="USDT", external_order_id=name)
        return order["invoice_id"]
    if "/withdrawals" in path:
        payout = Paymos(PAYOUT.id, PAYOUT.secret, base_url=base)
        made = payout.withdrawals.create(
            destination_address="T1", network="TRC20", currency="USDT", amount="0.01", external_order_id=name
        )
        return made["withdrawal_id"]
    channel = payment.payment_channels.create(project_id=PROJECT, external_id=name)["id"]
    if "/payment-channels" in path:
        return channel
    deposit = payment.payment_channels.simulate_deposit(channel, amount="5", currency="USDT", network="TRC20")
    return deposit["id"]
