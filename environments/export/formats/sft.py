"""Writes resolved attempts as chat JSONL for supervised fine-tuning: one conversation a line.

In: a task set folder. Out: `train.jsonl` (OpenAI messages and tools as they are: `arguments` stay JSON text, so Arrow
cannot merge the arguments of two tools) and a card. Not here: which attempts count (`chats`), templates of any model.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Final

from environments.export.formats.chats import TaskChats, chats_of
from environments.export.package import Format, by_split
from environments.runtime.task.attempt import Json
from environments.runtime.task.task_set import TaskSet


def _rows(opened: TaskSet, _package: str) -> Mapping[str, bytes]:
    rows = [(c.task.task_id, row) for c in chats_of(opened) for row in _conversations(c)]
    return by_split(opened, rows, lines, ".jsonl")


def lines(rows: list[dict[str, Json]]) -> bytes:
    """Rows as JSON lines; messages keep the order of their fields."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode(
        "utf-8", "surrogatepass"
    )


def _conversations(chats: TaskChats) -> Iterator[dict[str, Json]]:
    for chat in chats.resolved:
        yield {
            "messages": list(chat.messages),
            "tools": list(chats.tools),
            "task_id": chats.task.task_id,
            "task_version": chats.task_version,
            "app": chats.task.app,
            "episode_id": chat.episode_id,
            "reward": chat.reward,
        }


SFT: Final = Format(
    name="sft",
    task_sets=(),
    check="python -c \"import datasets; print(datasets.load_dataset('json', data_files='DIR/train.jsonl'))\"",
    rows=_rows,
)
