"""Tool definitions in any of the forms in use, as OpenAI's.

Comes in: what an attribute holds: a list, a map, JSON text, Gemini's declarations, schemas inside schemas. Goes out:
each definition as canonical JSON text. What is no definition is passed over.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from ingest.dialects.attributes import python_literal
from ingest.files.partial_json import parse_json
from ingest.records.text import Json, canonical

_NAMES: Final = ("name", "fn", "schemaName")
_SCHEMA_KEYS: Final = (
    *("parameters", "input_schema", "inputSchema", "parameters_json_schema"),
    *("json_schema", "schema"),
)
_DECLARATIONS: Final = ("function_declarations", "functionDeclarations")
_SCHEMA_TYPES: Final = ("string", "number", "integer", "boolean", "array", "object", "null")
_TYPES: Final = {
    **{name.upper(): name for name in _SCHEMA_TYPES},
    "str": "string",
    "float": "number",
    "int": "integer",
    "bool": "boolean",
    "list": "array",
    "tuple": "array",
    "dict": "object",
}
"""Gemini's words for JSON Schema's types, and Python's."""
_DEEPEST: Final = 64
_WRAPPERS: Final = ("tool.json_schema", "json_schema", "tool", "toolSpec", "data")


_OFFERED: Final = re.compile(r"(?i)(?:.*[._])?(?:tools|functions|(?:tools?|functions?)[._]?names)")
_CHOSEN: Final = re.compile(
    r"(?i)(?:.*[._])?(?:output|reply|response|result|completion|choice|used|calls|called|selected|chosen|invoked|executed|ran|requested)[._].*"
)
"""Words of names under which the tools stand that a model chose."""
_BARE_NAME: Final = re.compile(r"[A-Za-z_][\w.:/-]{0,127}")
_MOST_NAMES: Final = 256


@lru_cache(maxsize=16_384)
def _names_offered(key: str) -> bool:
    return bool(_OFFERED.fullmatch(key)) and not _CHOSEN.fullmatch(key)


def tools_named(attributes: Mapping[str, Any]) -> list[str]:
    """Definitions out of a list of bare names, of JSON's or Python's, that a span says were offered (`agent.tools`, `model.request.tool.names`): a name is all that is known."""
    for key, value in attributes.items():
        if _names_offered(key):
            is_text = isinstance(value, str) and value[:1] in {"[", "("}
            names = _loaded(value) or python_literal(value) if is_text else value
            listed = names if isinstance(names, list | tuple) and len(names) <= _MOST_NAMES else []
            if listed and all(isinstance(n, str) and _BARE_NAME.fullmatch(n) for n in listed):
                return read_tools([{"name": name} for name in listed])
    return []


def read_tools(value: Json) -> list[str]:
    """Tool definitions in OpenAI's form, each as canonical JSON text."""
    if isinstance(value, str):
        # Every request of a conversation sends the same text again.
        return list(_read_text(value))
    return _read(value)


@lru_cache(maxsize=64)
def _read_text(text: str) -> tuple[str, ...]:
    return tuple(_read(_loaded(text)))


def _read(value: Json) -> list[str]:
    if isinstance(value, dict):
        maps_names = all(isinstance(inner, dict) for inner in value.values())
        value = list(value.values()) if maps_names else [value]
    tools: list[str] = []
    for item in value if isinstance(value, list) else ():
        tools += _read_tool(_loaded(item))
    return tools


def _loaded(value: Json) -> Json:
    if not isinstance(value, str):
        return value
    read = parse_json(value)
    return read.value if read else None


def _read_tool(item: Json) -> list[str]:
    if isinstance(item, list):
        return read_tools(item)
    if not isinstance(item, dict):
        return []
    for key in _DECLARATIONS:
        if isinstance(item.get(key), list):
            return read_tools(item[key])
    for key in _WRAPPERS:
        if item.get(key) and (found := read_tools([item[key]])):
            return found
    inner = item.get("function")
    definition = _definition(inner if isinstance(inner, dict) else item)
    return [canonical(definition)] if definition else []


def _lower(schema: Json, deep: int = 0) -> Json:
    """A schema with JSON Schema's type names: Gemini's client libraries write them in capitals, data sets as Python does."""
    if deep > _DEEPEST:
        return schema
    if isinstance(schema, list):
        return [_lower(inner, deep + 1) for inner in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: _lower(inner, deep + 1) for key, inner in schema.items()}
    named = made.get("type")
    if isinstance(named, str):
        made["type"] = _TYPES.get(named, named)
    return made


def _definition(inner: dict[str, Any]) -> dict[str, Any] | None:
    name = next((inner[key] for key in _NAMES if key in inner), None)
    if not isinstance(name, str) or not name:
        return None
    function: dict[str, Any] = {"name": name}
    if isinstance(inner.get("description"), str):
        function["description"] = inner["description"]
    for key in _SCHEMA_KEYS:
        schema = _loaded(inner.get(key))
        if isinstance(schema, dict) and set(schema) == {"json"}:
            schema = schema["json"]  # as Amazon Bedrock has it
        if isinstance(schema, dict):
            function["parameters"] = _lower(schema)
            break
    if isinstance(inner.get("strict"), bool):
        function["strict"] = inner["strict"]
    return {"type": "function", "function": function}
