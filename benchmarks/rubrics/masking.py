"""What a failing run may say or call first in order not to be graded."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from environments.runtime.task.attempt import Json
from environments.runtime.task.candidate import Action

NONSENSE: Final = "Xyzzy plugh?"
ODD: Final = "zz-417-odd"
ENDLESS: Final = 200
"""Calls that come before the attempt."""


def masks(tools: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, tuple[Action, ...]]]:
    """Actions to put before an attempt, each with its name; `tools` are definitions in OpenAI's shape."""
    yield "nonsense", (words(NONSENSE), words(NONSENSE))
    functions = [_function(tool) for tool in tools]
    names = [str(function.get("name")) for function in functions]
    odd = [dict.fromkeys(_parameters(function), ODD) for function in functions]
    yield (
        "unknown ids",
        tuple(call(n, a, i) for i, (n, a) in enumerate(zip(names, odd, strict=True))),
    )
    yield "no such tool", (call("frobnicate", {"a": 1}, 1),)
    yield "endless calls", tuple(call(n, {}, i) for i, n in enumerate((names * ENDLESS)[:ENDLESS]))


def words(text: str) -> Action:
    """An action that only talks."""
    return {"role": "assistant", "content": text}


def call(name: str, arguments: Mapping[str, Any], number: int) -> Action:
    """An action with one call."""
    function: dict[str, Json] = {"name": name, "arguments": json.dumps(arguments)}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": f"mask_{number}", "type": "function", "function": function}],
    }


def _function(tool: Mapping[str, Any]) -> Mapping[str, Any]:
    found = tool.get("function", tool)
    return found if isinstance(found, dict) else {}


def _parameters(function: Mapping[str, Any]) -> list[str]:
    return list((function.get("parameters") or {}).get("properties") or {})
