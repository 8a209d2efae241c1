"""Executions of n8n workflows with a chat: one execution a turn, as its API lists them with their data.

Comes in: an execution, or a page of them. Goes out: the turns of each conversation. What the user wrote, what the agent answered and its steps are
found by what a node returned, not by the node's name; a node that made neither says nothing about the conversation.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from ingest.formats import turn_records
from ingest.formats.format import Decoded, Format
from ingest.formats.unknown import refuse
from ingest.otlp.record import Arrival
from ingest.records.text import Json, objects_in

NAME: Final = "n8n_executions"
_ASKED: Final = frozenset({"sessionId", "chatInput"})

Item = dict[str, Any]


def claims(value: Json) -> bool:
    """Whether a value is an execution with its data, or a page or a list of them."""
    return any(_runs(one) for one in _executions(value)[:1])


def _executions(value: Json) -> list[Item]:
    listed = value.get("data") if isinstance(value, dict) else value
    return objects_in(listed) if isinstance(listed, list) else objects_in([value])


def _runs(execution: Item) -> Item:
    """What each node of an execution returned, by the node's name."""
    found: Json = execution
    for key in ("data", "resultData", "runData"):
        found = found.get(key) if isinstance(found, dict) else None
    return found if isinstance(found, dict) else {}


def read(value: Json, arrival: Arrival) -> Decoded:
    """Read all executions as turns; those that no chat began are left out."""
    turns = [turn for one in _executions(value) if (turn := _turn(one)) is not None]
    if not turns:
        return Decoded(rejected=[refuse(value, arrival)])
    return turn_records.read(turns, arrival)


def _turn(execution: Item) -> Item | None:
    returned = [item for runs in _runs(execution).values() for item in _items(runs)]
    asked = next((item for item in returned if item.keys() >= _ASKED), None)
    answered = next(
        (item for item in reversed(returned) if isinstance(item.get("output"), str)), None
    )
    if asked is None or answered is None:
        return None
    metadata = asked.get("metadata")
    note = execution.get("annotation")
    answer = answered["output"]
    steps = list(_steps(objects_in(answered.get("intermediateSteps"))))
    return {
        **({"metadata": metadata} if isinstance(metadata, dict) else {}),
        **({"rating": note.get("vote")} if isinstance(note, dict) else {}),
        "conversation_id": asked["sessionId"],
        "query": asked["chatInput"],
        "answer": answer,
        "created_at": execution.get("startedAt"),
        # The last words are the agent's, and so are those before each call.
        "steps": [*steps, {"thought": answer}],
    }  # fmt: skip


def _items(runs: Json) -> Iterator[Item]:
    """The objects that a node returned to the workflow in each of its runs."""
    for run in objects_in(runs):
        data = run.get("data")
        branches = data.get("main") if isinstance(data, dict) else None
        for branch in branches if isinstance(branches, list) else ():
            for item in objects_in(branch):
                if isinstance(item.get("json"), dict):
                    yield item["json"]


def _steps(steps: list[Item]) -> Iterator[Item]:
    """Steps, each with what the model said as it asked for it; calls of one message repeat that message."""
    before: Json = None
    for step in steps:
        action = step.get("action")
        log = action.get("messageLog") if isinstance(action, dict) else None
        messages = objects_in([one.get("kwargs") or one for one in objects_in(log)])
        said = next((m["content"] for m in messages if isinstance(m.get("content"), str)), None)
        yield {**step, **({"thought": said} if said and log != before else {})}
        before = log


FORMAT: Final = Format(
    name=NAME,
    title="executions of n8n",
    keys=("data", "workflowData", "resultData"),
    claims=claims,
    read=read,
)
