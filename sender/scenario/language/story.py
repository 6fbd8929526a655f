"""A scenario as a whole: its settings and its steps, one key a step, the key is the verb."""

from __future__ import annotations

from typing import ClassVar, TypeAlias

from pydantic import ConfigDict, Field
from pydantic.json_schema import SkipJsonSchema

from sender.scenario.language.chain import Confirm, Reorg, Transfer
from sender.scenario.language.channels import Block, CreateChannel, Deposit, Unblock
from sender.scenario.language.endpoints import Delete, Edit, Endpoint, Resend, Resume, RotateSecret, Suspend
from sender.scenario.language.expectations import Expect
from sender.scenario.language.faults import Crash, Receiver, Restart
from sender.scenario.language.moves import Advance
from sender.scenario.language.part import Part
from sender.scenario.language.resources import Cancel, ConfirmPayment, CreateInvoice, Expire, Pay
from sender.scenario.language.values import About, ClockMode, Instant, Ladder, Many, Seed, SomeTime, Text
from sender.scenario.language.wire import Wire
from sender.scenario.language.withdrawals import Complete, CreateWithdrawal, Fail, Process, Review

MAX_STEPS = 1_000

Action: TypeAlias = (
    CreateInvoice
    | ConfirmPayment
    | Pay
    | Transfer
    | Confirm
    | Reorg
    | Cancel
    | Expire
    | CreateWithdrawal
    | Review
    | Process
    | Complete
    | Fail
    | CreateChannel
    | Block
    | Unblock
    | Deposit
    | Endpoint
    | Edit
    | Suspend
    | Resume
    | Delete
    | RotateSecret
    | Resend
    | Advance
    | Crash
    | Restart
    | Wire
    | Receiver
    | Expect
)
"""What a step can do."""


class Step(Part):
    """One step: exactly one of these keys."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1, "maxProperties": 1})
    example: ClassVar[str] = "- pay: {invoice: order}"

    create_invoice: CreateInvoice | None = None
    confirm_payment: ConfirmPayment | None = None
    pay: Pay | None = None
    transfer: Transfer | None = None
    confirm: Confirm | None = None
    reorg: Reorg | None = None
    cancel: Cancel | None = None
    expire: Expire | None = None
    create_withdrawal: CreateWithdrawal | None = None
    review: Review | None = None
    process: Process | None = None
    complete: Complete | None = None
    fail: Fail | None = None
    create_channel: CreateChannel | None = None
    block: Block | None = None
    unblock: Unblock | None = None
    deposit: Deposit | None = None
    endpoint: Endpoint | None = None
    edit: Edit | None = None
    suspend: Suspend | None = None
    resume: Resume | None = None
    delete: Delete | None = None
    rotate_secret: RotateSecret | None = None
    resend: Resend | None = None
    advance: Advance | None = None
    crash: Crash | None = None
    restart: Restart | None = None
    wire: Wire | None = None
    receiver: Receiver | None = None
    expect: Expect | None = None

    number: SkipJsonSchema[int] = 0
    line: SkipJsonSchema[int] = 0

    @property
    def verb(self) -> str:
        """The key of the step."""
        return next(verb for verb in VERBS if getattr(self, verb) is not None)

    @property
    def action(self) -> Action:
        """What the step does, with its fields."""
        action: Action = getattr(self, self.verb)
        return action


VERBS = tuple(name for name in Step.model_fields if name not in {"number", "line"})


class Scenario(Part):
    """A story that is played on a simulator and a receiver: what happens, and what must be true afterwards."""

    example: ClassVar[str] = "{name: a paid invoice, steps: [{pay: {invoice: order}}]}"

    name: Text = Field(description="What the story shows, in one line.")
    about: About | None = Field(None, description="What happens, and what a receiver must do about it.")
    clock: ClockMode = Field(
        "manual",
        description="manual: time stands still until a step advances it. skip: it jumps to the next delivery when "
        "nothing is in flight. real: it passes as it does. scale:60: every second is a minute.",
    )
    start: Instant | None = Field(None, description="The virtual instant at which the story starts, with its zone.")
    seed: Seed | None = Field(None, description="The same seed gives the same ids; the run's own when left out.")
    ladder: Ladder | None = Field(None, description="The retry schedule: a name that ships, or a path from this file.")
    attempt_timeout: SomeTime | None = Field(
        None, description="The real wait for an answer; what is recorded stays the ladder's own timeout."
    )
    endpoints: Many[Endpoint] = Field(
        (), description="The endpoints there are from the start; when none is listed, one named default."
    )
    steps: Many[Step] = Field(min_length=1, description="What happens, in order.")
