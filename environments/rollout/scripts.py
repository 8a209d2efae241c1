"""Policies without a model: the known solution, and four that should earn nothing.

In: a task set. Out: policies by name. They calibrate a task set (solution 1, the others below) and test the machinery.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Final

from environments.rollout.errors import RolloutError
from environments.rollout.policy import Message, Policy, Run, Turn
from environments.runtime.play.tool_names import tool_name
from environments.runtime.task.attempt import Json
from environments.runtime.task.task_set import TaskSet
from environments.runtime.task.tool_definition import function_of, properties_of

CLAIM: Final = "I have completed everything you asked for. It is done."
RANDOM_CALLS: Final = 12
"""Calls of `random_calls` before it speaks."""

SCRIPTS: Final = ("solution", "noop", "claim", "copy", "random_calls")

Script = Callable[[Sequence[Message], Sequence[Message], Run], Message]


@dataclass(frozen=True, slots=True)
class ScriptedPolicy:
    """A policy that is a pure function."""

    name: str
    script: Script

    async def act(self, messages: Sequence[Message], tools: Sequence[Message], *, run: Run) -> Turn:
        """The script's message."""
        return Turn(message=self.script(messages, tools, run))


def scripted_policy(name: str, task_set: TaskSet) -> Policy:
    """The scripted policy of that name, one of `SCRIPTS`."""
    scripts: dict[str, Script] = {
        "solution": _solution(task_set),
        "noop": lambda _messages, _tools, _run: _say(""),
        "claim": lambda _messages, _tools, _run: _say(CLAIM),
        "copy": _copy,
        "random_calls": _random_calls,
    }
    if name not in scripts:
        raise RolloutError(
            f"there is no scripted policy {name!r}: choose from {', '.join(scripts)}"
        )
    return ScriptedPolicy(name, scripts[name])


def _solution(task_set: TaskSet) -> Script:
    """The solution's messages in order; a farewell when they are used up or there are none."""

    def act(_messages: Sequence[Message], _tools: Sequence[Message], run: Run) -> Message:
        actions = task_set.solution(run.task_id)
        return actions[run.acted] if run.acted < len(actions) else _say("Goodbye.")

    return act


def _copy(messages: Sequence[Message], _tools: Sequence[Message], _run: Run) -> Message:
    """Everything that stood there before the policy acted, back to the user."""
    opening = list(takewhile(lambda message: message.get("role") != "assistant", messages))
    return _say("\n".join(str(m.get("content") or "") for m in opening))


def _random_calls(messages: Sequence[Message], tools: Sequence[Message], run: Run) -> Message:
    """Calls of random tools with words from the conversation as arguments; then a claim."""
    if run.acted >= RANDOM_CALLS or not tools:
        return _say(CLAIM)
    chance = random.Random(f"{run.task_id}/{run.seed}/{run.acted}")  # noqa: S311 - not for secrets
    tool = chance.choice(tools)
    words = [w.strip('.,!?"') for m in messages for w in str(m.get("content") or "").split()] or [
        ""
    ]
    arguments = {name: chance.choice(words) for name in sorted(properties_of(function_of(tool)))}
    call: dict[str, Json] = {
        "id": f"call_{run.acted}",
        "type": "function",
        "function": {"name": tool_name(tool), "arguments": json.dumps(arguments)},
    }
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def _say(text: str) -> Message:
    return {"role": "assistant", "content": text}
