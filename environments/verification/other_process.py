"""The good attempts once more, in a process of their own with another hash seed: verdicts must not depend on either.

In: candidates with their versions and their world. Out: the verdict on each solution as that process gives it, or the fault
that it met there, with its type and place and without its message, which may quote the data. Run as
`python -m environments.verification.other_process` it is that process: JSON in, JSON out. Not here: what a difference means
(`environments.verify`).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from environments.fault_places import fault_place
from environments.runtime.checks.table import evaluate
from environments.runtime.play.environment import run_actions
from environments.runtime.task.attempt import Json
from environments.runtime.task.candidate import Candidate
from environments.runtime.task.rubric import Rubric
from environments.runtime.task.task import Task
from environments.runtime.world.world import World

HASH_SEED: Final = "4242"
"""Orders sets and dictionaries of strings otherwise than the calling process does."""
SECONDS: Final = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class GradedElsewhere:
    """What another process made of the solutions, by task id."""

    verdicts: Mapping[str, Json] = field(default_factory=dict)
    faults: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """The type and the place of what it failed with; such a task has no verdict."""


def verdicts_elsewhere(
    candidates: Sequence[tuple[Candidate, str]],
    world: Mapping[str, Any],
    *,
    recordings: Mapping[str, Json] | None = None,
) -> GradedElsewhere:
    """The verdict on each candidate's solution, from another process; candidates come with their version."""
    items = [
        {
            "task": one.task.to_json(),
            "rubric": one.rubric.to_json(),
            "solution": [dict(action) for action in one.solution],
            "version": version,
        }
        for one, version in candidates
        if one.solution
    ]
    if not items:
        return GradedElsewhere()
    done = subprocess.run(
        [sys.executable, "-m", "environments.verification.other_process"],
        input=json.dumps(
            {"world": dict(world), "items": items, "recordings": dict(recordings or {})}
        ),
        env={"PYTHONHASHSEED": HASH_SEED, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=SECONDS,
        check=True,
    )
    found = json.loads(done.stdout)
    faults = {task_id: (error, place) for task_id, (error, place) in found["faults"].items()}
    return GradedElsewhere(verdicts=found["verdicts"], faults=faults)


def main() -> int:
    """Grade what comes in on standard input."""
    asked = json.load(sys.stdin)
    world = World.from_json(asked["world"])
    verdicts: dict[str, Json] = {}
    faults: dict[str, list[str]] = {}
    for item in asked["items"]:
        task_id = item["task"]["task_id"]
        try:
            task, rubric = Task.from_json(item["task"]), Rubric.from_json(item["rubric"])
            attempt = run_actions(task, world, item["solution"])
            verdicts[task_id] = evaluate(
                rubric, attempt, task_version=item["version"], recordings=asked["recordings"]
            ).to_json()
        except Exception as fault:  # the others have their verdicts all the same
            if isinstance(fault, MemoryError):
                raise
            faults[task_id] = [type(fault).__name__, fault_place(fault)]
    json.dump({"verdicts": verdicts, "faults": faults}, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
