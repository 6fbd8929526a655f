"""What the operations take: bodies as contract §5.3 has them, unknown members refused."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field, ValidationInfo
from pydantic_core import PydanticCustomError

from sender.domain.deposit import DepositStatus
from sender.domain.invoice_rules import CLIENT_ID_MAX, EXTERNAL_ID_MAX, PERCENT_MAX, REASON_MAX
from sender.domain.sandbox import Stage
from sender.providers.paymos_networks import Catalogue
from sender.web.validation import Amount, Fields, Text, Words, whole

ADDRESS_MAX = 128
ID_MAX = 64
CODE_MAX = 20


def _is_currency(text: str, info: ValidationInfo) -> str:
    if isinstance(info.context, Catalogue) and text not in info.context.per_usd:
        raise PydanticCustomError("validation_failed", "Currency is not supported.")
    return text


def _is_network(text: str, info: ValidationInfo) -> str:
    if isinstance(info.context, Catalogue) and text not in info.context.networks:
        known = ", ".join(info.context.networks)
        raise PydanticCustomError("validation_failed", "Network is not supported; there are {known}.", {"known": known})
    return text


def _is_token(text: str, info: ValidationInfo) -> str:
    if isinstance(info.context, Catalogue) and not info.context.is_token(text):
        known = ", ".join(dict.fromkeys(token for token, _ in info.context.contracts))
        raise PydanticCustomError("validation_failed", "Currency is no token; tokens are {known}.", {"known": known})
    return text


def _is_rail(text: str, info: ValidationInfo) -> str:
    token = info.data.get("currency")
    if isinstance(info.context, Catalogue) and token is not None and (token, text) not in info.context.contracts:
        known = ", ".join(rail for one, rail in info.context.contracts if one == token)
        raise PydanticCustomError("validation_failed", "Network does not carry it; use {known}.", {"known": known})
    return text


Code = Annotated[Text, Field(min_length=1, max_length=CODE_MAX)]
Currency = Annotated[Code, AfterValidator(_is_currency)]
Network = Annotated[Code, AfterValidator(_is_network)]
ProjectId = Annotated[Words, Field(min_length=1, max_length=ID_MAX)]
ExternalId = Annotated[Words, Field(min_length=1, max_length=EXTERNAL_ID_MAX)]


class InvoiceBody(Fields):
    """Create an invoice. ``null`` in an optional member is as good as leaving it out."""

    project_id: ProjectId
    amount: Amount
    currency: Currency
    external_order_id: ExternalId
    network: Network | None = None
    allow_multiple_payments: bool | None = None
    customer_fee_percent: Annotated[int, Field(ge=0, le=PERCENT_MAX), whole] | None = None
    client_id: Annotated[Words, Field(min_length=1, max_length=CLIENT_ID_MAX)] | None = None


class ReasonBody(Fields):
    """Cancel something."""

    reason: Annotated[Words, Field(min_length=1, max_length=REASON_MAX)]


class PairBody(Fields):
    """A token and the network that carries it."""

    currency: Annotated[Code, AfterValidator(_is_token)]
    network: Annotated[Code, AfterValidator(_is_rail)]


class ChoiceBody(PairBody):
    """Choose what an invoice is paid with, and where."""


class StageBody(Fields):
    """Drive an invoice to a stage of the sandbox."""

    stage: Annotated[Stage, Field(strict=False)]


class WithdrawalBody(PairBody):
    """Pay out."""

    amount: Amount
    destination_address: Annotated[Words, Field(min_length=1, max_length=ADDRESS_MAX)]
    external_order_id: ExternalId


class ChannelBody(Fields):
    """Open a payment channel, or get the one that is there."""

    project_id: ProjectId
    external_id: ExternalId


class DepositBody(PairBody):
    """Let a deposit arrive. Without a ``stage`` it is confirmed; ``null`` is no stage (contract §4.4)."""

    amount: Amount
    stage: Annotated[DepositStatus, Field(strict=False)] = DepositStatus.CONFIRMED
