"""Two runs on the same tasks: what is paired, what is left out and told, and what null does to the verdict."""

from dataclasses import asdict
from pathlib import Path

from dagster_project.runs.comparison import (
    NO_CLUSTER,
    TaskFacts,
    Version,
    compare,
    known_of,
)
from dagster_project.runs.run import RunRow
from environments.runtime.task.task_set import TaskSet
from tests.environments_shop import write_shop

NOTHING: dict[Version, TaskFacts] = {}


def run(
    task: str,
    reward: float | None,
    *,
    version: str = "v1",
    seed: int = 0,
    at: int = 0,
    error: str | None = None,
    policy: str = "m",
) -> RunRow:
    """A rollout as a file or a lake holds it."""
    return RunRow(
        rollout_id=f"{task}-{version}-{policy}-{seed}",
        app="shop",
        policy=policy,
        task_id=task,
        task_version=version,
        seed=seed,
        reward=reward,
        reason="" if reward is not None else "not graded: total: unknown",
        started_at=at,
        error=error,
        cause="error"
        if error
        else "rewarded"
        if reward
        else "unknown_tool"
        if reward is None
        else "failed",
    )


def test_each_task_counts_once() -> None:
    """Four rollouts at one task are one mean; they do not outweigh another task's single one."""
    a = [run("t1", 0.0), run("t2", 0.0)]
    b = [*(run("t1", 1.0, seed=n) for n in range(4)), run("t2", 0.0)]
    found = compare(("a", a), ("b", b), NOTHING)
    assert (found.overall.tasks, found.overall.difference) == (2, 0.5)
    assert found.says().startswith("not enough tasks to tell: they differ at 1 of 2 tasks")


def test_every_task_that_is_not_compared_is_counted_once() -> None:
    """Only one side's, other versions, without a reward on one or both sides; broken runs are no rollouts."""
    a = [
        *(run("both", 1.0), run("only a", 1.0), run("version", 1.0), run("null a", None)),
        *(run("null b", 0.0), run("null", None), run("broke", None, error="no connection")),
    ]
    b = [
        *(run("both", 0.0), run("only b", 1.0), run("version", 1.0, version="v2")),
        *(run("null a", 1.0), run("null b", None), run("null", None), run("broke", 1.0)),
    ]
    found = compare(("a", a), ("b", b), NOTHING)
    assert found.overall.tasks == 1
    assert asdict(found.left) == {
        "only_a": 1,
        "only_b": 2,
        "other_version": 1,
        "ungraded_a": 1,
        "ungraded_b": 1,
        "ungraded_both": 1,
    }


def test_of_several_common_versions_the_last_tried_is_compared() -> None:
    """Whatever their names; with a task set, the one that it has."""
    a = [run("t", 1.0, version="x", at=1), run("t", 0.0, version="c", at=2)]
    b = [run("t", 1.0, version="x", at=1), run("t", 1.0, version="c", at=3)]
    found = compare(("a", a), ("b", b), NOTHING)
    assert (found.overall.tasks, found.overall.difference) == (1, 1.0)
    older = {Version("t", "x"): TaskFacts()}
    assert compare(("a", a), ("b", b), older, only_known=True).overall.difference == 0.0
    newer = {Version("t", "z"): TaskFacts()}
    left = compare(("a", a), ("b", b), newer, only_known=True).left
    assert (left.other_version, left.only_a, left.only_b) == (1, 0, 0)


def test_a_task_set_keeps_other_tasks_out() -> None:
    """They are neither compared nor counted as one side's."""
    a, b = [run("t", 1.0), run("other", 1.0)], [run("t", 1.0)]
    found = compare(("a", a), ("b", b), {Version("t", "v1"): TaskFacts()}, only_known=True)
    assert (found.overall.tasks, found.left.only_a) == (1, 0)


def test_by_split_and_cluster() -> None:
    """A line for each; tasks of no cluster are a line of their own, and without any cluster there is none."""
    a = [run(f"t{n}", 0.0) for n in range(4)]
    b = [run(f"t{n}", float(n < 2)) for n in range(4)]
    known = {
        Version(f"t{n}", "v1"): TaskFacts(
            split="train" if n < 2 else "held_out", cluster="c" * (n < 1)
        )
        for n in range(4)
    }
    found = compare(("a", a), ("b", b), known)
    assert {name: one.difference for name, one in found.splits.items()} == {
        "held_out": 0.0,
        "train": 1.0,
    }
    assert {name: one.tasks for name, one in found.clusters.items()} == {"c": 1, NO_CLUSTER: 3}
    assert compare(("a", a), ("b", b), NOTHING).clusters == {}


def test_null_that_decides_is_warned_of() -> None:
    """B looks better where it has a reward, and has none at every other task: with 0 there it is not."""
    a = [run(f"t{n}", 0.5) for n in range(20)]
    b = [run(f"t{n}", 1.0 if n < 8 else None) for n in range(20)]
    found = compare(("a", a), ("b", b), NOTHING)
    assert found.says().startswith("B is better than A: 0.500 more a task")
    assert found.null_as_zero.tasks == 20
    assert "null decides" in found.warns()
    assert found.reasons_a is not None
    assert found.reasons_b is not None
    assert (found.reasons_a.null_share, found.reasons_b.null_share) == (0.0, 0.6)


def test_swapped_the_other_one_is_better() -> None:
    """By the same, in the same words; and two runs of one policy are told apart."""
    a = [run(f"t{n}", 0.0) for n in range(12)]
    b = [run(f"t{n}", float(n < 9)) for n in range(12)]
    one, other = compare(("a", a), ("b", b), NOTHING), compare(("b", b), ("a", a), NOTHING)
    assert one.says().replace("B is better than A", "A is better than B") == other.says()
    assert (one.warns(), one.overall.better) == ("", "B")


def test_nothing_in_common_is_said_plainly() -> None:
    """Not a fault: there is nothing to tell."""
    found = compare(("a", [run("t1", 1.0)]), ("b", [run("t2", 1.0)]), NOTHING)
    assert found.says() == "not enough tasks to tell: no task has a reward of both"
    assert found.to_json()["rewards_a"] is None
    assert found.to_json()["overall"]["difference"] is None


def test_a_task_set_knows_its_versions(tmp_path: Path) -> None:
    """Every task by the version that it has there."""
    write_shop(tmp_path / "shop")
    opened = TaskSet.load(tmp_path / "shop")
    found = known_of(opened)
    assert set(found) == {Version(one.task_id, one.task_version) for one in opened.tasks}
