"""Tool definitions that every consumer takes: no `$ref`, a description for every tool and parameter.

In: OpenAI tool definitions as production has them. Out: equal definitions without references, and with words where
there were none (a name stands for itself). Argument names and what is allowed stay. Not here: names (`tool_names`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ..task.attempt import Json
from ..task.tool_definition import DEFINITIONS, referred
from .tool_names import wrapped

DEEPEST: Final = 32
"""Beyond this a schema that holds itself is cut: anything is allowed there."""
MOST: Final = 2_000
"""Schemas put in the place of references to them; beyond, anything is allowed: a few that name one another would fill a disk."""


def complete_tool(tool: Mapping[str, Json]) -> dict[str, Json]:
    """The definition in the wrapped OpenAI shape, with an inlined, described parameter schema."""
    tool = wrapped(tool)
    function = tool.get("function")
    if not isinstance(function, Mapping):
        return tool
    name = function.get("name")
    words = str(function.get("description") or "").strip() or _words_of(str(name or "tool"))
    parameters = inlined(function.get("parameters"))
    return {
        **tool,
        "type": "function",
        "function": {
            **function,
            "description": words,
            "parameters": describe_parameters(parameters),
        },
    }


def inlined(schema: Json) -> dict[str, Json]:
    """An object schema whose local references are replaced by what they name."""
    root = schema if isinstance(schema, dict) else {}
    plain = _Inliner(root).inline(root, ())
    found = plain if isinstance(plain, dict) else {}
    kept = {key: value for key, value in found.items() if key not in DEFINITIONS}
    properties = kept.get("properties")
    return {
        **kept,
        "type": "object",
        "properties": properties if isinstance(properties, dict) else {},
    }


def describe_parameters(schema: dict[str, Json]) -> dict[str, Json]:
    """The schema with a description for every parameter, nested ones included."""
    out = dict(schema)
    properties = schema.get("properties")
    if isinstance(properties, dict):
        out["properties"] = {name: _with_words(name, part) for name, part in properties.items()}
    items = schema.get("items")
    if isinstance(items, dict):
        out["items"] = describe_parameters(items)
    return out


def _with_words(name: str, part: Json) -> Json:
    if not isinstance(part, dict):
        return {"description": _words_of(name)}
    words = str(part.get("description") or part.get("title") or "").strip() or _words_of(name)
    return {**describe_parameters(part), "description": words}


def _words_of(name: str) -> str:
    return name.replace("_", " ").replace(".", " ").strip() or name or "value"


class _Inliner:
    """Puts what references of one schema name in their place."""

    def __init__(self, root: Mapping[str, Json]) -> None:
        self._root = root
        self._left = MOST

    def inline(self, value: Json, inside: tuple[str, ...]) -> Json:
        """The value without references; `inside` are those that it stands in."""
        if isinstance(value, list):
            return [self.inline(item, inside) for item in value]
        if not isinstance(value, dict):
            return value
        reference = value.get("$ref")
        if isinstance(reference, str):
            beside = {key: item for key, item in value.items() if key != "$ref"}
            named = referred(reference, self._root)
            self._left -= 1
            if named is None or reference in inside or len(inside) >= DEEPEST or self._left < 0:
                return self.inline(beside, inside)
            return self.inline({**named, **beside}, (*inside, reference))
        return {
            key: self.inline(item, inside)
            for key, item in value.items()
            if not (key in DEFINITIONS and value is self._root)
        }
