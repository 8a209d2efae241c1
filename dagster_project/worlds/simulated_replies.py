"""Simulated answers in the clean lake: what a model said where no recording knows, so that runs can be made again.

Comes in: replies by key, per simulating model. Goes out: the same, for grading without a model; and a simulation that
knows them. A key covers the call and everything before it, so that a reply is never used anywhere else. Not here: how a
model is asked (`environments.simulate`), which tools may be simulated (`worlds.toml`).
"""

import json
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

import pyarrow as pa

from dagster_project.errors import InputError
from dagster_project.lake.store import Lake
from dagster_project.lake.tables import BY_APP, Table
from dagster_project.tasks.judge_replies import REPLY_SCHEMA
from environments.llm import LlmJudge
from environments.runtime.task.attempt import Json
from environments.runtime.task.task_set import TaskSet
from environments.simulate import Simulation

SIMULATED_REPLIES: Final = Table(
    name="simulated_replies", schema=REPLY_SCHEMA, by=BY_APP, identity=("key", "model")
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatorChoice:
    """Which model answers calls that no recording knows."""

    model: str
    """As litellm names it; any name where `url` is given."""
    url: str = ""
    """An OpenAI-compatible endpoint."""
    api_key: str = field(default="", repr=False)

    @property
    def complete(self) -> LlmJudge:
        """The model, ready to be asked."""
        return LlmJudge(model=self.model, base_url=self.url, api_key=self.api_key)


def simulation_of(choice: SimulatorChoice, lake: Lake | None, task_set: TaskSet) -> Simulation:
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
    return Simulation(task_set, model=choice.model, complete=choice.complete, replies=known)


def simulated_replies(lake: Lake, apps: Iterable[str]) -> dict[str, dict[str, Json]]:
    """Every recorded reply of some apps, by model and key; of one key the first, which the runs since then were given."""
    rows = [
        row
        for app in sorted(set(apps))
        for row in lake.read(SIMULATED_REPLIES, app=app).to_pylist()
    ]
    found: dict[str, dict[str, Json]] = defaultdict(dict)
    for row in sorted(rows, key=lambda row: row["at"]):
        found[row["model"]].setdefault(row["key"], json.loads(row["reply"]))
    return dict(found)


def keep_simulated(lake: Lake | None, simulation: Simulation | None) -> None:
    """Append what the model said since the last time."""
    if lake is None or simulation is None:
        return
    at = time.time_ns()
    rows = [
        {
            "app": app,
            "key": key,
            "model": simulation.model,
            "reply": json.dumps(reply),
            "at": at,
        }
        for app, replies in sorted(simulation.take_fresh().items())
        for key, reply in sorted(replies.items())
    ]
    if rows:
        lake.append(SIMULATED_REPLIES, pa.Table.from_pylist(rows, schema=REPLY_SCHEMA))


def simulation_says(simulation: Simulation) -> Mapping[str, object]:
    """What became of the questions, for a person."""
    counts = simulation.counts
    return {
        "model": simulation.model,
        "asked": counts.asked,
        "no_answer": counts.no_answer,
        "failed": counts.failed,
    }
