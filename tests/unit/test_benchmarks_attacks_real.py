"""On other people's backends (`TRACEGYM_REAL_DATA`): how many tasks have a grader that the gate accepts, and whom it pays, stay as they are."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from benchmarks.rubrics.agreement import read
from benchmarks.rubrics.attacks import app_of
from synth.recordings.attempt import record

FOLDER = Path(os.environ.get("TRACEGYM_REAL_DATA", ""), "backends")
LEAST = {
    "academic_search": (20, 40, 1),
    "banking_services": (23, 15, 3),
    "career_planner": (5, 4, 1),
    "consulting_accounting": (8, 5, 2),
}
"""Tasks with an accepted grader, good held-out attempts that are paid, and bad ones at most."""


@pytest.mark.skipif(
    not os.environ.get("TRACEGYM_REAL_DATA"), reason="TRACEGYM_REAL_DATA does not name a folder"
)
@pytest.mark.parametrize("name", sorted(LEAST))
def test_graders_are_accepted_and_pay_as_before(name: str) -> None:
    """A change of worlds or graders that loses tasks of an app shows here, and not a month later."""
    data, held = (read(FOLDER / name / f"{part}.jsonl") for part in ("train", "heldout"))
    tasks = app_of(data)[0]
    key_of = {e.episode_id: e.task_key for e in data.episodes}
    graders = {key_of[t.candidate.attempts[0].episode_id]: t.grade for t in tasks}
    paid = [
        held.labels[e.episode_id].resolved
        for e in held.episodes
        if e.task_key in graders and graders[e.task_key](record(e).actions).reward == 1.0
    ]
    accepted, good, bad = LEAST[name]
    assert len(tasks) >= accepted
    assert paid.count(True) >= good
    assert paid.count(False) <= bad
