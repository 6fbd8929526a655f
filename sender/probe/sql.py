"""Look by SQL: one statement for each look, with the order's id as the parameter ``:order``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from sender.durations import SECOND
from sender.errors import NotAvailable, UsageError
from sender.probe.looking import PATIENCE
from sender.probe.values import sighting
from sender.store.foreign import ForeignDatabase
from sender.suggest import shown

if TYPE_CHECKING:
    from sender.clock import Clock
    from sender.probe.looking import Sighting

_SHAPE = "sql:sqlite:///shop.db#SELECT times_shipped, state FROM orders WHERE number = :order"
_PARAMETER = re.compile(r"(?<!:):order\b")


@dataclass(slots=True)
class SqlProbe:
    """Runs ``statement``: the first column is the count, the second one the status. No row: never fulfilled."""

    database: ForeignDatabase
    statement: str
    clock: Clock

    @classmethod
    def read(cls, text: str, clock: Clock) -> Self:
        """Read ``DATABASE_URL#SELECT …``. Raises ``UsageError``, which shows no password."""
        url, mark, statement = text.partition("#")
        if not mark or not re.match(r"\s*(select|with)\b", statement, re.IGNORECASE):
            raise UsageError(f"no SELECT stands behind the database; write it as in {_SHAPE}")
        if not _PARAMETER.search(statement):
            raise UsageError(f"the statement does not say where the order's id goes; put :order there, as in {_SHAPE}")
        return cls(ForeignDatabase(url), statement, clock)

    async def look(self, order: str) -> Sighting:
        """Ask once."""
        asked = f"probe: {shown(self.statement)} with :order = {shown(order)}"
        try:
            async with self.clock.timeout(PATIENCE / SECOND):
                rows = await self.database.rows(self.statement, order=order)
        except TimeoutError:
            raise NotAvailable(f"{asked} took more than {PATIENCE // SECOND} s") from None
        except NotAvailable as error:
            raise NotAvailable(f"{asked} failed: {error}") from None
        if len(rows) > 1:
            raise NotAvailable(f"{asked} gave {len(rows)} rows or more; let it give one, with count(*) or sum(…)")
        row = (*(rows[0] if rows else ()), None, None)
        return sighting(row[0], row[1], lambda: asked)

    async def close(self) -> None:
        """Close the connections."""
        await self.database.close()
