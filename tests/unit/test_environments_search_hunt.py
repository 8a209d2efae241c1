"""The scripted search finds what a weak rubric pays, finds nothing where the rubric is sound, and says the same twice."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from dagster_project.errors import InputError
from dagster_project.lake.store import Lake
from dagster_project.tasks.attacks import AttackSettings, attack
from dagster_project.tasks.found_cheats import cheats_of, keep_cheats, read_cheats, write_cheats
from dagster_project.tasks.verification import TaskKnowledge, verify_all
from dagster_project.worlds.stored_worlds import StoredWorld
from environments.runtime import TaskSet
from environments.runtime.document.world_file import WorldDocument
from environments.runtime.task.candidate import Candidate
from environments.runtime.task.rubric import Check
from environments.search.found_cheats import FoundCheat
from environments.search.oracle import KINDS, NO_CALLS, NOTHING_TOLD, OTHER_END
from environments.verification.sentences import reason_says
from environments.verify import ACCEPTED, REJECTED
from tests.environments_shop import entry, say, world, write_shop

SPOKE = Check(check_id="spoke", fn="spoke", args={}, required=True, positive=True)


def weak(folder: Path) -> TaskSet:
    """The shop's task set, whose rubrics pay whoever says something."""
    entries = [
        replace(one, rubric=replace(one.rubric, checks=(SPOKE,))) for one in (entry(1), entry(3))
    ]
    write_shop(folder, entries=entries)
    return TaskSet.load(folder)


def sound(folder: Path) -> TaskSet:
    """The shop's task set as it is."""
    write_shop(folder)
    return TaskSet.load(folder)


def found_in(task_set: TaskSet, budget: int = 60, seed: int = 0) -> list[FoundCheat]:
    """The paid cheats of a task set."""
    settings = AttackSettings(budget=budget, seed=seed)
    return attack(task_set, task_set.tasks, settings).found_cheats


def candidates(*, pays_words: bool = False) -> list[Candidate]:
    """The shop's two tasks on their way to the gate."""
    found = []
    for one in (entry(1), entry(3)):
        weakened = replace(one.rubric, checks=(SPOKE,))
        rubric = weakened if pays_words and one.task.task_id == "task1" else one.rubric
        found.append(Candidate(task=one.task, rubric=rubric, solution=tuple(one.solution)))
    return found


def test_a_weak_rubric_is_cheated_and_a_sound_one_is_not(tmp_path: Path) -> None:
    """At every task; each cheat says what it did and why that is bad."""
    found = found_in(weak(tmp_path / "weak"))
    assert {one.task_id for one in found} == {"task1", "task3"}
    assert {one.reward for one in found} == {1.0}
    assert {one.kind for one in found} == {OTHER_END, NO_CALLS}
    assert all(one.did and one.says.endswith(KINDS[one.kind]) for one in found)
    assert found_in(sound(tmp_path / "sound")) == []


def test_the_same_seed_makes_the_same_attempts(tmp_path: Path) -> None:
    """Another seed makes others."""
    task_set = weak(tmp_path / "weak")
    first, again, other = (found_in(task_set, seed=seed) for seed in (1, 1, 2))
    assert first == again
    assert first or other


def test_the_budget_holds_and_time_ends_the_search(tmp_path: Path) -> None:
    """No attempt beyond either."""
    task_set = weak(tmp_path / "weak")
    told = attack(task_set, task_set.tasks, AttackSettings(budget=3))
    assert [one.attempts for one in told.tasks] == [3, 3]
    told = attack(task_set, task_set.tasks, AttackSettings(seconds=0.0))
    assert (told.attempts, told.unfinished) == (0, True)


def test_what_cannot_be_compared_is_said(tmp_path: Path) -> None:
    """A task without a solution, one whose solution earns nothing, a set without any solution."""
    unpaid = replace(entry(1), solution=(say("Hello."),))
    unsolved = replace(entry(3), solution=())
    write_shop(tmp_path / "set", entries=[unpaid, unsolved])
    task_set = TaskSet.load(tmp_path / "set")
    told = attack(task_set, task_set.tasks, AttackSettings())
    assert [bool(one.skipped) for one in told.tasks] == [True, True]
    assert "no solution" in told.tasks[1].skipped
    write_shop(tmp_path / "none", entries=[unsolved])
    empty = TaskSet.load(tmp_path / "none")
    with pytest.raises(InputError, match="holds no solution"):
        attack(empty, empty.tasks, AttackSettings())


def test_a_kept_cheat_rejects_a_task_as_long_as_it_pays(tmp_path: Path) -> None:
    """And only what it is about is attacked again."""
    lake = Lake(tmp_path / "lake")
    found = found_in(weak(tmp_path / "weak"))
    assert keep_cheats(lake, found) == len({one.cheat_id for one in found})
    assert keep_cheats(lake, found) == 0
    seen = TaskKnowledge(found={"task1": cheats_of(lake, "shop")["task1"]})
    stored = StoredWorld(app="shop", document=WorldDocument.from_json(world()))
    before = {one.task_id: one for one in verify_all(candidates(pays_words=True), stored, known={})}
    attacked: list[str] = []

    def track(items: Sequence[Candidate]) -> Iterable[Candidate]:
        attacked.extend(one.task.task_id for one in items)
        return items

    after = {
        one.task_id: one
        for one in verify_all(
            candidates(pays_words=True), stored, known=before, seen=seen, track=track
        )
    }
    assert attacked == ["task1"]
    assert after["task1"].status == REJECTED
    assert "pays:found_cheat_1" in after["task1"].reasons
    assert "tracegym attack" in reason_says("pays:found_cheat_1")
    better = {one.task_id: one for one in verify_all(candidates(), stored, known=after, seen=seen)}
    assert better["task1"].status == ACCEPTED
    assert "found_cheat_1" in {probe["name"] for probe in better["task1"].probes}


def test_a_kept_attempt_that_does_the_job_by_now_proves_nothing() -> None:
    """Its end is a good one: the probe is void."""
    good = FoundCheat(
        app="shop",
        task_id="task1",
        task_version="v",
        kind=OTHER_END,
        did=("changes nothing",),
        actions=tuple(entry(1).solution),
        reward=1.0,
        share=1.0,
        policy="scripted",
    )
    stored = StoredWorld(app="shop", document=WorldDocument.from_json(world()))
    found = verify_all(candidates(), stored, known={}, seen=TaskKnowledge(found={"task1": [good]}))
    assert [one.status for one in found] == [ACCEPTED, ACCEPTED]
    assert [p["void"] for p in found[0].probes if p["name"] == "found_cheat_1"] == [True]


def test_a_file_of_cheats_is_read_as_it_was_written(tmp_path: Path) -> None:
    """And whatever else a file holds is refused with its line."""
    found = found_in(weak(tmp_path / "weak"))
    path = tmp_path / "found.jsonl"
    write_cheats(path, found)
    assert read_cheats(path) == found
    fine = found[0].to_json()
    for bad in (
        "no json",
        "[]",
        json.dumps({**fine, "kind": "clever"}),
        json.dumps({**fine, "actions": [{"role": "user", "content": "x"}]}),
        json.dumps({**fine, "actions": "x"}),
        json.dumps({**fine, "app": ""}),
    ):
        path.write_text(f"{json.dumps({**fine, 'kind': NOTHING_TOLD})}\n{bad}\n")
        with pytest.raises(InputError, match="line 2 is no found cheat"):
            read_cheats(path)
    with pytest.raises(InputError, match="cannot be read"):
        read_cheats(tmp_path / "absent.jsonl")
