"""Stored runs graded again: the same set changes nothing, a stricter rubric shows what it changes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from environments.regrade import StoredRun, regrade
from environments.runtime import TaskSet
from environments.runtime.play.environment import run_actions
from environments.runtime.task.candidate import Action
from environments.runtime.task.rubric import Check
from environments.runtime.values.canonical import rubric_hash
from tests.environments_shop import entry, say, world, write_shop


def stored(task_set: TaskSet, actions: Sequence[Action], *, task_id: str = "task1") -> StoredRun:
    """A run as a rollout stores it."""
    task = task_set.task(task_id)
    attempt = run_actions(task, task_set.world(task_id), actions)
    verdict = task_set.verdict(task_id, attempt)
    return StoredRun(
        rollout_id=f"{task_id}-{len(actions)}",
        app=task.app,
        task_id=task_id,
        task_version=task.task_version,
        policy="script",
        seed=0,
        trajectory=json.dumps([dict(m) for m in attempt.messages]),
        opening=attempt.opening,
        reward=verdict.reward,
        predicted=verdict.predicted,
    )


def opened(folder: Path, **changes: object) -> TaskSet:
    """The shop's task set."""
    write_shop(folder, **changes)
    return TaskSet.load(folder)


def test_the_same_rubric_gives_the_same_verdict(tmp_path: Path) -> None:
    """A good and an idle run keep their rewards, and the re-run is the stored run word for word."""
    shop = opened(tmp_path / "a")
    runs = [stored(shop, entry(1).solution), stored(shop, [say("Hello.")])]
    found = regrade(shop, runs)
    assert [one.verdict.reward for one in found.regraded] == [1.0, 0.0]
    assert [one.change for one in found.regraded] == ["same", "same"]
    assert all(one.same_run for one in found.regraded)


def test_a_stricter_rubric_takes_reward_away_and_is_named(tmp_path: Path) -> None:
    """After a check was added the same actions fail, and the verdict carries the new rubric's hash."""
    run = stored(opened(tmp_path / "a"), entry(1).solution)
    one = entry(1)
    strict = Check(check_id="silent", fn="calls_at_most", args={"most": 1}, required=True)
    rubric = replace(one.rubric, checks=(*one.rubric.checks, strict))
    shop = opened(tmp_path / "b", entries=[replace(one, rubric=rubric)])
    (again,) = regrade(shop, [run]).regraded
    assert (again.run.reward, again.verdict.reward, again.change) == (1.0, 0.0, "down")
    assert again.verdict.rubric == rubric_hash(rubric)
    assert again.verdict.task_version != run.task_version
    assert again.same_run


def test_another_world_makes_it_another_run(tmp_path: Path) -> None:
    """Where the changed world answers otherwise, the verdict is marked as one about another run."""
    run = stored(opened(tmp_path / "a"), entry(1).solution)
    other = world()
    other["tables"]["order"]["rows"]['["o1"]']["total"] = 99.0
    shop = opened(tmp_path / "b", worlds={"shop": other})
    (again,) = regrade(shop, [run]).regraded
    assert not again.same_run


def test_runs_that_cannot_be_graded_are_counted(tmp_path: Path) -> None:
    """A run of a task that is gone and one whose conversation is broken are counted, not lost in silence."""
    shop = opened(tmp_path / "a")
    good = stored(shop, entry(1).solution)
    broken = replace(good, trajectory="[1, 2")
    gone = replace(good, task_id="task9")
    found = regrade(shop, [good, broken, gone])
    assert (len(found.regraded), found.unreadable, found.gone) == (1, 1, 1)


def test_a_grade_that_is_lost_or_won_is_no_mere_difference(tmp_path: Path) -> None:
    """Null is a value of its own: masked and unmasked are told apart from up and down."""
    shop = opened(tmp_path / "a")
    good = stored(shop, entry(1).solution)
    (won,) = regrade(shop, [replace(good, reward=None)]).regraded
    (up,) = regrade(shop, [replace(good, reward=0.25)]).regraded
    assert (won.change, up.change) == ("unmasked", "up")
