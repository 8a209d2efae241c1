"""The agreement figures on a task set's card: rubrics beside what users got.

Comes in: the parts of a task set, or what a backtest wrote. Goes out: figures that say what they were measured on.
"""

import json
from collections.abc import Collection
from pathlib import Path

from dagster_project.errors import InputError
from dagster_project.tasks.shares import agreement
from dagster_project.tasks.task_set_parts import TaskSetParts
from environments.runtime.checks.table import evaluate
from environments.runtime.play.environment import run_actions
from environments.runtime.task.attempt import Json
from environments.runtime.world.world import World


def recorded_agreement(parts: TaskSetParts, statuses: Collection[str]) -> dict[str, Json]:
    """How the rubrics judge the recorded attempts with a known outcome; rubrics were made from such attempts."""
    worlds = {name: World.from_json(document) for name, document in parts.worlds.items()}
    pairs: list[tuple[bool | None, float | None]] = []
    for entry in (e for e in parts.entries if e.status in statuses):
        for attempt in (a for a in entry.attempts if a.resolved is not None):
            run = run_actions(entry.task, worlds[entry.task.world], attempt.actions)
            verdict = evaluate(entry.rubric, run, task_version="")
            pairs.append((attempt.resolved, verdict.predicted))
    found = agreement(pairs)
    if not found.labelled:
        return {}
    return {
        "measured on": "recorded attempts with a known outcome, the ones the rubrics were made from included",
        "attempts": found.labelled,
        "graded": found.graded,
        "agreed": found.agreed,
        "false pass": found.false_pass,
        "false fail": found.false_fail,
    }


def held_out_agreement(path: Path) -> dict[str, Json]:
    """What `tracegym backtest --json` measured on episodes that the rubrics had not seen."""
    names = ("episodes", "graded", "agreement", "kappa", "false_pass", "false_fail")
    try:
        found = json.loads(path.read_text(encoding="utf-8"))["graders"]["accepted"]
        figures: dict[str, Json] = {name.replace("_", " "): found[name] for name in names}
    except (OSError, ValueError, KeyError, TypeError) as fault:
        raise InputError(
            f"{path} is not what `tracegym backtest EPISODES --json FILE` writes: give its FILE"
        ) from fault
    return {"measured on": "held-out episodes (tracegym backtest)", **figures}
