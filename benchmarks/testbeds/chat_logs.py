"""Chat logs as clean episodes for measurements: fields map one to one, nothing is redacted.

For benchmarks and tests only: in the product, clean episodes come out of `redact`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from redact.records.clean_episode import CleanEpisode, CleanStep, CleanToolCall


def read_episodes(path: Path) -> list[CleanEpisode]:
    """All episodes of a chat-log file."""
    with path.open(encoding="utf-8") as lines:
        return [to_episode(json.loads(line)) for line in lines if line.strip()]


def to_episode(chat: dict[str, Any]) -> CleanEpisode:
    """One chat log as a clean episode."""
    return CleanEpisode(
        app=chat.get("app", "app"),
        episode_id=chat["episode_id"],
        started_at=_nanoseconds(chat.get("started_at")),
        agent=chat.get("agent"),
        model=chat.get("model"),
        task_key=chat.get("task_key"),
        subject=chat.get("user_id"),
        tools=tuple(json.dumps(t, sort_keys=True) for t in chat.get("tools") or ()),
        steps=tuple(_steps(chat["messages"])),
        redaction="off",
    )


def _nanoseconds(text: str | None) -> int:
    if not text:
        return 0
    return int(datetime.fromisoformat(text).timestamp()) * 1_000_000_000


def _steps(messages: list[dict[str, Any]]) -> Iterator[CleanStep]:
    for message in messages:
        extra = message.get("tg") or {}
        yield CleanStep(
            role=message["role"],
            content=message.get("content"),
            tool_calls=tuple(
                CleanToolCall(
                    call_id=call["id"],
                    name=call["function"]["name"],
                    arguments=call["function"]["arguments"],
                )
                for call in message.get("tool_calls") or ()
            ),
            call_id=message.get("tool_call_id"),
            tool_name=message.get("name"),
            is_error=extra.get("is_error"),
            at=_nanoseconds(extra["time"])
            if isinstance(extra.get("time"), str)
            else extra.get("time"),
        )
