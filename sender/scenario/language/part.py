"""What every piece of a scenario has in common."""

from __future__ import annotations

from typing import ClassVar

from pydantic import BaseModel, ConfigDict


class Part(BaseModel):
    """A mapping in a scenario file: no unknown fields, no guessed types, nothing that changes later.

    ``example`` is how such a part is written, for messages. A ``bare`` one may be left empty, as in ``restart:``.
    """

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    example: ClassVar[str]
    bare: ClassVar[bool] = False
