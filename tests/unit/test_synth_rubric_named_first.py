"""Who calls is checked before anything is told, where the instructions name the check and every resolved attempt makes it."""

from __future__ import annotations

import json
from collections.abc import Sequence

from environments.runtime.checks.table import evaluate
from environments.runtime.play.environment import run_actions
from environments.runtime.task.attempt import Json
from environments.runtime.task.candidate import Candidate
from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode, CleanStep, CleanToolCall
from synth.labels.label import Label
from synth.recordings.attempt import record
from synth.tasks import derive_tasks
from synth.worlds import WorldSettings, learn_world

TASKS = 9
NAMED = "You work at a desk. Identify the caller (check_caller) before you open a bill."
UNNAMED = "You work at a desk. Be kind."
Call = tuple[str, dict[str, Json]]


def customer(number: int) -> str:
    """One a task."""
    return f"K{300 + number}"


def check(number: int) -> Call:
    """The check of its caller."""
    return "check_caller", {"customer": customer(number)}


def bill(number: int) -> Call:
    """What is asked for."""
    return "get_bill", {"customer": customer(number)}


def due(number: int) -> str:
    """What is due of it."""
    return f"{41 + 7 * number}.35"


def episode(name: str, number: int, calls: Sequence[Call], instructions: str) -> CleanEpisode:
    """One attempt at a task, which tells the right amount."""
    steps = [
        CleanStep(role="system", content=instructions),
        CleanStep(role="user", content=f"I am {customer(number)}. How much is due?"),
    ]
    for at, (tool, given) in enumerate(calls):
        told = (
            {**given, "ok": True}
            if tool == "check_caller"
            else {**given, "due": float(due(number))}
        )
        made = CleanToolCall(call_id=f"c{at}", name=tool, arguments=json.dumps(given))
        steps.append(CleanStep(role="assistant", tool_calls=(made,)))
        steps.append(CleanStep(role="tool", call_id=f"c{at}", content=json.dumps(told)))
    steps.append(CleanStep(role="assistant", content=f"{due(number)} euros are due."))
    return CleanEpisode(
        app="desk",
        episode_id=name,
        task_key=f"t{number}",
        started_at=number,
        steps=tuple(steps),
    )


def test_what_the_instructions_name_comes_before_what_it_came_before() -> None:
    """Without it the right amount is not paid."""
    task, world = _task_of(NAMED)

    def reward(*calls: Call) -> float | None:
        attempt = record(episode("x", 4, calls, NAMED))
        played = run_actions(task.task, world, attempt.actions)
        return evaluate(task.rubric, played, task_version="x").reward

    assert reward(check(4), bill(4)) == 1.0
    assert reward(bill(4)) == 0.0
    assert reward(bill(4), check(4)) == 0.0


def test_what_nothing_names_is_a_habit() -> None:
    """All resolved attempts make the call all the same."""
    assert [check.fn for check in _task_of(NAMED)[0].rubric.checks].count("before") == 1
    assert "before" not in {check.fn for check in _task_of(UNNAMED)[0].rubric.checks}


def _task_of(instructions: str) -> tuple[Candidate, World]:
    """One of the tasks under these instructions, and the world of all."""
    recorded = [
        episode(f"e{number}", number, [check(number), bill(number)], instructions)
        for number in range(TASKS)
    ]
    world = learn_world(recorded, WorldSettings(continuity="reset"))
    labels = {one.episode_id: Label(resolved=True, confidence=0.97) for one in recorded}
    found = derive_tasks(recorded, labels, world)
    return next(c for c in found if c.attempts[0].episode_id == "e4"), World(world.document)
