"""The rollout record: its table row, its identity, and group-relative advantages."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from environments.rollout.rollout import ROLLOUT_SCHEMA, Rollout, advantages

ROLLOUT = Rollout(
    app="shop",
    task_id="t",
    task_version="v",
    policy="p",
    seed=0,
    task_set_version="s",
    reward=1.0,
    predicted=None,
    reason="",
    passed=1,
    graded=1,
    total=2,
    stop_reason="limit",
    trajectory="[]",
    opening=0,
    tools="[]",
    messages=1,
    calls=0,
    malformed=0,
    cause="rewarded",
    unknown=0,
    prompt_tokens=None,
    completion_tokens=3,
    cost=None,
    started_at=86_400_000_000_000,
    seconds=0.5,
)


def group(*rewards: float | None) -> list[Rollout]:
    """Rollouts of one task by one policy."""
    return [replace(ROLLOUT, seed=i, reward=reward) for i, reward in enumerate(rewards)]


def test_rows_fit_the_table() -> None:
    """Every column is filled, and nothing is left over."""
    row = ROLLOUT.to_row(0.5)
    assert set(row) == set(ROLLOUT_SCHEMA.names)
    table = pa.Table.from_pylist([row, replace(ROLLOUT, reward=None).to_row()], ROLLOUT_SCHEMA)
    assert table.column("reward").to_pylist() == [1.0, None]
    assert table.column("day").to_pylist() == ["1970-01-02"] * 2


def test_identity_is_task_version_policy_and_seed() -> None:
    """Another seed is another rollout of the same group; another version another group."""
    other = replace(ROLLOUT, seed=1, reward=0.0)
    assert other.rollout_id != ROLLOUT.rollout_id
    assert other.group_id == ROLLOUT.group_id
    assert replace(ROLLOUT, task_version="w").group_id != ROLLOUT.group_id
    assert replace(ROLLOUT, reward=0.0).rollout_id == ROLLOUT.rollout_id


def test_advantages_are_relative_to_the_group() -> None:
    """The mean is 0 and the deviation 1; a rollout without a reward has none and moves nobody."""
    rollouts = group(1.0, 0.0, None, 0.0, 1.0)
    found = advantages(rollouts)
    assert [found[r.rollout_id] for r in rollouts] == [1.0, -1.0, None, -1.0, 1.0]


def test_a_failure_that_is_known_counts_where_it_is_asked_for() -> None:
    """A run without a reward that the user would call unresolved is a 0 of its group; one that may be resolved, or broke, is not."""
    won, lost, open_one, broken = group(1.0, None, None, None)
    lost, open_one = replace(lost, predicted=0.0), replace(open_one, predicted=1.0)
    broken = replace(broken, predicted=0.0, error="no connection")
    found = advantages([won, lost, open_one, broken], known_failures=True)
    assert [found[r.rollout_id] for r in (won, lost, open_one, broken)] == [1.0, -1.0, None, None]


@pytest.mark.parametrize("rewards", [(1.0, 1.0, 1.0), (0.0,), (0.5, None)])
def test_a_group_without_spread_teaches_nothing(rewards: tuple[float | None, ...]) -> None:
    """Equal rewards have advantage 0."""
    found = advantages(group(*rewards))
    assert {v for v in found.values() if v is not None} == {0.0}


def test_groups_do_not_mix() -> None:
    """Another policy's rollouts do not change a group's mean."""
    others = [replace(r, policy="q") for r in group(0.0, 0.0, 0.0, 0.0)]
    rollouts = group(1.0, 0.0)
    assert advantages(rollouts + others)[rollouts[0].rollout_id] == 1.0


@given(st.lists(st.none() | st.floats(0, 1), min_size=1, max_size=20))
def test_advantages_are_normalised(rewards: list[float | None]) -> None:
    """Whatever the rewards, graded advantages sum to 0 and have deviation 1 or 0, and nulls stay null."""
    rollouts = group(*rewards)
    found = [advantages(rollouts)[r.rollout_id] for r in rollouts]
    assert [v is None for v in found] == [r is None for r in rewards]
    graded = [v for v in found if v is not None]
    assert abs(sum(graded)) < 1e-6 * max(1, len(graded))
    spread = sqrt(sum(v * v for v in graded) / len(graded)) if graded else 0
    assert spread == pytest.approx(1, abs=1e-6) or spread == 0
