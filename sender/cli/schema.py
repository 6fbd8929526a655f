"""``paymos-sim schema``: the JSON Schema from which editors complete scenarios."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from sender.scenario.language import schema_text

if TYPE_CHECKING:
    from sender.cli.options import Options


def main(_options: Options) -> int:
    """Print the schema."""
    sys.stdout.write(schema_text())
    return 0
