"""The scenario language: what may stand in a story, how a file of it is read, and its JSON Schema.

Importing this takes as long as pydantic does; commands that read no story do not.
"""

from __future__ import annotations

from sender.scenario.language.reading import load_scenario
from sender.scenario.language.schema import json_schema, schema_text
from sender.scenario.language.story import VERBS, Action, Scenario, Step

__all__ = ["VERBS", "Action", "Scenario", "Step", "json_schema", "load_scenario", "schema_text"]
