"""Beginning again over HTTP, between two tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from sender.durations import parse_duration
from sender.web.control.call import Ask, Call, Reply
from sender.web.validation import Fields, Text

if TYPE_CHECKING:
    from collections.abc import Callable

    from sender.web.merchant.operation import Nothing
    from sender.web.parts import Resetting, Traffic


class ResetBody(Fields):
    """What is cleared, and how long deliveries in flight are waited for (default: as long as an attempt may last)."""

    scopes: Annotated[
        list[Literal["state", "faults", "clock", "endpoints", "merchant", "traffic"]],
        Field(min_length=1, max_length=6, default_factory=lambda: ["state", "faults"]),
    ]
    patience: Annotated[Text, Field(max_length=40)] | None = None


class ResetCalls:
    """Clears by scope. ``forget`` drops what the merchant API remembers."""

    def __init__(self, resetting: Resetting, traffic: Traffic, forget: Callable[[], None]) -> None:
        self._resetting = resetting
        self._traffic = traffic
        self._forget = forget

    def calls(self) -> tuple[Call, ...]:
        """Return the call."""
        return (
            Call(name="reset", method="POST", path="/reset", handle=self.reset, body=ResetBody, answer="Cleared",
                 summary="Clear state and faults, or the scopes named; nothing sent before arrives after"),
        )  # fmt: skip

    async def reset(self, ask: Ask[ResetBody, Nothing]) -> Reply:
        """Clear, and tell what was in flight."""
        wish = ask.body
        patience = None if wish.patience is None else parse_duration(wish.patience)
        scopes = {scope for scope in wish.scopes if scope != "traffic"}
        if "traffic" in wish.scopes:
            # First: what customers still buy would stand in what was just cleared.
            await self._traffic.stop_all()
        cleared = await self._resetting.reset(scopes, patience)
        self._forget()
        return Reply({"waited_for": cleared.waited_for, "dropped": cleared.dropped})
