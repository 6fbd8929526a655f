"""The scenario language: what a good story becomes, and what is said about a bad one, and where."""

from __future__ import annotations

import json
import os
import re
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING

import pytest

from sender import schedules
from sender.crash import CrashPoint
from sender.domain.delivery import DeliveryState, Reason
from sender.domain.sandbox import Stage
from sender.durations import HOUR, MINUTE, SECOND, parse_instant
from sender.errors import FileRefused
from sender.scenario.language import VERBS, json_schema, load_scenario, schema_text
from sender.scenario.language.endpoints import Endpoint, Resend, RotateSecret
from sender.scenario.language.expectations import Expect
from sender.scenario.language.faults import Crash, Receiver, ReceiverFault, Restart
from sender.scenario.language.moves import Advance, Until
from sender.scenario.language.resources import CreateInvoice, Pay
from sender.scenario.language.wire import Wire, WireFault
from tests.scenarios import CREATE, read_story

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from sender.scenario.language import Action, Scenario

    Load = Callable[..., Scenario]

STORIES = schedules.names("scenarios")


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """Write a story and read it."""
    return partial(read_story, tmp_path)


@pytest.fixture
def steps(load: Load) -> Callable[[str], list[Action]]:
    """Read the steps of a story whose first one creates the invoice ``order``."""
    return lambda text: [step.action for step in load(f"name: x\nsteps:\n{CREATE}{text}").steps[1:]]


@pytest.mark.parametrize("name", STORIES)
def test_every_shipped_story_is_valid_and_explained(name: str) -> None:
    """A story that ships can be read, says what a receiver must do, and tells editors where its schema is."""
    path = schedules.find("scenarios", name)
    scenario = load_scenario(path)
    assert scenario.about
    assert any(step.verb == "expect" for step in scenario.steps)
    assert path.read_text().startswith("# yaml-language-server: $schema=../schema.json\nname: ")


def test_the_stories_of_the_crash_table_cover_every_point() -> None:
    """Each crash point has the story that is named for it."""
    points = {name.removeprefix("crash-") for name in STORIES if name.startswith("crash-")}
    assert points == {point.removeprefix("relay.").replace(".", "-").replace("_", "-") for point in CrashPoint}


def test_the_schema_that_ships_is_true() -> None:
    """schedules/schema.json is what the models say; ``make schema`` writes it."""
    assert schedules.directory("scenarios").with_name("schema.json").read_text() == schema_text()


def test_the_schema_knows_every_verb_and_takes_what_editors_see() -> None:
    """Editors get a description of each verb, and numbers where YAML makes numbers of text."""
    schema = json_schema()
    parts = schema["$defs"]
    verbs = parts["Step"]["properties"]
    assert tuple(verbs) == VERBS
    assert (parts["Step"]["minProperties"], parts["Step"]["maxProperties"]) == (1, 1)
    assert all(parts[verb["$ref"].rpartition("/")[2]]["description"] for verb in verbs.values())
    assert parts["Expect"]["properties"]["attempts"]["type"] == ["integer", "string"]
    assert parts["CreateInvoice"]["properties"]["amount"]["type"] == ["string", "number"]
    assert {"type": "null"} in parts["Restart"]["anyOf"]
    assert "null" not in json.dumps(parts["Expect"])


def test_a_story_has_defaults_and_its_steps_know_their_places(load: Load) -> None:
    """The clock stands still unless told otherwise; each step knows its number and its line."""
    scenario = load(f"name: x\n\nsteps:\n{CREATE}\n  # a remark\n  - pay: {{invoice: order}}\n")
    assert (scenario.clock, scenario.start, scenario.seed, scenario.ladder, scenario.endpoints) == (
        "manual",
        None,
        None,
        None,
        (),
    )
    assert [(step.number, step.line, step.verb) for step in scenario.steps] == [(1, 4, "create_invoice"), (2, 7, "pay")]


def test_settings_of_a_story_are_read(load: Load, tmp_path: Path) -> None:
    """Clock, start, seed, timeout, endpoints and a ladder by a path that is relative to the file."""
    (tmp_path / "own.yaml").write_text("timeout: 1s\ngaps: [5s]\n")
    scenario = load(
        "name: 12:30\nclock: scale:60\nstart: 2026-03-01T09:00:00Z\nseed: 7\nladder: own.yaml\nattempt_timeout: 200ms\n"
        "endpoints: [{as: shop, categories: [invoice], project: prj_1}]\nsteps: [restart: ]\n"
    )
    assert (scenario.name, scenario.clock, scenario.seed, scenario.attempt_timeout) == (
        "12:30",
        "scale:60",
        7,
        200_000,
    )
    assert scenario.start == parse_instant("2026-03-01T09:00:00Z")
    assert scenario.ladder is not None
    assert scenario.ladder.gaps == (5 * SECOND,)
    assert scenario.endpoints == (
        Endpoint.model_validate({"as": "shop", "categories": ["invoice"], "project": "prj_1"}),
    )


