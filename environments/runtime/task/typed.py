"""Values of a file that have to be of a type: what is of another one is damage, told where the file is read; and records as such values.

Goes in: any JSON value. Goes out: the same value, or `TypeError`, which readers of files turn into one sentence.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any


def text(value: Any) -> str:
    """A text."""
    if not isinstance(value, str):
        raise TypeError("not a text")
    return value


def flag(value: Any) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise TypeError("neither true nor false")
    return value


def mapping(value: Any) -> Mapping[str, Any]:
    """An object."""
    if not isinstance(value, dict):
        raise TypeError("not an object")
    return value


def items(value: Any) -> tuple[Any, ...]:
    """A list."""
    if not isinstance(value, list | tuple):
        raise TypeError("not a list")
    return tuple(value)


def texts(value: Any) -> tuple[str, ...]:
    """A list of texts."""
    return tuple(map(text, items(value)))


def mappings(value: Any) -> tuple[Mapping[str, Any], ...]:
    """A list of objects."""
    return tuple(map(mapping, items(value)))


def messages(value: Any) -> tuple[Mapping[str, Any], ...]:
    """OpenAI messages, as far as they are read: a role, and calls with a function."""
    found = mappings(value)
    for one in found:
        text(one["role"])
        for call in items(one.get("tool_calls") or ()):
            function = mapping(mapping(call)["function"])
            text(function["name"])
            text(function["arguments"])
    return found


def record_json(record: Any) -> dict[str, Any]:
    """A frozen record as plain JSON values: records inside and mappings are objects, tuples are lists."""
    return {one.name: _plain_value(getattr(record, one.name)) for one in fields(record)}


def _plain_value(value: Any) -> Any:
    if isinstance(value, str | int | float) or value is None:
        return value
    if isinstance(value, Mapping):
        return {name: _plain_value(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain_value(one) for one in value]
    return record_json(value) if is_dataclass(value) else value
