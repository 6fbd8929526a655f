"""The step that says what must be true by now."""

from __future__ import annotations

from typing import ClassVar, Self

from pydantic import Field, model_validator

from sender.scenario.language.subject import AboutEvents, require_event_of, with_article
from sender.scenario.language.values import (
    ChannelStatus,
    Count,
    DepositStatus,
    Duration,
    EndpointStatus,
    EventType,
    InvoiceStatus,
    Many,
    Name,
    OrderStatus,
    RealTime,
    ReasonOrNone,
    Shown,
    State,
    StatusOrNone,
    WithdrawalStatus,
)

OF_RECORDS = ("state", "attempts", "statuses", "reasons", "at")
BOUNDS = ("delivered_within", "delivered_after", "answered_within", "answered_after")
COUNTED = ("received", "applied")
OF_EVENT = (*OF_RECORDS, *BOUNDS, *COUNTED)
OF_ORDER = ("order", "fulfilled")
OF_RESOURCE = ("announced", "arrived", "shows")
STATUSES = {
    "invoice_status": "invoice",
    "withdrawal_status": "withdrawal",
    "deposit_status": "deposit",
    "channel_status": "channel",
}
"""The status of each kind of resource in the API."""
WAITING = frozenset({"applied", *OF_ORDER})
"""What a probe may have to look at several times."""
EVERY = (*OF_EVENT, *OF_ORDER, *OF_RESOURCE, *STATUSES, "endpoint_status")


class Expect(AboutEvents):
    """Says what must be true by now; the run fails where it is not, and goes on."""

    example: ClassVar[str] = "expect: {invoice: order, event: invoice.paid, state: delivered, attempts: 1}"

    event: EventType | None = Field(None, description="Which event of the resource; the last of that type.")
    channel: Name | None = Field(None, description="The payment channel, by its name.")
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
    delivered_within: Duration | None = Field(
        None, description="The most virtual time from the announcement of the event to its delivery."
    )
    delivered_after: Duration | None = Field(
        None, description="The least virtual time from the announcement of the event to its delivery."
    )
    answered_within: RealTime | None = Field(
        None, description="The most real time that any attempt of the event may have taken."
    )
    answered_after: RealTime | None = Field(
        None, description="The least real time that every attempt of the event must have taken."
    )
    received: Count | None = Field(None, description="How many requests for the event the receiver has seen.")
    applied: Count | None = Field(
        None,
        description="How often the receiver has carried the event out; with a probe, how often the order of a paid "
        "invoice was fulfilled.",
    )
    order: OrderStatus | None = Field(
        None, description="The status of the order at the receiver; none without an order."
    )
    fulfilled: Count | None = Field(None, description="How often the receiver has fulfilled the order of the invoice.")
    within: RealTime | None = Field(
        None, description="With a probe: how long in real time to wait until it is true; 5s when left out."
    )
    announced: Many[EventType] | None = Field(
        None, description="Every event of the resource in the order of its transitions; [] when all were silent."
    )
    arrived: Many[EventType] | None = Field(
        None, description="The events of the resource in the order in which the receiver first saw them."
    )
    shows: dict[str, Shown] | None = Field(
        None,
        min_length=1,
        description="What the API shows of the resource, by the path to it, as in {payment.paid: 5.00}; none for what "
        "is not there.",
    )
    endpoint_status: EndpointStatus | None = Field(None, description="The status of the endpoint.")
    invoice_status: InvoiceStatus | None = Field(None, description="The status of the invoice in the API.")
    withdrawal_status: WithdrawalStatus | None = Field(None, description="The status of the withdrawal in the API.")
    deposit_status: DepositStatus | None = Field(None, description="The status of the deposit in the API.")
    channel_status: ChannelStatus | None = Field(None, description="The status of the payment channel in the API.")

    def given(self, names: tuple[str, ...]) -> list[str]:
        """Return those of the fields that are expected."""
        return [name for name in names if getattr(self, name) is not None]

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not self.given(EVERY):
            raise ValueError(f"nothing is expected; name what must be true: {', '.join(EVERY)}")
        of_event = self.given(OF_EVENT)
        if of_event and (self.event is None or self.subject is None):
            event = [] if self.event else ["event: invoice.paid"]
            subject = [] if self.subject else ["invoice: order"]
            raise ValueError(f"{of_event[0]} is about an event; add {' and '.join([*subject, *event])}")
        if self.within is not None and not WAITING & set(self.given(EVERY)):
            raise ValueError(f"within belongs to {', '.join(sorted(WAITING))}; leave it out")
        return self

    @model_validator(mode="after")
    def _is_about_what_it_needs(self) -> Self:
        of_order, of_resource = self.given(OF_ORDER), self.given(OF_RESOURCE)
        if of_order and self.invoice is None:
            raise ValueError(f"{of_order[0]} is about an invoice; add invoice: order")
        if of_resource and self.subject is None and (of_resource != ["shows"] or self.channel is None):
            raise ValueError(f"{of_resource[0]} is about a resource; add invoice: order, or a withdrawal or deposit")
        for field in self.given(tuple(STATUSES)):
            if getattr(self, STATUSES[field]) is None:
                raise ValueError(
                    f"{field} is about {with_article(STATUSES[field])}; add {STATUSES[field]}: and its name"
                )
        if self.subject is not None:
            require_event_of(self.subject.kind, (*(self.announced or ()), *(self.arrived or ())))
        return self
