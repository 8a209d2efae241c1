"""Tools that make a record under a name that the call gives, on an invented house of records where a look shows a note's text alone."""

from __future__ import annotations

import json
from typing import Any

import pytest

from environments.runtime.checks.table import evaluate
from environments.runtime.play.environment import run_actions
from environments.runtime.task.candidate import Candidate
from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode, CleanStep, CleanToolCall
from synth.labels.label import Label
from synth.recordings.attempt import record
from synth.tasks import derive_tasks
from synth.worlds import WorldSettings, learn_world

OWNERS = ("U-4", "U-7", "U-9")
TOOLS = tuple(
    json.dumps({"name": name, "description": says, "parameters": {"properties": {"note": {}}}})
    for name, says in (
        ("create_note", "Creates a note of an owner."),
        ("get_note", "Shows a note's text."),
    )
)
TASKS = 12


def attempt(task: int, kind: str, *, owner: str, twice: bool = False) -> CleanEpisode:
    """Somebody has a note made; a look after it shows its text."""
    note, text = f"N-{300 + task}", f"Box {40 + task} was seen at gate {task % 5}."
    made = {"note": note, "owner": owner, "text": text}
    told = json.dumps({"success": True, "entry": {"entry": note, "holder": owner, "words": text}})
    old = ("get_note", {"note": f"N-{task % 4}"}, f"Gate {task % 4} is shut.")
    calls: list[tuple[str, dict[str, Any], str]] = [
        old,
        ("create_note", made, told),
        ("get_note", {"note": note}, text),
        old,
    ]
    calls += [("create_note", made, json.dumps({"error": f"{note} exists"}))] if twice else []
    steps = [CleanStep(role="user", content=f"Note as {note} for {OWNERS[task % 3]}: {text}")]
    for number, (name, arguments, result) in enumerate(calls):
        call = CleanToolCall(call_id=f"c{number}", name=name, arguments=json.dumps(arguments))
        steps.append(CleanStep(role="assistant", tool_calls=(call,)))
        steps.append(CleanStep(role="tool", call_id=call.call_id, content=result))
    steps.append(CleanStep(role="assistant", content="It is noted."))
    return CleanEpisode(
        app="house",
        episode_id=f"{kind}{task}",
        started_at=1,
        task_key=f"k{task}",
        tools=TOOLS,
        steps=tuple(steps),
    )


@pytest.fixture(scope="module")
def first() -> tuple[Candidate, World]:
    """The first task, each with a resolved attempt and one for another owner, and the world."""
    good = [attempt(task, "g", owner=OWNERS[task % 3]) for task in range(TASKS)]
    bad = [attempt(task, "b", owner=OWNERS[(task + 1) % 3]) for task in range(TASKS)]
    labels = {e.episode_id: Label(resolved=True, confidence=0.97) for e in good}
    labels |= {e.episode_id: Label(resolved=False, confidence=0.97) for e in bad}
    learnt = learn_world([*good, *bad], WorldSettings())
    tasks = derive_tasks([*good, *bad], labels, learnt)
    found = next(one for one in tasks if one.attempts[0].episode_id in {"g0", "b0"})
    return found, World(learnt.document)


@pytest.mark.parametrize(
    ("owner", "twice", "reward"), [("U-4", False, 1.0), ("U-7", False, 0.0), ("U-4", True, 1.0)]
)
def test_the_call_counts_where_its_record_does_not_hold_all_of_it(
    first: tuple[Candidate, World], owner: str, twice: bool, reward: float
) -> None:
    """The text of a note for somebody else is the same text; the same note made once more is one note."""
    candidate, world = first
    tried = record(attempt(0, "x", owner=owner, twice=twice)).actions
    run = run_actions(candidate.task, world, tried)
    assert evaluate(candidate.rubric, run, task_version="v").reward == reward
