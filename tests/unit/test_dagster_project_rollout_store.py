"""Rollouts in the lake: advantages over whole groups, whenever their members ran, and broken ones that were run again."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from dagster_project.lake.learnt_tables import ROLLOUTS
from dagster_project.lake.store import Lake
from dagster_project.rollouts.files import write_rollouts
from dagster_project.rollouts.store import finished_rollouts, keep, rewards_of, settle
from environments.rollout.rollout import Rollout

DAY = 86_400 * 10**9


def made(
    seed: int, reward: float | None, *, error: str | None = None, day: int = 20_000
) -> Rollout:
    """One rollout of one group."""
    return Rollout(
        app="shop",
        task_id="t",
        task_version="v",
        policy="p",
        seed=seed,
        task_set_version="s",
        reward=reward,
        predicted=reward,
        reason="",
        passed=0,
        graded=0,
        total=0,
        stop_reason="user_ended",
        error=error,
        trajectory="[]",
        opening=0,
        tools="[]",
        messages=1,
        calls=0,
        malformed=0,
        unknown=0,
        cause="error"
        if error
        else "unknown_tool"
        if reward is None
        else "rewarded"
        if reward
        else "failed",
        prompt_tokens=None,
        completion_tokens=None,
        cost=None,
        started_at=day * DAY,
        seconds=1.0,
    )


def advantages_in(lake: Lake) -> dict[int, float | None]:
    """By seed."""
    return {row["seed"]: row["advantage"] for row in lake.read(ROLLOUTS).to_pylist()}


def test_a_group_that_came_in_parts_has_the_advantages_of_the_whole(tmp_path: Path) -> None:
    """Two batches, two days, a run that went on later: as if all had been there at once."""
    lake = Lake(tmp_path)
    keep(lake, [made(0, 1.0), made(1, 1.0)])
    keep(lake, [made(2, 0.0, day=20_001), made(3, None)])
    assert set(advantages_in(lake).values()) == {None}
    assert settle(lake, ["shop"]) == 3
    once = advantages_in(lake)
    assert once == pytest.approx({0: 0.7071, 1: 0.7071, 2: -1.4142, 3: None}, abs=1e-4)
    assert settle(lake, ["shop"]) == 0
    keep(lake, [made(4, 0.0)])
    assert settle(lake, ["shop"]) == 4
    assert advantages_in(lake) == pytest.approx({0: 1.0, 1: 1.0, 2: -1.0, 3: None, 4: -1.0})


def test_a_broken_rollout_that_was_run_again_counts_once(tmp_path: Path) -> None:
    """Whatever the order of the rows, the one that ended is the one."""
    lake = Lake(tmp_path)
    keep(lake, [made(0, 1.0)])
    keep(lake, [made(0, None, error="no connection")])
    keep(lake, [made(1, None, error="no connection")])
    assert [row["reward"] for row in rewards_of(lake, "shop")["t"]] == [1.0]
    assert {key.seed for key in finished_rollouts(lake, ["shop"])} == {0}


def test_a_file_for_a_trainer_knows_the_whole_group(tmp_path: Path) -> None:
    """The second run's file has advantages against the first run's rollouts; broken ones are in plain rows only."""
    lake = Lake(tmp_path / "lake")
    keep(lake, [made(0, 1.0)])
    second = [made(1, 0.0), made(2, None, error="no connection")]
    keep(lake, second)
    write_rollouts(tmp_path / "a", second, "trl", lake)
    write_rollouts(tmp_path / "b", second, "rows", lake)
    write_rollouts(tmp_path / "c", [replace(second[0])], "chat", None)
    lines = [json.loads(line) for line in (tmp_path / "a").read_text().splitlines()]
    assert [(line["seed"], line["advantage"]) for line in lines] == [(1, -1.0)]
    assert len((tmp_path / "b").read_text().splitlines()) == 2
    assert json.loads((tmp_path / "c").read_text())["advantage"] == 0.0
