"""SWE-agent's trajectories: thoughts with actions written as text, as calls of functions or in tags, and what came back.

Comes in: one `.traj` file: `history` (what the model was shown and said), `trajectory` (every action that was carried out with
its observation), or one of them. Goes out: one conversation: each action is one call, each observation its result. What only
one of the two lists has is taken from it; the text that the agent saw goes before the bare observation.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Any, Final

from ingest.formats.format import Decoded, Format
from ingest.formats.records.naming import own_fields
from ingest.formats.records.reader import Standing, read_record
from ingest.formats.records.text_calls import SHELL, commands_in
from ingest.formats.records.written_calls import seen_after, written_act
from ingest.otlp.record import Arrival, text_of
from ingest.records.text import Json, objects_in

NAME: Final = "swe_agent"
_LOOKED_AT: Final = 50

Message = dict[str, Any]


def claims(value: Json) -> bool:
    """Whether a value is a trajectory."""
    if not isinstance(value, dict):
        return False
    steps, history = value.get("trajectory"), value.get("history")
    if isinstance(steps, list) and any(_is_step(step) for step in steps[:_LOOKED_AT]):
        return True
    return isinstance(history, list) and any(_is_action(one) for one in history[:_LOOKED_AT])


def read(value: Json, arrival: Arrival) -> Decoded:
    """Read one trajectory."""
    settings = own_fields(value.get("replay_config"))
    agent = own_fields(settings.get("agent"))
    problem = own_fields(settings.get("problem_statement"))
    record = {
        key: one
        for key, one in value.items()
        if key not in {"history", "trajectory", "replay_config", "environment"}
    }
    record["messages"] = _MessageBuilder(value, _commands(value, agent)).messages()
    beside = {
        "instance_id": problem.get("id"),
        "model_name": own_fields(agent.get("model")).get("name"),
        "problem_statement": problem.get("text"),
    }
    record |= {
        key: one for key, one in beside.items() if isinstance(one, str) and key not in record
    }
    return read_record(record, arrival, Standing(source=NAME))


def _is_step(step: Json) -> bool:
    return isinstance(step, dict) and isinstance(step.get("action"), str) and "observation" in step


def _is_action(one: Json) -> bool:
    by_agent = isinstance(one, dict) and one.get("role") == "assistant" and "thought" in one
    return by_agent and isinstance(one.get("action"), str)


def _commands(value: Message, agent: Message) -> frozenset[str]:
    """The commands that the agent's interface has beside those of the shell."""
    docs = text_of(own_fields(agent.get("tools")).get("command_docs"))
    said = objects_in(value.get("history"))
    prompts = [text_of(one.get("content")) for one in said if one.get("role") == "system"]
    return commands_in([docs, *prompts])


@dataclass(slots=True)
class _Turn:
    """One action: as the history has it, as it was carried out, or both."""

    said: Message | None = None
    done: Message | None = None
    after: list[Message] = field(default_factory=list)
    """What the history goes on with before the next action."""


class _MessageBuilder:
    """A trajectory on its way into messages."""

    def __init__(self, value: Message, commands: frozenset[str]) -> None:
        self._commands = commands
        self._before: list[Message] = []
        """What the history begins with before the first action."""
        said: list[_Turn] = []
        for one in objects_in(value.get("history")):
            if _is_action(one):
                said.append(_Turn(said=one))
            else:
                (said[-1].after if said else self._before).append(one)
        ran = [one for one in objects_in(value.get("trajectory")) if _is_step(one)]
        pairs = zip_longest(ran, seen_after(ran))
        done = [{**step, "observation": seen} for step, seen in pairs]
        self._turns = _merged(said, done)
        acts = [text for step in done if (text := text_of(step.get("action")).strip())]
        self._are_calls = all(map(written_act, acts))
        """Whether all actions are calls of tools in one notation or another, and none is a command."""

    def messages(self) -> list[Message]:
        """All messages, each once."""
        found = [_prompt(one) for one in self._before]
        for number, turn in enumerate(self._turns):
            found += self._turn(turn, number)
        return found

    def _turn(self, turn: _Turn, number: int) -> Iterator[Message]:
        told = turn.said or turn.done or {}
        calls = objects_in(told.get("tool_calls"))
        action = text_of(told.get("action")).strip()
        if not calls and action:
            calls = [self._call(action, number)]
        # Text and action are told apart in the file: the action would otherwise be said twice.
        words = told.get("thought") if calls else told.get("content", told.get("response"))
        yield {"role": "assistant", "content": text_of(words).strip() or None, "tool_calls": calls}
        waiting = [call.get("id") for call in calls]
        for one in turn.after:
            if waiting and one.get("role") in ("user", "tool"):
                named = one.get("tool_call_ids")
                named = named if isinstance(named, list) else []
                ids = [i for i in named if i in waiting] or waiting[:1]
                waiting = [identity for identity in waiting if identity not in ids]
                yield {"role": "tool", "tool_call_id": ids[0], "content": one.get("content")}
            else:
                yield _prompt(one)
        observed = turn.done.get("observation") if turn.done else None
        if len(waiting) == len(calls) and waiting and isinstance(observed, str):
            yield {"role": "tool", "tool_call_id": waiting[0], "content": observed}

    def _call(self, action: str, number: int) -> Message:
        written = written_act(action) if self._are_calls else None
        if written is not None:
            return {"id": f"action_{number}", **written}
        first = action.split(maxsplit=1)[0]
        name = first if first in self._commands else SHELL
        function = {"name": name, "arguments": {"command": action}}
        return {"id": f"action_{number}", "type": "function", "function": function}


def _prompt(one: Message) -> Message:
    """A message of the history that answers no action; a demonstration is shown by the framework and nobody's wish."""
    if one.get("is_demo") is True and one.get("role") == "user":
        return {**one, "role": "system"}
    return {key: inner for key, inner in one.items() if key not in {"agent", "message_type"}}


def _merged(said: list[_Turn], done: list[Message]) -> list[_Turn]:
    """The actions of both lists in one order; one that only one list has keeps its place."""
    ours = [text_of(turn.said.get("action")).strip() if turn.said else "" for turn in said]
    theirs = [text_of(step.get("action")).strip() for step in done]
    merged: list[_Turn] = []
    for _, start, end, first, last in SequenceMatcher(
        None, ours, theirs, autojunk=False
    ).get_opcodes():
        same = ours[start:end] == theirs[first:last]
        for place, turn in enumerate(said[start:end]):
            turn.done = done[first + place] if same else None
            merged.append(turn)
        merged += [] if same else [_Turn(done=step) for step in done[first:last]]
    return merged


FORMAT: Final = Format(
    name=NAME,
    title="a trajectory of SWE-agent",
    keys=("trajectory", "history", "info", "environment"),
    claims=claims,
    read=read,
)