def test_text_fields_keep_what_was_typed(steps: Callable[[str], list[Action]]) -> None:
    """``NO``, an octal, a time and a date are the text that was typed; an amount keeps its decimals."""
    (made,) = steps(
        "  - create_invoice: {as: NO, amount: 1.10, currency: USD, external_order_id: 0510, client_id: 12:30}\n"
    )
    assert isinstance(made, CreateInvoice)
    assert (made.name, made.order_id, made.client_id, str(made.amount)) == ("NO", "0510", "12:30", "1.10")
    assert made.allow_multiple_payments


def test_the_name_is_the_order_id_unless_one_is_given(load: Load) -> None:
    """A story that does not care about the merchant's own id need not make one up."""
    action = load(f"name: x\nsteps:\n{CREATE}").steps[0].action
    assert isinstance(action, CreateInvoice)
    assert (action.order_id, action.amount) == ("order", Decimal("11.05"))


def test_payments_are_a_stage_or_an_amount(steps: Callable[[str], list[Action]]) -> None:
    """Paid in full unless a stage or an amount says otherwise."""
    (full,) = steps("  - pay: {invoice: order}\n")
    part, over = steps("  - pay: {invoice: order, amount: 1}\n  - pay: {invoice: order, stage: overpaid}\n")
    assert [action.outcome for action in (full, over, part) if isinstance(action, Pay)] == [
        Stage.PAID,
        Stage.OVERPAID,
        None,
    ]


def test_time_is_moved_by_to_and_until(steps: Callable[[str], list[Action]]) -> None:
    """A bare duration is short for ``by``; ``to`` takes an instant or a duration since the start."""
    short, by, to, since, idle, done = steps(
        "  - advance: 16h\n  - advance: {by: 1.5h}\n  - advance: {to: 2026-03-01T09:00:00Z}\n  - advance: {to: 1m}\n"
        "  - advance: {until: idle}\n  - advance: {until: delivered, invoice: order}\n"
    )
    assert isinstance(short, Advance)
    assert isinstance(by, Advance)
    assert (short.by, by.by) == (16 * HOUR, 90 * MINUTE)
    assert isinstance(to, Advance)
    assert isinstance(since, Advance)
    assert to.to is not None
    assert since.to is not None
    assert (to.to.at(5), since.to.at(5)) == (parse_instant("2026-03-01T09:00:00Z"), 5 + MINUTE)
    assert isinstance(idle, Advance)
    assert isinstance(done, Advance)
    assert (idle.until, done.until, done.invoice) == (Until.IDLE, Until.DELIVERED, "order")


def test_faults_are_read_with_what_they_wait_for(steps: Callable[[str], list[Action]]) -> None:
    """Crash points, wire faults and scripted answers become typed values."""
    crash, wire, answer, ok, restart = steps(
        "  - crash: {at: relay.after_send, on: {event: invoice.paid, attempt: 2}, times: 3}\n"
        "  - wire: {fault: duplicate, copies: 2, spacing: 10ms}\n"
        "  - receiver: {fault: slow_close, status: 202, delay: 5s, times: 1, event: invoice.paid}\n"
        "  - receiver: ok\n  - restart:\n"
    )
    assert isinstance(crash, Crash)
    assert (crash.at, crash.on.event, crash.on.attempt, crash.times) == (
        CrashPoint.RELAY_AFTER_SEND,
        "invoice.paid",
        2,
        3,
    )
    assert isinstance(wire, Wire)
    assert (wire.fault, wire.params, wire.times) == (WireFault.DUPLICATE, {"copies": "2", "spacing": "10ms"}, 1)
    assert isinstance(answer, Receiver)
    assert (answer.fault, answer.status, answer.delay, answer.forgets) == (
        ReceiverFault.SLOW_CLOSE,
        202,
        5 * SECOND,
        False,
    )
    assert isinstance(ok, Receiver)
    assert ok.forgets
    assert isinstance(restart, Restart)


