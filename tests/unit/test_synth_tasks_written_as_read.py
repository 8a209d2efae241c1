"""A tool that changes something by its name and that the world takes for one that only looks."""

from __future__ import annotations

import json
from functools import cache

from environments.runtime.candidate import Candidate
from environments.runtime.checks import evaluate
from environments.runtime.environment import run_actions
from environments.runtime.world import World
from redact.clean_episode import CleanEpisode, CleanStep, CleanToolCall
from synth.labels import Label
from synth.tasks import derive_tasks
from synth.worlds import WorldSettings, learn_world

Did = tuple[str, dict[str, str], str]

LAMPS = tuple(f"L-{n}" for n in range(36))
TOOLS = tuple(
    json.dumps({"type": "function", "function": {"name": n, "description": says, "parameters": {}}})
    for n, says in (
        ("find_lamp", "Finds a lamp."),
        ("update_dimming", "Updates a lamp's dimming."),
        ("update_state", "Updates a lamp's state."),
    )
)


def find(number: int) -> Did:
    """A look that gives the lamp's id."""
    return "find_lamp", {"place": f"room {number}"}, json.dumps({"lamp": LAMPS[number]})


def dim(number: int) -> Did:
    """A change whose answer is always the same, because nobody ever dims a lamp twice."""
    level = str(40 + number)
    says = json.dumps({"status": "success", "message": f"dimming updated from 90 to {level}"})
    return "update_dimming", {"lamp": LAMPS[number], "level": level}, says


def switch(number: int) -> Did:
    """Another change."""
    says = json.dumps({"status": "success", "message": "state updated from 'on' to 'off'"})
    return "update_state", {"lamp": LAMPS[number], "state": "off"}, says


def episode(name: str, wish: str, *did: Did) -> CleanEpisode:
    """A conversation in which these calls are made."""
    steps = [CleanStep(role="user", content=wish)]
    for place, (tool, arguments, says) in enumerate(did):
        call = CleanToolCall(call_id=f"c{place}", name=tool, arguments=json.dumps(arguments))
        steps.append(CleanStep(role="assistant", tool_calls=(call,)))
        steps.append(CleanStep(role="tool", call_id=f"c{place}", content=says))
    steps.append(CleanStep(role="assistant", content="All done."))
    return CleanEpisode(
        app="house", episode_id=name, started_at=1, task_key=name, tools=TOOLS, steps=tuple(steps)
    )


@cache
def house() -> tuple[Candidate, World]:
    """The task of switching lamp 0 off, which no recorded attempt dimmed, and its world."""
    first = episode("off", "Switch the lamp in room 0 off.", find(0), switch(0))
    rest = [
        episode(
            f"{time} {n}",
            f"Dim the lamp in room {n}, then off.",
            find(n),
            dim(n),
            find(n),
            switch(n),
        )
        for n in range(1, 36)
        for time in ("once", "again")
    ]
    episodes = [first, *rest]
    labels = {e.episode_id: Label(resolved=True, confidence=0.98) for e in episodes}
    learnt = learn_world(episodes, WorldSettings())
    assert learnt.document["tools"]["update_dimming"]["kind"] == "read"
    candidates = derive_tasks(episodes, labels, learnt)
    task = next(c for c in candidates if c.attempts[0].episode_id == "off")
    return task, World.from_json(learnt.document)


def grade(*did: Did) -> float | None:
    """What an attempt that makes these calls earns."""
    task, world = house()
    actions = [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "c", "function": {"name": tool, "arguments": json.dumps(given)}}],
        }
        for tool, given, _ in did
    ]
    actions.append({"role": "assistant", "content": "All done."})
    return evaluate(task.rubric, run_actions(task.task, world, actions), task_version="v").reward


def test_a_change_that_the_world_takes_for_a_look_counts_as_a_change() -> None:
    """It leaves nothing in the world, so ends are compared by their calls and not by what the world shows."""
    assert grade(find(0), switch(0)) == 1.0
    assert grade(find(0), dim(3), switch(0)) == 0.0
