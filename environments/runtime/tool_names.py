"""Tool names that every consumer takes, and the way back.

In: OpenAI tool definitions as production has them (`shop.orders/get`). Out: definitions whose names fit
`[a-zA-Z0-9_-]{1,64}` and have no doubles, and both directions of the mapping. Names that fit stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from .attempt import Json
from .canonical import digest

FITS: Final = re.compile(r"[a-zA-Z0-9_-]{1,64}")
MISFIT: Final = re.compile(r"[^a-zA-Z0-9_-]")


class ToolNames:
    """The mapping for one list of tools."""

    def __init__(self, tools: Iterable[Mapping[str, Json]]) -> None:
        definitions = [_wrapped(tool) for tool in tools]
        names = [name for name in map(tool_name, definitions) if name]
        taken = {name for name in names if FITS.fullmatch(name)}
        self._outward: dict[str, str] = {}
        for name in names:
            self._outward.setdefault(name, _fitting(name, taken))
            taken.add(self._outward[name])
        self._inward = {outer: inner for inner, outer in self._outward.items()}
        self.tools: tuple[dict[str, Json], ...] = tuple(self._rename(tool) for tool in definitions)
        """The definitions under their outward names."""

    def outward(self, name: str) -> str:
        """The name that the consumer sees."""
        return self._outward.get(name, name)

    def inward(self, name: str) -> str:
        """The production name of a name that the consumer used."""
        return self._inward.get(name, name)

    def _rename(self, tool: dict[str, Json]) -> dict[str, Json]:
        function = tool.get("function")
        if not isinstance(function, dict):
            return tool
        return {**tool, "function": {**function, "name": self.outward(tool_name(tool))}}


def tool_name(tool: Mapping[str, Json]) -> str:
    """The name in a tool definition; empty where it has none."""
    function = tool.get("function", tool)
    name = function.get("name") if isinstance(function, Mapping) else None
    return name if isinstance(name, str) else ""


def _wrapped(tool: Mapping[str, Json]) -> dict[str, Json]:
    """Some recordings keep the bare function; consumers want it inside a tool."""
    if "function" in tool or not tool_name(tool):
        return dict(tool)
    function = {key: value for key, value in tool.items() if key != "type"}
    return {"type": "function", "function": function}


def _fitting(name: str, taken: set[str]) -> str:
    if FITS.fullmatch(name):
        return name
    short = MISFIT.sub("_", name)[:64]
    return short if short not in taken else f"{short[:55]}_{digest(name)[:8]}"
