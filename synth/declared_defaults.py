"""Defaults that the definition of a tool declares: by its schema, or in words (`When; default now`).

In: a function as `read_definition` gives it. Out: by argument the value that leaving it out means. Not here: defaults that recordings show.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from environments.runtime.task.attempt import Json
from environments.runtime.task.tool_definition import properties_of
from synth.verbs import DETERMINERS

_DECLARED: Final = re.compile(
    r"\bdefaults?\b(?:\s+(?:is|to|value)\b)?[\s:=`'\"]*([\w.-]*\w)", re.IGNORECASE
)


def declared_defaults(function: Mapping[str, Json]) -> dict[str, Json]:
    """By argument the default that a function declares."""
    found: dict[str, Json] = {}
    for name, schema in properties_of(function).items():
        if not isinstance(schema, dict):
            continue
        if "default" in schema:
            found[name] = schema["default"]
            continue
        said = _DECLARED.search(str(schema.get("description") or ""))
        # `Defaults to the caller` names no value.
        if said is not None and said[1].casefold() not in DETERMINERS:
            found[name] = said[1]
    return found
