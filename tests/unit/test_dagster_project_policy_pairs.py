"""The report compares every two policies of an app on the tasks that both tried."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from dagster_project.lake.store import Lake
from dagster_project.rollouts.store import keep
from dagster_project.runs.policy_pairs import MOST_POLICIES, comparison_rows
from tests.unit.test_dagster_project_rollout_store import DAY, made


def keep_runs(clean: Path, policy: str, rewards: Sequence[float | None], *, day: int) -> None:
    """One rollout at each task."""
    run = [
        replace(made(0, reward), task_id=f"t{number}", policy=policy, started_at=day * DAY)
        for number, reward in enumerate(rewards)
    ]
    keep(Lake(clean / "lake"), run)


def test_two_policies_stand_side_by_side_with_what_cannot_be_told(tmp_path: Path) -> None:
    """The one that was run first is A, though its name comes later; runs without a reward are counted."""
    keep_runs(tmp_path, "old", [0.0] * 12, day=20_000)
    keep_runs(tmp_path, "new", [*[1.0] * 10, 0.0, None], day=20_001)

    (row,) = comparison_rows(tmp_path)

    assert (row.app, row.a, row.b, row.tasks) == ("shop", "old", "new", 11)
    assert row.low is not None
    assert row.low > 0
    assert (row.null_a, row.null_b) == ((0, 12), (1, 12))
    assert row.says.startswith("B is better than A")


def test_few_tasks_tell_nothing_and_one_policy_is_not_compared(tmp_path: Path) -> None:
    """The sentence says so; without a second policy there is no row."""
    keep_runs(tmp_path, "old", [0.0, 0.0], day=20_000)
    assert list(comparison_rows(tmp_path)) == []
    keep_runs(tmp_path, "new", [1.0, 0.0], day=20_001)
    (row,) = comparison_rows(tmp_path)
    assert row.says.startswith("not enough tasks to tell")


def test_of_many_policies_the_last_are_paired(tmp_path: Path) -> None:
    """Nobody reads the pairs of twenty checkpoints."""
    for number in range(MOST_POLICIES + 2):
        keep_runs(tmp_path, f"p{number}", [0.0], day=20_000 + number)
    found = list(comparison_rows(tmp_path))
    assert len(found) == MOST_POLICIES * (MOST_POLICIES - 1) // 2
    assert {row.a for row in found} | {row.b for row in found} == {
        f"p{number}" for number in range(2, MOST_POLICIES + 2)
    }
