"""The good attempts once more, in a process of their own with another hash seed: verdicts must not depend on either.

In: candidates with their versions and their world. Out: the verdict on each solution as that process gives it. Run as
`python -m environments.verification.other_process` it is that process: JSON in, JSON out. Not here: what a difference means
(`environments.verify`).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

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


def verdicts_elsewhere(
    candidates: Sequence[tuple[Candidate, str]],
    world: Mapping[str, Any],
    *,
    recordings: Mapping[str, Json] | None = None,
) -> dict[str, Json]:
    """The verdict on each candidate's solution by task id, from another process; candidates come with their version."""
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
        return {}
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
    return found if isinstance(found, dict) else {}


def main() -> int:
    """Grade what comes in on standard input."""
    asked = json.load(sys.stdin)
    world = World.from_json(asked["world"])
    found: dict[str, Json] = {}
    for item in asked["items"]:
        task, rubric = Task.from_json(item["task"]), Rubric.from_json(item["rubric"])
        # A task at which this process fails has no verdict here, which differs from any: the others have theirs.
        with suppress(Exception):
            attempt = run_actions(task, world, item["solution"])
            found[task.task_id] = evaluate(
                rubric, attempt, task_version=item["version"], recordings=asked["recordings"]
            ).to_json()
    json.dump(found, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
