"""Endpoints: which events they are subscribed to, and which secrets sign."""

from __future__ import annotations

import pytest

from sender.domain.endpoint import Endpoint
from sender.durations import DAY, HOUR

ENDPOINT = Endpoint("whe_1", "http://127.0.0.1/", "whsec_1", categories=("invoice", "withdrawal"), project_id="prj_1")


@pytest.mark.parametrize(
    ("event", "wanted"),
    [
        (("invoice.paid", "prj_1", "test"), True),
        (("invoice.paid", "prj_2", "test"), False),
        (("invoice.paid", "prj_1", "live"), False),
        (("payment_channel.deposit.confirmed", "prj_1", "test"), False),
        (("withdrawal.completed", None, "test"), True),
        (("withdrawal.completed", "", "test"), True),
        (("withdrawal.completed", None, "live"), False),
    ],
)
def test_a_subscription_is_environment_category_and_project(
    event: tuple[str, str | None, str], *, wanted: bool
) -> None:
    """All three have to fit; withdrawals belong to the merchant and pass any project filter."""
    event_type, project_id, environment = event
    assert ENDPOINT.wants(event_type, project_id, is_test=environment == "test") is wanted


def test_without_a_project_every_project_is_wanted() -> None:
    """An endpoint that names no project gets the events of all."""
    assert Endpoint("whe_1", "http://x/", "whsec_1").wants("invoice.paid", "prj_9", is_test=True)


def test_the_category_is_the_whole_first_word() -> None:
    """A category that merely begins like another one is another one."""
    channels = Endpoint("whe_1", "http://x/", "whsec_1", categories=("payment_channel",))
    assert channels.wants("payment_channel.deposit.confirmed", "prj_1", is_test=True)
    assert not channels.wants("payment.failed", "prj_1", is_test=True)


def test_the_previous_secret_signs_beside_the_new_one_for_a_day() -> None:
    """Current first, previous second, until exactly 24 h after the rotation."""
    rotated = ENDPOINT.rotated("whsec_2", 10 * HOUR)
    assert rotated.signing_secrets(10 * HOUR) == ("whsec_2", "whsec_1")
    assert rotated.signing_secrets(10 * HOUR + DAY - 1) == ("whsec_2", "whsec_1")
    assert rotated.signing_secrets(10 * HOUR + DAY) == ("whsec_2",)


def test_a_second_rotation_drops_the_oldest_and_opens_a_new_window() -> None:
    """There are never three secrets; the window counts from the last rotation."""
    twice = ENDPOINT.rotated("whsec_2", 0).rotated("whsec_3", 20 * HOUR)
    assert twice.signing_secrets(20 * HOUR) == ("whsec_3", "whsec_2")
    assert twice.signing_secrets(43 * HOUR) == ("whsec_3", "whsec_2")
    assert twice.signing_secrets(44 * HOUR) == ("whsec_3",)


def test_without_a_rotation_there_is_one_secret() -> None:
    """A fresh endpoint signs with its own secret alone."""
    assert ENDPOINT.signing_secrets(0) == ("whsec_1",)
