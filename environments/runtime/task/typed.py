"""OpenAI messages out of a file, as far as they are read; and records as plain JSON values.

Goes in: any JSON value, or a record. Goes out: the same value, or `BadPartError`, which readers of files turn into one sentence.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from ..document.codec import decode


@dataclass(frozen=True, slots=True)
class _Function:
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class _Call:
    function: _Function


@dataclass(frozen=True, slots=True)
class _Message:
    """What is read of a message: a role, and calls with a function."""

    role: str
    tool_calls: tuple[_Call, ...] | None = ()


def messages(value: Any) -> tuple[Mapping[str, Any], ...]:
    """OpenAI messages."""
    for one in value:
        decode(_Message, one)
    return tuple(value)


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
