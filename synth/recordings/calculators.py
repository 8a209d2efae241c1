"""Tools that only calculate, whatever their names say: `increase_by_percent(200, 10)` raises nothing.

In: the tools of a world file. Out: names of tools that take nothing but numbers and answer with what the world computes of them. A tool
that multiplies by a number of its own is not one: a payment may answer with its fee.
"""

from __future__ import annotations

from collections.abc import Mapping

from environments.runtime.document.tools import ToolPart
from synth.world.search.formulas import is_echo, is_factor


def calculators(tools: Mapping[str, ToolPart]) -> tuple[str, ...]:
    """The names of these tools."""
    return tuple(sorted(name for name, tool in tools.items() if _calculates(tool)))


def _calculates(tool: ToolPart) -> bool:
    return tool.computes is not None and all(
        not case.words
        and not any(text.startswith('"') for text in case.given.values())
        and not any(is_factor(way) or is_echo(way) for ways in case.slots for way in ways)
        for case in tool.computes.cases
    )
