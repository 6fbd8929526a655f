"""The window of claimed rows: bounded, in order, and fair between endpoints."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sender.domain.delivery import queued
from sender.lanes import Lanes
from sender.store.outbox import Claimed


def row(seq: int, endpoint: str = "a") -> Claimed:
    """Return a claimed row."""
    return Claimed(seq, f"evt_{seq}", "invoice.paid", "inv_1", endpoint, queued(0), b"", "token")


def seqs(rows: list[Claimed]) -> list[int]:
    """Return the numbers of rows."""
    return [each.seq for each in rows]


def test_rows_of_an_endpoint_go_in_order_up_to_its_limit() -> None:
    """The first rows go first, and no more at once than one endpoint may have."""
    lanes = Lanes(window=10, concurrency=10, per_endpoint=2)
    lanes.add(row(seq) for seq in (1, 2, 3))
    assert seqs(list(lanes.ready())) == [1, 2]
    assert list(lanes.ready()) == []
    lanes.landed(row(1))
    assert seqs(list(lanes.ready())) == [3]


def test_a_full_endpoint_holds_up_nobody_else() -> None:
    """While one endpoint has as many in flight as it may, another one's rows go out."""
    lanes = Lanes(window=10, concurrency=10, per_endpoint=1)
    lanes.add([row(1), row(2), row(3, "b")])
    assert seqs(list(lanes.ready())) == [1, 3]


def test_all_endpoints_together_stay_within_the_concurrency() -> None:
    """The limit of the whole relay holds over every lane."""
    lanes = Lanes(window=10, concurrency=3, per_endpoint=2)
    lanes.add(row(seq, endpoint) for seq, endpoint in enumerate("aabbcc"))
    assert len(list(lanes.ready())) == lanes.in_flight == 3


def test_room_opens_when_half_of_the_window_is_used_up() -> None:
    """An endpoint is claimed for in few large bites, and never beyond its window."""
    lanes = Lanes(window=4, concurrency=9, per_endpoint=1)
    assert lanes.room("a") == 4
    lanes.add(row(seq) for seq in range(4))
    assert lanes.room("a") == 0
    assert lanes.room("b") == 4
    next(lanes.ready())
    assert lanes.room("a") == 0
    lanes.landed(row(0))
    next(lanes.ready())
    assert lanes.room("a") == 2
    assert lanes.has_room("a")


def test_a_closed_window_claims_nothing() -> None:
    """A relay that ends has room for nobody."""
    assert not Lanes(window=0, concurrency=0, per_endpoint=0).has_room("a")


def test_idle_means_that_nothing_is_in_hand() -> None:
    """Neither a waiting row nor one in flight leaves the lanes idle."""
    lanes = Lanes(window=4, concurrency=1, per_endpoint=1)
    assert lanes.idle
    lanes.add([row(1)])
    assert not lanes.idle
    assert lanes.waiting == 1
    (sent,) = lanes.ready()
    assert not lanes.idle
    lanes.landed(sent)
    assert lanes.idle


def test_what_waits_can_be_taken_out_and_what_flies_cannot() -> None:
    """Dropping returns the rows that were not sent, in order, and leaves those in flight alone."""
    lanes = Lanes(window=4, concurrency=9, per_endpoint=1)
    lanes.add([row(1), row(2), row(3)])
    (sent,) = lanes.ready()
    assert seqs(lanes.drop_waiting()) == [2, 3]
    assert (lanes.waiting, lanes.in_flight) == (0, 1)
    lanes.landed(sent)
    assert lanes.idle


@given(st.lists(st.tuples(st.sampled_from("abc"), st.booleans()), max_size=60))
def test_nothing_is_lost_or_sent_twice_in_any_order_of_events(moves: list[tuple[str, bool]]) -> None:
    """Whatever is added comes out once, per endpoint in order, and the limits hold at every moment."""
    lanes = Lanes(window=100, concurrency=4, per_endpoint=2)
    flying: list[Claimed] = []
    sent: list[Claimed] = []
    for seq, (endpoint, land) in enumerate(moves):
        lanes.add([row(seq, endpoint)])
        if land and flying:
            lanes.landed(flying.pop(0))
        flying += (out := list(lanes.ready()))
        sent += out
        assert len(flying) == lanes.in_flight <= 4
        assert all(sum(each.endpoint_id == name for each in flying) <= 2 for name in "abc")
    rest = lanes.drop_waiting()
    assert sorted(seqs(sent + rest)) == list(range(len(moves)))
    for name in "abc":
        mine = [each.seq for each in sent if each.endpoint_id == name]
        assert mine == sorted(mine)
