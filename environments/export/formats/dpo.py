"""Writes preference pairs: a resolved and an unresolved attempt at one task, from where they part.

In: a task set folder. Out: `train.jsonl` with `prompt`, `chosen`, `rejected` as OpenAI messages, and `tools`. The prompt is the
opening and everything that both attempts share; what follows is each attempt's own conversation, tool results and user
turns included. Tasks with attempts of one kind only give no pair. Not here: which attempts count (`chats`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import takewhile
from typing import Final

from environments.export.formats.chats import Chat, TaskChats, chats_of
from environments.export.formats.sft import lines
from environments.export.package import Format, by_split
from environments.runtime.task.attempt import Json
from environments.runtime.task.task_set import TaskSet
from environments.runtime.values.normal import as_list


def _rows(opened: TaskSet, _package: str) -> Mapping[str, bytes]:
    rows = [(chats.task.task_id, row) for chats in chats_of(opened) for row in _pairs(chats)]
    return by_split(opened, rows, lines, ".jsonl")


def _pairs(chats: TaskChats) -> Iterator[dict[str, Json]]:
    for good in chats.resolved:
        for bad in chats.unresolved:
            shared = _shared(good, bad)
            if min(len(good.messages), len(bad.messages)) == shared:
                continue  # one is the beginning of the other: there is nothing to prefer
            yield {
                "prompt": list(good.messages[:shared]),
                "chosen": list(good.messages[shared:]),
                "rejected": list(bad.messages[shared:]),
                "tools": list(chats.tools),
                "task_id": chats.task.task_id,
                "task_version": chats.task_version,
                "app": chats.task.app,
                "chosen_episode_id": good.episode_id,
                "rejected_episode_id": bad.episode_id,
                "chosen_reward": good.reward,
                "rejected_reward": bad.reward,
            }


def _shared(good: Chat, bad: Chat) -> int:
    """How many messages both have, up to the first that the policy said otherwise."""
    both = zip(good.messages, bad.messages, strict=False)
    return sum(
        1 for _ in takewhile(lambda pair: _without_ids(pair[0]) == _without_ids(pair[1]), both)
    )


def _without_ids(message: Mapping[str, Json]) -> dict[str, Json]:
    """The message without ids, which differ between two recordings of the same call."""
    calls = as_list(message.get("tool_calls"))
    kept = {k: v for k, v in message.items() if k not in {"tool_calls", "tool_call_id"}}
    return {**kept, "calls": [c.get("function") for c in calls if isinstance(c, dict)]}


DPO: Final = Format(
    name="dpo",
    task_sets=(),
    check="python -c \"import datasets; print(datasets.load_dataset('json', data_files='DIR/train.jsonl'))\"",
    rows=_rows,
)
