"""The recorded path: the answers that a task's own attempts got, for whoever makes the same calls.

In: the attempt that solves a task, the others at it, the world. Out: the `path` of the task's start. Worlds answer by what was
learnt of the tools, and say `unknown` where that is not enough: along the path of its own attempts a task never is. Not here:
how a path is told (`environments.runtime.answers.recorded_only`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from environments.runtime.answers.recorded_only import past_key
from environments.runtime.play.environment import run_actions
from environments.runtime.sessions.recorded_session import only_looks
from environments.runtime.task.attempt import UNKNOWN, Json
from environments.runtime.task.task import Task
from environments.runtime.world.entries import asked_text
from environments.runtime.world.world import World
from synth.recordings.attempt import EpisodeAttempt

Path = Mapping[str, Mapping[str, Sequence[Json]]]
"""By everything called before and by call, what was answered each time (the content, and whether it was an error)."""


def is_walked(task: Task, world: World, solution: EpisodeAttempt) -> bool:
    """Whether the world by itself knows an answer to each of the solution's calls, in their order, and refuses the same ones.

    What it tells may differ otherwise: new ids are drawn in every run.
    """
    made, recorded = run_actions(task, world, solution.actions).calls, solution.attempt.calls
    return len(made) == len(recorded) and all(
        now.result.source != UNKNOWN and now.result.is_error == then.result.is_error
        for now, then in zip(made, recorded, strict=True)
    )


def path_of(world: World, solution: EpisodeAttempt, others: Sequence[EpisodeAttempt]) -> Path:
    """The path of a solution and of others at the same task.

    Where the backend lives on, the others met another one; where they were told something else, the solution is right.
    """
    told: dict[str, dict[str, list[Json]]] = {}
    for recorded in (solution, *(() if world.living else others)):
        mine: dict[str, dict[str, list[Json]]] = {}
        past: tuple[str, ...] = ()
        for made, call in zip(recorded.as_made, recorded.attempt.calls, strict=True):
            text = asked_text(made.tool, made.arguments)
            answer: list[Json] = [made.content, call.result.is_error]
            mine.setdefault(past_key(past), {}).setdefault(text, []).append(answer)
            if not only_looks(world, made.tool):
                past = (*past, text)
        for before, calls in mine.items():
            known = told.setdefault(before, {})
            for text, answers in calls.items():
                known.setdefault(text, answers)
    return told
