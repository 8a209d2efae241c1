"""Verdicts that stand: a new day attacks only what the gate would see otherwise, and says what a build from scratch says."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

from benchmarks.testbeds.desk.conversations import Talk, hold_season
from dagster_project.lake.rows import canonical_text
from dagster_project.lake.store import Lake
from dagster_project.tasks.kept_verdicts import Remembered, keep_reads, remembered
from dagster_project.tasks.verification import TaskKnowledge, VerifiedTask, verify_all
from dagster_project.worlds.stored_worlds import StoredWorld
from environments.kept_verdicts.answers import HeardWorld, answers_alike
from environments.runtime.document.world_file import WorldDocument
from environments.runtime.play.environment import run_actions
from environments.runtime.task.attempt import Attempt
from environments.runtime.task.candidate import Candidate
from environments.runtime.world.world import World
from environments.verification import material
from environments.verification.probe import Probe, ProbeOutcome
from environments.verify import _Gate
from synth.labels.label import Label
from synth.tasks import derive_tasks
from synth.worlds import WorldSettings, learn_world
from tests.desk_labels import labels_of

BEFORE, AFTER = 72, 80
NEW: Final = 4
"""Tasks that a build before did not have."""
BLOCK: Final = 24
"""Tasks that attacks draw from: small, so that a few conversations make several blocks."""


@cache
def talks() -> tuple[Talk, ...]:
    """A short season of the example desk."""
    return hold_season(variant=0, seed=4, conversations=AFTER, attempts=1).talks


@cache
def labels() -> dict[str, Label]:
    """What its users said."""
    return labels_of(talks())


@cache
def made(size: int) -> tuple[StoredWorld, list[Candidate]]:
    """The world and the tasks of the first conversations."""
    episodes = [talk.episode for talk in talks()[:size]]
    learnt = learn_world(episodes, WorldSettings())
    app = episodes[0].app
    return StoredWorld(app=app, document=learnt.document), derive_tasks(episodes, labels(), learnt)


class Run:
    """The probes that were run and graded."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.by_task = Counter[str]()
        run = _Gate.run_probe

        def counted(gate: _Gate, probe: Probe, good: Attempt) -> ProbeOutcome:
            self.by_task[gate.task_id] += 1
            return run(gate, probe, good)

        monkeypatch.setattr(_Gate, "run_probe", counted)

    def taken(self) -> int:
        """How many since the last time."""
        count = self.by_task.total()
        self.by_task.clear()
        return count


class Attacked:
    """Which tasks the gate was asked to attack."""

    def __init__(self) -> None:
        self.ids: list[str] = []

    def track(self, candidates: Sequence[Candidate]) -> Sequence[Candidate]:
        """Note them."""
        self.ids = [one.task.task_id for one in candidates]
        return candidates


def first_build() -> tuple[dict[str, VerifiedTask], Remembered]:
    """The verdicts of the days before, and what they were made of."""
    world, candidates = made(BEFORE)
    seen = TaskKnowledge()
    found = verify_all(candidates, world, known={}, seen=seen)
    return {one.task_id: one for one in found}, seen.reads


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several blocks of a few tasks."""
    monkeypatch.setattr(material, "MOST_OTHERS", BLOCK)


def test_a_day_on_top_says_what_a_build_from_scratch_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Byte for byte, though most probes of tasks that were attacked before are not run again."""
    run = Run(monkeypatch)
    known, reads = first_build()
    every = run.taken()
    world, candidates = made(AFTER)
    lake = Lake(tmp_path)
    keep_reads(lake, world.app, reads.now)
    attacked = Attacked()
    seen = TaskKnowledge(reads=remembered(lake, world.app))
    after = verify_all(candidates, world, known=known, seen=seen, track=attacked.track)
    of_known = sum(count for name, count in run.by_task.items() if name in known)
    scratch = TaskKnowledge()
    assert canonical_text(after) == canonical_text(
        verify_all(candidates, world, known={}, seen=scratch)
    )
    assert seen.reads.now == scratch.reads.now
    solved = {one.task.task_id for one in candidates if one.solution} & known.keys()
    assert solved - set(attacked.ids)
    assert of_known < every / 10


def test_new_tasks_cost_old_ones_only_the_probes_that_they_change(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In an app of one block all attacks draw from each new task, and a record changed besides: most probes are not run again."""
    monkeypatch.setattr(material, "MOST_OTHERS", 400)
    run = Run(monkeypatch)
    world, candidates = made(BEFORE)
    told = canonical_text([one.solution for one in candidates])
    document = _with_another_record(world.document.to_json(), told)
    first = TaskKnowledge()
    older = StoredWorld(app=world.app, document=WorldDocument.from_json(document))
    known = {one.task_id: one for one in verify_all(candidates[:-NEW], older, known={}, seen=first)}
    run.taken()
    scratch = TaskKnowledge()
    anew = verify_all(candidates, world, known={}, seen=scratch)
    every = run.taken()
    seen = TaskKnowledge(reads=Remembered(known=first.reads.now))
    attacked = Attacked()
    after = verify_all(candidates, world, known=known, seen=seen, track=attacked.track)
    assert canonical_text(after) == canonical_text(anew)
    assert seen.reads.now == scratch.reads.now
    assert len(attacked.ids) == len(candidates)
    assert 0 < run.taken() < every / 2


def test_a_task_whose_answers_changed_is_attacked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only a record that its attacks read became another: what stood before stands no more, its other probes are not run again."""
    run = Run(monkeypatch)
    known, reads = first_build()
    every = run.taken()
    world, candidates = made(BEFORE)
    solutions = canonical_text([one.solution for one in candidates])
    document = _with_another_record(world.document.to_json(), solutions)
    other = StoredWorld(app=world.app, document=WorldDocument.from_json(document))
    attacked = Attacked()
    seen = TaskKnowledge(reads=Remembered(known=reads.now))
    after = verify_all(candidates, other, known=known, seen=seen, track=attacked.track)
    assert 0 < run.taken() < every / 2
    assert canonical_text(after) == canonical_text(verify_all(candidates, other, known={}))
    solved = {one.task.task_id for one in candidates if one.solution}
    assert 0 < len(solved & set(attacked.ids)) < len(solved)


def test_answers_are_alike_in_the_same_world_only() -> None:
    """Every call of a run is asked again at the state where it was made."""
    world, candidates = made(BEFORE)
    one = next(c for c in candidates if c.solution and len(c.solution) > 3)
    heard = HeardWorld(World(world.document), one.task)
    run_actions(one.task, heard, one.solution)
    run_actions(one.task, heard, one.solution[1:])
    kept = heard.answers()
    assert heard.whole
    assert answers_alike(World(world.document), one.task, kept)
    *first, (before, tool, text, _, end) = kept
    assert not answers_alike(
        World(world.document), one.task, [*first, (before, tool, text, "another", end)]
    )


def _with_another_record(document: Mapping[str, Any], told: str) -> dict[str, Any]:
    """The world with another status in one order: the first that a text names."""
    changed = deepcopy(dict(document))
    rows = changed["tables"]["order"]["rows"]
    key = next(one for one in sorted(rows) if json.loads(one)[0] in told)
    rows[key] = {**rows[key], "status": "lost"}
    return changed
