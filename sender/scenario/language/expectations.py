"""The step that says what must be true by now."""

from __future__ import annotations

from typing import ClassVar, Self

from pydantic import Field, model_validator

from sender.scenario.language.part import Part
from sender.scenario.language.values import (
    Count,
    Duration,
    EndpointStatus,
    EventType,
    InvoiceStatus,
    Many,
    Name,
    OrderStatus,
    ReasonOrNone,
    State,
    StatusOrNone,
)

OF_EVENT = ("state", "attempts", "statuses", "reasons", "at", "received", "applied")
OF_INVOICE = ("order", "invoice_status")

_EVENT = {"invoice": "invoice: order", "event": "event: invoice.paid"}


class Expect(Part):
    """Says what must be true by now; the run fails where it is not, and goes on."""

    example: ClassVar[str] = "expect: {invoice: order, event: invoice.paid, state: delivered, attempts: 1}"

    invoice: Name | None = Field(None, description="The invoice, by its name.")
    event: EventType | None = Field(None, description="Which event of the invoice; the last of that type.")
    endpoint: Name | None = Field(
        None, description="The endpoint, by its name; may be left out where there is only one."
    )
    state: State | None = Field(None, description="Where the delivery of the event stands.")
    attempts: Count | None = Field(None, description="How many attempts are recorded.")
    statuses: Many[StatusOrNone] | None = Field(
        None, description="The HTTP status of each attempt, none for one without an answer, as in [500, none, 200]."
    )
    reasons: Many[ReasonOrNone] | None = Field(
        None, description="Why each attempt failed, none for one that did not, as in [status, timeout, none]."
    )
    at: Many[Duration] | None = Field(
        None, description="When each attempt started in virtual time, counted from the first, as in [0, 1m, 3m]."
    )
    received: Count | None = Field(None, description="How many requests for the event the receiver has seen.")
    applied: Count | None = Field(None, description="How often the receiver has carried the event out.")
    order: OrderStatus | None = Field(
        None, description="The status of the order at the receiver; none without an order."
    )
    endpoint_status: EndpointStatus | None = Field(None, description="The status of the endpoint.")
    invoice_status: InvoiceStatus | None = Field(None, description="The status of the invoice in the API.")

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        of_event, of_invoice = self._given(OF_EVENT), self._given(OF_INVOICE)
        if not of_event and not of_invoice and self.endpoint_status is None:
            every = ", ".join((*OF_EVENT, *OF_INVOICE, "endpoint_status"))
            raise ValueError(f"nothing is expected; name what must be true: {every}")
        missing = [example for field, example in _EVENT.items() if getattr(self, field) is None]
        if of_event and missing:
            raise ValueError(f"{of_event[0]} is about an event; add {' and '.join(missing)}")
        if of_invoice and self.invoice is None:
            raise ValueError(f"{of_invoice[0]} is about an invoice; add invoice: order")
        return self

    def _given(self, names: tuple[str, ...]) -> list[str]:
        return [name for name in names if getattr(self, name) is not None]
