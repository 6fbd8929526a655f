"""Queries: unknown, malformed, repeated and impossible parameters are refused."""

from __future__ import annotations

import pytest

from sender.durations import SECOND
from sender.web.merchant.operation import Nothing
from sender.web.merchant.queries import ChannelQuery, FeedQuery, InvoiceQuery, WithdrawalQuery
from sender.web.query import Query, read_query
from sender.web.refusals import Invalid


def test_empty_query_is_every_default() -> None:
    """Nothing, and a question mark with nothing behind it, ask for the first page."""
    assert read_query(InvoiceQuery, "") == read_query(InvoiceQuery, "?")
    assert read_query(InvoiceQuery, "").limit == 50


def test_every_filter_of_an_invoice_list_arrives() -> None:
    """Each parameter ends in what the store is asked for, seconds as instants."""
    query = read_query(
        InvoiceQuery,
        "?created_from=10&created_to=11&cursor=c&external_order_id=a%20b%2F%2A~&limit=7&project_id=prj%2Fa"
        "&status=paid&status=paid_over",
    )
    wanted = query.listed("invoice", is_test=True)
    assert (wanted.created_from, wanted.created_to) == (10 * SECOND, 11 * SECOND)
    assert (wanted.cursor, wanted.limit, wanted.external_id, wanted.project_id) == ("c", 7, "a b/*~", "prj/a")
    assert wanted.statuses == ("paid", "paid_over")


def test_other_lists_have_filters_of_their_own() -> None:
    """Withdrawals know no project, channels no time, the feed no status (contract §5.5)."""
    withdrawals = read_query(WithdrawalQuery, "?status=created&external_order_id=x").listed("withdrawal", is_test=False)
    channels = read_query(ChannelQuery, "?status=active&external_id=x&project_id=p").listed("c", is_test=True)
    feed = read_query(FeedQuery, "?confirmed_from=3&payment_channel_id=pc_1&project_id=p&limit=2").read(is_test=True)
    assert (withdrawals.statuses, withdrawals.external_id, withdrawals.is_test) == (("created",), "x", False)
    assert (channels.statuses, channels.external_id, channels.project_id) == (("active",), "x", "p")
    assert (feed.confirmed_from, feed.channel_id, feed.project_id, feed.limit) == (3 * SECOND, "pc_1", "p", 2)


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("?limit=0", "limit"),
        ("?limit=101", "limit"),
        ("?limit=", "limit"),
        ("?limit=1.0", "limit"),
        ("?limit=%2B1", "limit"),
        ("?limit=1_0", "limit"),
        ("?limit=%201", "limit"),
        ("?limit=%D9%A1", "limit"),
        ("?limit=" + "9" * 5_000, "limit"),
        ("?limit=1&limit=2", "limit"),
        ("?cursor=", "cursor"),
        ("?cursor=a%00b", "cursor"),
        ("?status=", "status.0"),
        ("?status=new", "status.0"),
        ("?status=paid&status=paid", "status"),
        ("?status=paid,expired", "status.0"),
        ("?created_from=-1", "created_from"),
        ("?created_from=253402300800", "created_from"),
        ("?created_from=5&created_to=5", "created_to"),
        ("?created_from=5&created_to=4", "created_to"),
        ("?created_to=4&created_from=5", "created_to"),
        ("?external_order_id=", "external_order_id"),
        ("?external_id=1", "external_id"),
        ("?Status=paid", "Status"),
        ("?%20limit=1", " limit"),
    ],
)
def test_bad_parameter_is_named(query: str, field: str) -> None:
    """Each is refused, and the answer names the parameter."""
    with pytest.raises(Invalid) as caught:
        read_query(InvoiceQuery, query)
    assert caught.value.field == field


@pytest.mark.parametrize("query", ["?limit", "?limit=1&", "?&", "?limit=1&&cursor=a", "?cursor=%FF", "?=%ED%A0%80"])
def test_text_that_is_no_query_is_refused(query: str) -> None:
    """What cannot be taken apart into names and values in UTF-8 is not guessed at."""
    with pytest.raises(Invalid) as caught:
        read_query(InvoiceQuery, query)
    assert caught.value.reason_code == "malformed_query"


@pytest.mark.parametrize("model", [Nothing, Query])
def test_operation_without_parameters_takes_none(model: type[Query]) -> None:
    """Unknown query fields are refused everywhere (contract §5.5)."""
    with pytest.raises(Invalid) as caught:
        read_query(model, "?embed=true")
    assert (caught.value.reason_code, caught.value.field) == ("field_unknown", "embed")
