"""The conversations that redaction is measured on: what a generator of an invented app makes, with its truth."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from ingest.records.episode import Episode, Step, ToolCall

START: Final = 1_770_000_000 * 10**9


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """One conversation with its truth."""

    episode: Episode
    direct: dict[str, str]
    """Kind to value: each identifies one person by itself."""
    third: tuple[str, ...] = ()
    """People whom only the free text of a result names; what is found of them is published, not promised."""
    meaning: tuple[str, ...] = ()
    """Words of the product (states, products, colours) that must stand in the conversation as before."""


def step(name: str, arguments: dict[str, Any], answer: str, call_id: str) -> Iterator[Step]:
    """A call and its answer."""
    call = ToolCall(call_id=call_id, name=name, arguments=json.dumps(arguments, ensure_ascii=False))
    yield Step(role="assistant", tool_calls=(call,))
    yield Step(role="tool", content=answer, call_id=call_id, tool_name=name)


def says(role: str, text: str) -> Step:
    """A message."""
    return Step(role=role, content=text)


def episode(app: str, number: int, steps: list[Step]) -> Episode:
    """A conversation, a second after the one before it."""
    return Episode(
        app=app,
        episode_id=f"{app}-{number}",
        conversation_id=None,
        source="chat_log",
        started_at=START + number * 10**9,
        ended_at=None,
        steps=tuple(steps),
        trace_ids=(),
    )
