"""The merchant API as a whole: its operations and the routes to them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from aiohttp import web

from sender.web.merchant.channels import ChannelApi
from sender.web.merchant.door import Door
from sender.web.merchant.gate import Gate
from sender.web.merchant.invoices import InvoiceApi
from sender.web.merchant.limiter import Limiter
from sender.web.merchant.shelf import Shelf
from sender.web.merchant.system import SystemApi
from sender.web.merchant.withdrawals import WithdrawalApi
from sender.web.openapi.document import make_document

if TYPE_CHECKING:
    from sender.web.merchant.operation import Operation
    from sender.web.parts import ApiOptions, Parts


def merchant_operations(parts: Parts) -> tuple[Operation, ...]:
    """Return every operation, in the order of contract §5.2."""
    shelf = Shelf(parts.database, parts.profile)
    return (
        *SystemApi(parts.database, parts.runtime.clock).operations(),
        *InvoiceApi(parts.invoices, shelf, parts.profile).operations(),
        *WithdrawalApi(parts.withdrawals, shelf, parts.profile).operations(),
        *ChannelApi(parts.channels, shelf, parts.profile).operations(),
    )


def merchant_routes(parts: Parts, options: ApiOptions) -> list[web.RouteDef]:
    """Return the routes of the merchant API, with its own description, which is not signed for."""
    clock = parts.runtime.clock
    gate = Gate(parts.database, clock) if options.authenticate else None
    limiter = None if options.rate_limit is None else Limiter(clock, options.rate_limit)
    operations = merchant_operations(parts)
    document = make_document(operations, parts.profile.catalogue, options.public_url or "/")
    description = json.dumps(document).encode()

    async def describe(_request: web.Request) -> web.Response:
        return web.Response(body=description, content_type="application/json")

    routes = Door(gate, limiter, parts.profile.catalogue).routes(operations)
    return [*routes, web.get("/v1/openapi.json", describe)]
