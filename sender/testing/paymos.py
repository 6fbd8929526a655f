"""The synchronous face of the simulator: each method of ``World``, waited for in the thread of the test."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypedDict, TypeVar

from sender.domain.access import KeyKind, first_keys, make_project
from sender.domain.ids import Prefix, make_secret
from sender.errors import SimError, UsageError
from sender.testing.options import Options
from sender.testing.thread import LoopThread, loop_is_running
from sender.testing.world import World

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence
    from types import TracebackType
    from typing import Self

    from sender.scenario.events import LawBroken

REPORTED = 30
"""The deliveries that the output of a failing test shows; of more, the newest ones."""

P = ParamSpec("P")
T = TypeVar("T")


class LawsBroken(AssertionError):  # noqa: N818 - it says what happened
    """The sender broke a law that always holds: lost a delivery, sent one twice, changed a body …"""

    def __init__(self, broken: Sequence[LawBroken], report: str) -> None:
        super().__init__("\n".join([*(f"{one.says}: {one.subject}: {one.detail}" for one in broken), "", report]))


def _waits(
    method: Callable[Concatenate[World, P], Coroutine[Any, Any, T]],
) -> Callable[Concatenate[Paymos, P], T]:
    """Return a method that waits for another one of ``World``."""

    @wraps(method)
    def call(self: Paymos, /, *args: P.args, **kwargs: P.kwargs) -> T:
        __tracebackhide__ = True
        if loop_is_running():
            name = method.__name__
            raise UsageError(f"paymos.{name}(…) would stop this event loop; write await paymos.aio.{name}(…)")
        try:
            return self.thread.run(method(self.aio, *args, **kwargs))
        except (AssertionError, SimError) as error:
            # What the test did is where the test is; how the loop was reached tells nobody anything.
            raise error.with_traceback(None) from None

    return call


class Credentials(TypedDict):
    """What the official SDK is made from."""

    api_key: str
    api_secret: str
    base_url: str


class Paymos:
    """A simulator in a thread of its own. ``aio`` has the same methods to be awaited in a test's own loop."""

    def __init__(self, **options: Any) -> None:
        self.options = Options().changed(options)
        settings = self.options.settings()
        self.secret = make_secret(settings.seed, Prefix.WEBHOOK_SECRET_TEST, 0)
        self.project_id = make_project(settings.seed, 0).id
        self.thread = LoopThread("paymos-sim")
        self.aio = World(settings, self.secret)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def start(self) -> None:
        """Return once the simulator delivers."""
        self.thread.start()
        try:
            self.thread.run(self.aio.start())
        except BaseException:
            self.thread.stop()
            raise

    def close(self) -> None:
        """End the simulator and every receiver it serves. Raises ``LawsBroken``, unless ``laws`` is off."""
        try:
            broken, report = self.thread.run(self._end())
        finally:
            self.thread.stop()
        if broken:
            raise LawsBroken(broken, report)

    async def _end(self) -> tuple[list[LawBroken], str]:
        try:
            broken = await self.aio.end() if self.options.laws else []
            return broken, await self.aio.report() if broken else ""
        finally:
            await self.aio.close()

    @property
    def base_url(self) -> str:
        """The URL of the Merchant API, for the SDK of the code under test."""
        return self.thread.run(self.aio.base_url())

    @property
    def credentials(self) -> Credentials:
        """What the SDK is made from: ``Paymos(**paymos.credentials)``."""
        return self._credentials(KeyKind.PAYMENT)

    @property
    def payout_credentials(self) -> Credentials:
        """The same with a key for withdrawals and balances."""
        return self._credentials(KeyKind.PAYOUT)

    def report_text(self) -> str:
        """Return what has happened of late, from any thread and loop."""
        return self.thread.run(self.aio.report(last=REPORTED))

    def _credentials(self, kind: KeyKind) -> Credentials:
        (key,) = [one for one in first_keys(self.options.seed) if one.kind is kind and one.is_test]
        return {"api_key": key.id, "api_secret": key.secret, "base_url": self.base_url}

    create_invoice = _waits(World.create_invoice)
    pay = _waits(World.pay)
    choose_network = _waits(World.choose_network)
    transfer = _waits(World.transfer)
    confirm_transfers = _waits(World.confirm_transfers)
    reorg_transfers = _waits(World.reorg_transfers)
    cancel = _waits(World.cancel)
    expire = _waits(World.expire)
    invoice = _waits(World.invoice)

    create_withdrawal = _waits(World.create_withdrawal)
    review = _waits(World.review)
    process = _waits(World.process)
    complete = _waits(World.complete)
    fail = _waits(World.fail)
    call_back = _waits(World.call_back)
    withdrawal = _waits(World.withdrawal)
    create_channel = _waits(World.create_channel)
    block = _waits(World.block)
    unblock = _waits(World.unblock)
    deposit = _waits(World.deposit)
    confirm_deposit = _waits(World.confirm_deposit)
    reorg_deposit = _waits(World.reorg_deposit)

    receiver = _waits(World.receiver)
    endpoint = _waits(World.endpoint)
    edit = _waits(World.edit)
    suspend = _waits(World.suspend)
    resume = _waits(World.resume)
    unsubscribe = _waits(World.unsubscribe)
    rotate_secret = _waits(World.rotate_secret)
    resend = _waits(World.resend)

    crash = _waits(World.crash)
    wire = _waits(World.wire)
    disarm = _waits(World.disarm)
    restart = _waits(World.restart)

    now = _waits(World.now)
    advance = _waits(World.advance)
    settle = _waits(World.settle)

    deliveries = _waits(World.deliveries)
    expect = _waits(World.expect)
    report = _waits(World.report)
