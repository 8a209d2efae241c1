"""Tool names that every consumer takes, and the way back.

In: OpenAI tool definitions as production has them (`shop.orders/get`). Out: definitions whose names fit
`[a-zA-Z0-9_-]{1,64}` and have no doubles, and both directions of the mapping. Names that fit stay as they are.
`strict` is for consumers that make a tool a method or a route: names are identifiers and none of their own words.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Mapping
from typing import Final

from ..task.attempt import Json
from ..task.tool_definition import function_of, name_of
from ..values.canonical import digest

FITS: Final = re.compile(r"[a-zA-Z0-9_-]{1,64}")
MISFIT: Final = re.compile(r"[^a-zA-Z0-9_-]")
IDENTIFIER: Final = re.compile(r"[a-zA-Z][a-zA-Z0-9_]{0,63}")
NOT_A_WORD: Final = re.compile(r"[^a-zA-Z0-9_]")
RESERVED: Final = frozenset(
    {
        "reset", "step", "state", "close", "get_reward", "verify", "seed_session", "close_session",
        "aggregate_metrics", "mcp", "health", "schema", "metadata", "talk_to_user", "end_conversation",
    }
)  # fmt: skip
"""Methods and routes that consumers of exports have themselves, and the tools that exports add."""


class ToolNames:
    """The mapping for one list of tools."""

    def __init__(self, tools: Iterable[Mapping[str, Json]], *, strict: bool = False) -> None:
        definitions = [wrapped(tool) for tool in tools]
        names = [name for name in map(tool_name, definitions) if name]
        taken = {name for name in names if _fits(name, strict=strict)}
        self._outward: dict[str, str] = {}
        for name in names:
            self._outward.setdefault(name, _fitting(name, taken, strict=strict))
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
    return name_of(function_of(tool))


def wrapped(tool: Mapping[str, Json]) -> dict[str, Json]:
    """The definition in OpenAI's shape: some recordings keep the bare function."""
    if "function" in tool or not tool_name(tool):
        return dict(tool)
    function = {key: value for key, value in tool.items() if key != "type"}
    return {"type": "function", "function": function}


def _fits(name: str, *, strict: bool) -> bool:
    if not strict:
        return FITS.fullmatch(name) is not None
    return (
        IDENTIFIER.fullmatch(name) is not None
        and name.casefold() not in RESERVED
        and not keyword.iskeyword(name)
    )


def _fitting(name: str, taken: set[str], *, strict: bool) -> str:
    if _fits(name, strict=strict):
        return name
    short = MISFIT.sub("_", name)[:64]
    if strict:
        short = NOT_A_WORD.sub("_", short)
        short = short if short[:1].isalpha() else f"tool_{short}"[:64]
        short = short if _fits(short, strict=True) else f"{short[:55]}_{digest(name)[:8]}"
    return short if short not in taken else f"{short[:55]}_{digest(name)[:8]}"
