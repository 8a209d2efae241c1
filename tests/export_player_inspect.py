"""Plays conversations through the Inspect export's own solver and scorer. Part of `export_player`, not a test module.

In: the cases, and how the player stands in for libraries. Inspect's names are stood in for by records that hold what they are given.
"""

# ruff: noqa: ANN401 - what consumers and exports hand over has no types here

from __future__ import annotations

import asyncio
import importlib
import json
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

NOTHING_LEFT = EOFError


class Message:
    """A chat message, or a call, a tool, an output: whatever fields it is given."""

    def __init__(self, **named: Any) -> None:
        self.content = ""
        self.tool_calls = None
        vars(self).update(named)

    @property
    def text(self) -> Any:
        """The words."""
        return self.content

    def __repr__(self) -> str:
        return repr(vars(self))


class Assistant(Message):
    """The one message that the export tells from others by its class."""


class Score(SimpleNamespace):
    """A score, or the lack of one."""

    @classmethod
    def unscored(cls, **named: Any) -> Score:
        """Not graded."""
        return cls(value=None, **named)


def play_inspect(
    cases: list[dict[str, Any]],
    *,
    provide: Callable[..., None],
    shown: Callable[[Any, Any], dict[str, Any]],
    saw: Callable[[Any], Any],
) -> list[float | None]:
    """The rewards of some conversations."""
    kinds = ("ChatMessage", "ChatMessageSystem", "ChatMessageTool", "ChatMessageUser")
    provide("inspect_ai", Task=Message, task=lambda function: function)
    provide("inspect_ai.dataset", MemoryDataset=lambda samples, **_: samples, Sample=Message)
    provide("inspect_ai.model", ChatMessageAssistant=Assistant, get_model=None)
    provide("inspect_ai.model", **dict.fromkeys(kinds, Message))
    provide("inspect_ai.tool", **dict.fromkeys(("ToolCall", "ToolInfo", "ToolParams"), Message))
    told = dict.fromkeys(("mean", "stderr"), lambda: None)
    scores = {"Score": Score, "Scorer": object, "Target": str, "scorer": lambda **_: lambda f: f}
    provide("inspect_ai.scorer", **told, **scores)
    state = dict.fromkeys(("Generate", "Solver", "TaskState"), object)
    provide("inspect_ai.solver", **state, solver=lambda function: function)
    module: Any = importlib.import_module("desk_tasks.replay")
    samples = {sample.id: sample for sample in module.replay().dataset}

    async def play(case: dict[str, Any]) -> Any:
        run = module.Play(module.task_set(), case["task_id"])
        left = [message_of(shown(action, run)) for action in case["actions"]]

        async def generate(messages: Any, **_: Any) -> Any:
            saw(messages)
            if not left:
                raise NOTHING_LEFT
            return SimpleNamespace(message=left.pop(0))

        module.get_model = lambda: SimpleNamespace(generate=generate)
        state: Any = Message(
            sample_id=case["task_id"], messages=list(samples[case["task_id"]].input)
        )
        try:
            await module.play()(state, None)
        except NOTHING_LEFT:
            saw(state.messages)
        found = await module.verdict()(state, "")
        return None if found.value is None else found.value["reward"]

    return [asyncio.run(play(case)) for case in cases]


def message_of(action: dict[str, Any]) -> Assistant:
    """The model's message as Inspect parses it: arguments that are no JSON are lost, and marked."""
    calls = [call_of(call) for call in action.get("tool_calls") or ()]
    return Assistant(content=action.get("content") or "", tool_calls=calls or None)


def call_of(call: dict[str, Any]) -> Message:
    """One call as Inspect parses it."""
    name, text = call["function"]["name"], call["function"]["arguments"]
    try:
        arguments, fault = json.loads(text), None
    except ValueError:
        arguments, fault = {}, "no JSON"
    return Message(id=call["id"], function=name, arguments=arguments, parse_error=fault)
