"""What the lists can be filtered by (contract §5.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import AfterValidator, Field, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from sender.domain.channel import ChannelStatus
from sender.domain.invoice import InvoiceStatus
from sender.domain.withdrawal import WithdrawalStatus
from sender.durations import SECOND
from sender.store import feed, lists
from sender.store.filters import DEFAULT_LIMIT
from sender.web.query import Query, digits
from sender.web.validation import Text

if TYPE_CHECKING:
    from sender.durations import Instant

LATEST = 253_402_300_799
"""The last second of the year 9999; a later one would not fit where microseconds are counted."""


def _each_once(values: tuple[Any, ...]) -> tuple[Any, ...]:
    if len(set(values)) != len(values):
        raise PydanticCustomError("field_invalid", "must not name a status twice")
    return values


Second = Annotated[int, Field(ge=0, le=LATEST), digits]
Filter = Annotated[Text, Field(min_length=1, max_length=128)]
each_once = AfterValidator(_each_once)
is_set = Field(json_schema_extra={"uniqueItems": True})
InvoiceStatuses = Annotated[tuple[Annotated[InvoiceStatus, Field(strict=False)], ...], each_once, is_set]
WithdrawalStatuses = Annotated[tuple[Annotated[WithdrawalStatus, Field(strict=False)], ...], each_once, is_set]
ChannelStatuses = Annotated[tuple[Annotated[ChannelStatus, Field(strict=False)], ...], each_once, is_set]
STATUS = frozenset({"status"})


class PageQuery(Query):
    """Which page of a list: its length and where it starts."""

    limit: Annotated[int, Field(ge=1, le=100), digits] = DEFAULT_LIMIT
    cursor: Filter | None = None

    def listed(self, kind: str, *, is_test: bool) -> lists.Query:
        """Return what to ask the store for."""
        return lists.Query(kind=kind, is_test=is_test, limit=self.limit, cursor=self.cursor, **self._filters())

    def _filters(self) -> dict[str, Any]:
        return {}


class CreatedQuery(PageQuery):
    """A list that is cut by the second of creation, both bounds included."""

    external_order_id: Filter | None = None
    created_from: Second | None = None
    created_to: Second | None = None

    @field_validator("created_to")
    @classmethod
    def _later(cls, value: int | None, info: ValidationInfo) -> int | None:
        earlier = info.data.get("created_from")
        if value is not None and earlier is not None and value <= earlier:
            raise PydanticCustomError("field_invalid", "must be later than created_from")
        return value

    def _filters(self) -> dict[str, Any]:
        return {
            "external_id": self.external_order_id,
            "created_from": _instant(self.created_from),
            "created_to": _instant(self.created_to),
        }


class InvoiceQuery(CreatedQuery):
    """Which invoices are listed."""

    repeated: ClassVar[frozenset[str]] = STATUS

    status: InvoiceStatuses = ()
    project_id: Filter | None = None

    def _filters(self) -> dict[str, Any]:
        return {**super()._filters(), "statuses": self.status, "project_id": self.project_id}


class WithdrawalQuery(CreatedQuery):
    """Which withdrawals are listed; they belong to no project."""

    repeated: ClassVar[frozenset[str]] = STATUS

    status: WithdrawalStatuses = ()

    def _filters(self) -> dict[str, Any]:
        return {**super()._filters(), "statuses": self.status}


class ChannelQuery(PageQuery):
    """Which payment channels are listed."""

    repeated: ClassVar[frozenset[str]] = STATUS

    status: ChannelStatuses = ()
    external_id: Filter | None = None
    project_id: Filter | None = None

    def _filters(self) -> dict[str, Any]:
        return {"statuses": self.status, "external_id": self.external_id, "project_id": self.project_id}


class FeedQuery(PageQuery):
    """Which confirmed deposits are read; ``confirmed_from`` is for the first call only."""

    project_id: Filter | None = None
    payment_channel_id: Filter | None = None
    confirmed_from: Second | None = None

    def read(self, *, is_test: bool) -> feed.FeedQuery:
        """Return what to ask the store for."""
        return feed.FeedQuery(
            is_test=is_test,
            limit=self.limit,
            cursor=self.cursor,
            project_id=self.project_id,
            channel_id=self.payment_channel_id,
            confirmed_from=_instant(self.confirmed_from),
        )


def _instant(second: int | None) -> Instant | None:
    return None if second is None else second * SECOND
