"""Rubrics of a shop that sends parcels, from episodes of one line a turn: what several test modules talk about. Not a test module."""

from __future__ import annotations

import json

from environments.runtime.checks.table import evaluate
from redact.records.clean_episode import CleanEpisode, CleanStep, CleanToolCall
from synth.labels.label import Label
from synth.recordings.attempt import record
from synth.recordings.attempt_facts import Facts, facts_of
from synth.recordings.tool_kinds import ToolKinds, infer_tools
from synth.recordings.traits import AppTraits
from synth.rubric.derive import Derived, derive_rubric

Line = tuple[str, ...]
"""`("user", text)`, `("say", text)` or `("call", name, arguments, result)`."""

FETCH: Line = ("call", "get_parcel", '{"parcel": "P-100"}', '{"parcel": "P-100", "state": "open"}')
STOP: Line = (
    "call",
    "stop_parcel",
    '{"parcel": "P-100"}',
    '{"parcel": "P-100", "state": "stopped"}',
)
OTHER: Line = (
    "call",
    "stop_parcel",
    '{"parcel": "P-200"}',
    '{"parcel": "P-200", "state": "stopped"}',
)
HAND: Line = ("call", "escalate", '{"why": "customer wants a person on the phone"}', "ok")


def tool(name: str, description: str, *names: str) -> str:
    """A tool definition as canonical text."""
    properties = {n: {"type": "string"} for n in names}
    function = {
        "name": name,
        "description": description,
        "parameters": {"type": "object", "properties": properties},
    }
    return json.dumps({"type": "function", "function": function}, sort_keys=True)


TOOLS = (
    tool("get_parcel", "Shows a parcel.", "parcel"),
    tool("stop_parcel", "Stops a parcel on its way.", "parcel"),
    tool("escalate", "Hands over to a human agent.", "why"),
)


def episode(
    name: str, *lines: Line, key: str | None = "k", opening: str = "Stop P-100."
) -> CleanEpisode:
    """An episode from short lines."""
    steps = [CleanStep(role="user", content=opening)]
    for number, line in enumerate(lines):
        if line[0] != "call":
            steps.append(
                CleanStep(role="user" if line[0] == "user" else "assistant", content=line[1])
            )
            continue
        call = CleanToolCall(call_id=f"c{number}", name=line[1], arguments=line[2])
        steps.append(CleanStep(role="assistant", tool_calls=(call,)))
        steps.append(CleanStep(role="tool", call_id=call.call_id, content=line[3]))
    return CleanEpisode(
        app="post", episode_id=name, started_at=1, task_key=key, tools=TOOLS, steps=tuple(steps)
    )


def label(resolved: bool | None, confidence: float = 0.97) -> Label:
    """A label without provenance."""
    return Label(resolved=resolved, confidence=confidence if resolved is not None else 0.0)


def kinds_of(*episodes: CleanEpisode) -> ToolKinds:
    """What the tools are, by these episodes."""
    return infer_tools([record(e) for e in episodes])


def facts(one: CleanEpisode, resolved: bool | None, kinds: ToolKinds | None = None) -> Facts:
    """The facts of one labelled episode."""
    return facts_of(record(one), label(resolved), kinds or kinds_of(one))


def derive(*attempts: tuple[CleanEpisode, bool | None], traits: AppTraits | None = None) -> Derived:
    """Derive one task's rubric."""
    kinds = kinds_of(*(e for e, _ in attempts))
    found = [facts(e, resolved, kinds) for e, resolved in attempts]
    return derive_rubric("t", found, traits or AppTraits(kinds=kinds))


def predict(derived: Derived, one: CleanEpisode) -> float | None:
    """What the rubric predicts for a recorded attempt."""
    return evaluate(derived.rubric, record(one).attempt, task_version="v").predicted


def reward(derived: Derived, one: CleanEpisode) -> float | None:
    """What the rubric pays a recorded attempt."""
    return evaluate(derived.rubric, record(one).attempt, task_version="v").reward
