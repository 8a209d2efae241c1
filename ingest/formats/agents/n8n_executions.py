"""Executions of n8n workflows with a chat: one execution a turn, as its API lists them with their data.

Comes in: an execution, or a page of them. Goes out: the turns of each conversation. What the user wrote, what the agent answered and its steps are
found by what a node returned, not by the node's name; a node that made neither says nothing about the conversation. Where no node
returned the steps, they are what the nodes of tools were given and gave back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from ingest.formats import turn_records
from ingest.formats.format import Decoded, Format
from ingest.formats.unknown import refuse
from ingest.otlp.record import Arrival
from ingest.records.text import Json, objects_in

NAME: Final = "n8n_executions"
_ASKED: Final = frozenset({"sessionId", "chatInput"})
_TOOL: Final = "ai_tool"
_MODEL: Final = "ai_languageModel"
_NO_NAME: Final = re.compile(r"[^a-zA-Z0-9_-]+")

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
    runs = _runs(execution)
    returned = [one for each in runs.values() for run in objects_in(each) for one in _items(run)]
    asked = next((item for item in returned if item.keys() >= _ASKED), None)
    answered = next(
        (item for item in reversed(returned) if isinstance(item.get("output"), str)), {}
    )
    # A workflow that failed has no answer; one may also be told not to return its agent's steps.
    steps = list(_steps(objects_in(answered.get("intermediateSteps")))) or list(_ran(runs))
    if asked is None or not (answered or steps):
        return None
    metadata = asked.get("metadata")
    note = execution.get("annotation")
    answer = answered.get("output", "")
    return {
        **({"metadata": metadata} if isinstance(metadata, dict) else {}),
        **({"rating": note.get("vote")} if isinstance(note, dict) else {}),
        **_set_up(execution.get("workflowData"), runs),
        "conversation_id": asked["sessionId"],
        "query": asked["chatInput"],
        "answer": answer,
        "created_at": execution.get("startedAt"),
        # The last words are the agent's, and so are those before each call.
        "steps": [*steps, {"thought": answer}],
    }  # fmt: skip


def _set_up(workflow: Json, runs: Item) -> Item:
    """The agent's prompt, and its tools, as the workflow's nodes have them; what an expression makes of a prompt is not known."""
    workflow = workflow if isinstance(workflow, dict) else {}
    nodes = {str(node.get("name")): node for node in objects_in(workflow.get("nodes"))}
    links = workflow.get("connections")
    ties = links if isinstance(links, dict) else {}
    tied = {name for name, kinds in ties.items() if isinstance(kinds, dict) and _TOOL in kinds}
    given = {name: _object(node, "parameters") for name, node in nodes.items()}
    tools = [
        {"name": _tool_name(name), "description": one.get("toolDescription", one.get("description"))}
        for name, one in given.items()
        if name in tied
    ]  # fmt: skip
    prompts = (
        _object(one, "options").get("systemMessage") for n, one in given.items() if n in runs
    )
    prompt = next((one for one in prompts if isinstance(one, str) and "{{" not in one), None)
    return {"tools": tools, "system_prompt": prompt and prompt.removeprefix("=")}


def _ran(runs: Item) -> Iterator[Item]:
    """The steps as the nodes of models and tools ran, in their order."""
    told = [(name, run) for name, each in runs.items() for run in objects_in(each)]
    numbered = [one for one in told if isinstance(one[1].get("executionIndex"), int)]
    said: Json = None
    for name, run in sorted(numbered, key=lambda one: one[1]["executionIndex"]):
        for item in _items(run, _MODEL):
            listed: Json = _object(item, "response").get("generations")
            while isinstance(listed, list) and listed:
                listed = listed[0]
            said = listed.get("text") if isinstance(listed, dict) else None
        given = next((one.get("query") for one in _items(run, _TOOL, "inputOverride")), None)
        for item in _items(run, _TOOL):
            asked = given if isinstance(given, dict) else {"input": given}
            action = {"tool": _tool_name(name), "toolInput": asked}
            yield {"action": action, "observation": item.get("response"), "thought": said}
            said = None


def _tool_name(node: str) -> str:
    """What n8n calls the tool that a node is."""
    return _NO_NAME.sub("_", node)


def _object(value: Item, key: str) -> Item:
    inner = value.get(key)
    return inner if isinstance(inner, dict) else {}


def _items(run: Item, kind: str = "main", key: str = "data") -> Iterator[Item]:
    """The objects that a node returned in one of its runs, or was given."""
    branches = _object(run, key).get(kind)
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