def test_expectations_are_read(steps: Callable[[str], list[Action]]) -> None:
    """States, statuses, reasons and offsets become typed values, with none for what is not there."""
    (expect,) = steps(
        "  - expect: {invoice: order, event: invoice.paid, state: failed, attempts: 2, statuses: [500, none], "
        "reasons: [status, timeout], at: [0, 1m10s], received: 2, applied: 0, order: none}\n"
    )
    assert isinstance(expect, Expect)
    assert (expect.state, expect.attempts, expect.statuses) == (DeliveryState.FAILED, 2, (500, None))
    assert (expect.reasons, expect.at) == ((Reason.STATUS, Reason.TIMEOUT), (0, 70 * SECOND))
    assert (expect.received, expect.applied, expect.order) == (2, 0, "none")


def test_what_goes_without_saying_may_be_left_out(steps: Callable[[str], list[Action]]) -> None:
    """With one endpoint and one invoice neither has to be named."""
    _, rotate, resend = steps("  - pay: {invoice: order}\n  - rotate_secret:\n  - resend: {event: invoice.paid}\n")
    assert isinstance(rotate, RotateSecret)
    assert rotate.endpoint is None
    assert isinstance(resend, Resend)
    assert (resend.invoice, resend.event) == (None, "invoice.paid")


def test_variables_are_filled_in_and_secrets_are_not_shown(load: Load) -> None:
    """``${env:NAME}`` stands in urls and secrets; without an environment it stays; no repr shows a secret."""
    text = "name: x\nendpoints: [{as: a, url: 'http://${env:HOST}/x', secret: '${env:KEY}'}]\nsteps: [restart: ]\n"
    filled = load(text, environ={"HOST": "h:1", "KEY": "whsec_test_topsecret"})
    assert filled.endpoints[0].url == "http://h:1/x"
    assert filled.endpoints[0].secret is not None
    assert filled.endpoints[0].secret.get_secret_value() == "whsec_test_topsecret"
    assert "topsecret" not in repr(filled)
    assert load(text).endpoints[0].url == "http://${env:HOST}/x"
    with pytest.raises(FileRefused, match="the environment variable HOST is not set"):
        load(text, environ={"KEY": "topsecret\n"})


@pytest.mark.parametrize("field", ["probe", "command", "sql", "restart_cmd", "database_url", "target", "include"])
def test_a_story_runs_nothing(load: Load, field: str) -> None:
    """What executes or connects is chosen on the command line; a story has no field for it, and no verb."""
    for text in (f"name: x\n{field}: sh -c id\nsteps: [restart: ]\n", f"name: x\nsteps: [{{{field}: sh -c id}}]\n"):
        with pytest.raises(FileRefused, match=f"'{field}' is not known"):
            load(text)


def test_a_story_reads_no_file_but_its_ladder(load: Load, tmp_path: Path) -> None:
    """Nothing but a plain .yaml file: keys, devices and pipes are not opened, wherever they lie."""
    (tmp_path / "key").write_text("timeout: 1s\ngaps: []\n")
    (tmp_path / "key.txt").write_text("timeout: 1s\ngaps: []\n")
    os.mkfifo(tmp_path / "pipe.yaml")
    for ladder in (
        "/etc/passwd",
        "../../../etc/passwd",
        "/dev/zero",
        "/dev/stdin",
        "key",
        "./key",
        "key.txt",
        "pipe.yaml",
        ".",
    ):
        with pytest.raises(FileRefused) as refused:
            load(f"name: x\nladder: {ladder}\nsteps: [restart: ]\n")
        (problem,) = refused.value.problems
        assert re.search(r"is no \.yaml file|is neither one of the shipped ladders", problem)


def test_no_message_shows_a_secret(load: Load) -> None:
    """A secret that cannot be used is refused without being quoted."""
    text = "name: x\nendpoints: [{as: a, secret: '${env:KEY}'}]\nsteps: [restart: ]\n"
    with pytest.raises(FileRefused, match="this is not a secret") as caught:
        load(text, environ={"KEY": "top secret"})
    assert "top" not in str(caught.value)


def test_answers_may_follow_each_other(steps: Callable[[str], list[Action]]) -> None:
    """A script that ends, or is forgotten, lets the next one come to its turn."""
    assert steps(
        "  - receiver: {status: 500, times: 2}\n  - receiver: {status: 503, event: invoice.paid}\n"
        "  - receiver: {status: 400, event: invoice.expired}\n  - receiver: ok\n  - receiver: {status: 500}\n"
    )


def test_deadlines_pass_by_themselves_on_a_moving_clock(load: Load) -> None:
    """On a clock that stands still nothing expires between two steps; on any other it may."""
    story = f"steps:\n{CREATE}  - resend: {{event: invoice.expired}}\n"
    assert load(f"name: x\nclock: skip\n{story}").steps[1].verb == "resend"
    with pytest.raises(FileRefused, match=r"there can be no invoice\.expired here"):
        load(f"name: x\n{story}")
