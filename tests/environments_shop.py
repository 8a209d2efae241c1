"""A small shop as a world file with two tasks, for tests of everything that takes a task set. Not a test module."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from environments.export.taskset import Entry, write_task_set
from environments.runtime.checks.arguments import canonical_arguments
from environments.runtime.task.attempt import Json
from environments.runtime.task.candidate import Action
from environments.runtime.task.manifest import TaskSetManifest
from environments.runtime.task.rubric import Check, Rubric
from environments.runtime.task.task import Task, UserTurn

ORDER_KEY = [["arg", "order_id"]]


def world() -> dict[str, Any]:
    """Orders that can be read, and cancelled while pending; a hand-over that leaves no record."""
    order = {"table": "order", "key": ORDER_KEY}
    shape = "record:order_id,status,total|"
    rows = {
        json.dumps([f"o{i}"]): {"order_id": f"o{i}", "status": status, "total": 10.5 * i}
        for i, status in ((1, "pending"), (2, "shipped"), (3, "pending"))
    }
    cancel = {
        "kind": "write",
        "text": False,
        "outcomes": {shape: "success", "text:Error: not pending": "refusal"},
        "names": [order],
        "shows": order,
        "claims": True,
        "answer": ["old"],
        "guards": [
            {
                "holds": ["eq", ["old", "status"], ["const", "pending"]],
                "message": ["const", "Error: not pending"],
                "says": "order.status is pending",
            }
        ],
        "writes": [{**order, "set": {"status": ["const", "cancelled"]}}],
    }
    read = {
        "kind": "read",
        "text": False,
        "outcomes": {shape: "success"},
        "reads": order,
        "names": [order],
    }
    hand_over = {
        "kind": "act",
        "text": True,
        "outcomes": {"text:handed over": "success"},
        "claims": True,
        "answer": ["const", "handed over"],
    }
    return {
        "format": "1",
        "tools": {"get_order": read, "cancel_order": cancel, "hand_over": hand_over},
        "tables": {"order": {"rows": rows, "seen": {"get_order": list(rows)}}},
    }


def tool(name: str, *required: str) -> dict[str, Json]:
    """An OpenAI tool definition."""
    properties: dict[str, Json] = {name: {"type": "string"} for name in required}
    parameters: dict[str, Json] = {
        "type": "object",
        "properties": properties,
        "required": list(required),
    }
    return {
        "type": "function",
        "function": {"name": name, "description": f"{name}.", "parameters": parameters},
    }


def call(name: str, arguments: dict[str, Json], call_id: str = "c1") -> Action:
    """An assistant message with one call."""
    function: dict[str, Json] = {"name": name, "arguments": json.dumps(arguments)}
    calls: list[Json] = [{"id": call_id, "type": "function", "function": function}]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def say(text: str) -> Action:
    """An assistant message with text."""
    return {"role": "assistant", "content": text}


def entry(number: int, status: str = "accepted") -> Entry:
    """The task "cancel order o<number>" with its rubric and solution."""
    order = f"o{number}"
    task = Task(
        task_id=f"task{number}",
        app="shop",
        opening=(
            {"role": "system", "content": "You work for a shop."},
            {"role": "user", "content": "I want to cancel an order."},
        ),
        tools=(tool("get_order", "order_id"), tool("cancel_order", "order_id"), tool("hand_over")),
        world="shop",
        started_at=1_700_000_000_000_000_000,
        user=(
            UserTurn(text=f"It is {order}.", asked="Which order is it?"),
            UserTurn(text="Thanks, bye.", asked="It is cancelled. Anything else?", ends=True),
        ),
        terminal_tools=("hand_over",),
        provenance={"episodes": [f"ep{number}"]},
    )
    written = [["cancel_order", canonical_arguments({"order_id": order}), 1]]
    end: dict[str, Json] = {
        "writes": ["cancel_order"],
        "ends": [{"id": "e1", "writes": written}],  # type: ignore[dict-item]  # JSON lists
    }
    rubric = Rubric(
        task_id=task.task_id,
        checks=(
            Check(check_id="end", fn="end_state", args=end, required=True),
            Check(check_id="told", fn="said", args={"words": ["cancelled"]}, role="reward"),
        ),
    )
    solution = (
        say("Which order is it?"),
        call("get_order", {"order_id": order}, "c1"),
        call("cancel_order", {"order_id": order}, "c2"),
        say("It is cancelled. Anything else?"),
    )
    return Entry(task=task, rubric=rubric, solution=solution, status=status)


def write_shop(dest: Path, **changes: object) -> TaskSetManifest:
    """A task set of two accepted tasks and one that is left out."""
    arguments: dict[str, Any] = {
        "entries": [entry(3), entry(1), entry(2, "rejected")],
        "worlds": {"shop": world()},
        "provenance": {"name": "shop", "redaction": "on", "agreement": {"kappa": 0.9}},
    }
    arguments.update(changes)
    return write_task_set(dest, **arguments)
