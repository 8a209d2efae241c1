"""Simulated answers in the clean lake: what a model said where no recording knows, so that runs can be made again.

Comes in: replies by key, per simulating model. Goes out: the same, for grading without a model; and a simulation that knows them. A key
covers the call and everything before it, so that a reply is never used anywhere else.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Final

from dagster_project.errors import InputError
from dagster_project.lake.store import Lake
from dagster_project.tasks.model_replies import append_replies, reply_table, stored_replies
from environments.llm import ModelChoice
from environments.runtime.task.attempt import Json
from environments.runtime.task.task_set import TaskSet
from environments.simulate import Simulation

SIMULATED_REPLIES: Final = reply_table("simulated_replies")


def simulation_of(choice: ModelChoice, lake: Lake | None, task_set: TaskSet) -> Simulation:
    """The simulation of a task set's worlds, with everything that the model said before."""
    if lake is None:
        raise InputError(
            "simulated answers must be kept, or their runs could not be graded again: give --home"
        )
    if not any(task_set.world(task.task_id).simulates for task in task_set.tasks):
        raise InputError(
            f"no tool of {task_set.path} may be simulated: name those that may in worlds.toml of the "
            'home (tool = "simulate"), then build and export again'
        )
    apps = {task.app for task in task_set.tasks}
    known = simulated_replies(lake, apps).get(choice.model, {})
    return Simulation(task_set, model=choice.model, complete=choice.complete(), replies=known)


def simulated_replies(lake: Lake, apps: Iterable[str]) -> dict[str, dict[str, Json]]:
    """Every recorded reply of some apps, by model and key; of one key the first, which the runs since then were given."""
    found: dict[str, dict[str, Json]] = defaultdict(dict)
    for one in stored_replies(lake, SIMULATED_REPLIES, apps):
        found[one.model].setdefault(one.key, one.reply)
    return dict(found)


def keep_simulated(lake: Lake | None, simulation: Simulation | None) -> None:
    """Append what the model said since the last time."""
    if lake is not None and simulation is not None:
        append_replies(lake, SIMULATED_REPLIES, simulation.model, simulation.take_fresh())


def simulation_says(simulation: Simulation) -> Mapping[str, object]:
    """What became of the questions, for a person."""
    counts = simulation.counts
    return {
        "model": simulation.model,
        "asked": counts.asked,
        "no_answer": counts.no_answer,
        "failed": counts.failed,
    }
