"""The level of a policy: learnt from what it tried, told of what it did not."""

from __future__ import annotations

import pytest

from dagster_project.difficulty.pass_rates import Estimate, TaskDifficulty, rate_of
from dagster_project.difficulty.policy_level import level, shift_estimate
from dagster_project.difficulty.report import in_band


def task(name: str, expected: float | None, rewards: list[float] | None = None) -> TaskDifficulty:
    """One task with an estimate and a policy's rewards."""
    estimate = expected and Estimate(rate=expected, low=0.0, high=1.0, attempts=4)
    return TaskDifficulty(
        task_id=name,
        task_version="1",
        production=rate_of([]),
        policies={"p": rate_of(rewards)} if rewards is not None else {},
        steps=3,
        estimate=estimate or None,
    )


def test_a_policy_of_productions_level_moves_nothing() -> None:
    """As often solved as expected: no shift; and none for a policy that tried nothing, or only what has no estimate."""
    even = [task(f"t{i}", 0.5, [1.0, 0.0] * 4) for i in range(5)]
    assert level(even, "p") == pytest.approx(0.0)
    assert level(even, "other") == 0.0
    assert level([task("x", None, [1.0] * 8)], "p") == 0.0
    assert shift_estimate(0.37, 0.0) == 0.37


def test_a_better_policy_is_expected_to_do_better_and_keeps_the_order() -> None:
    """Many rollouts move the level to what was seen; few hardly do."""
    seen = [task(f"t{i}", 0.4, [1.0] * 6 + [0.0] * 2) for i in range(20)]
    shift = level(seen, "p")
    assert shift_estimate(0.4, shift) == pytest.approx(0.75, abs=0.02)
    assert (
        0.2
        < shift_estimate(0.2, shift)
        < shift_estimate(0.4, shift)
        < shift_estimate(0.6, shift)
        < 1.0
    )
    assert 0.4 < shift_estimate(0.4, level(seen[:1], "p")) < 0.65


@pytest.mark.parametrize("reward", [0.0, 1.0])
def test_a_policy_that_always_or_never_succeeds_has_a_finite_level(reward: float) -> None:
    """No estimate says never or always."""
    shift = level([task(f"t{i}", 0.5, [reward] * 16) for i in range(50)], "p")
    assert 0.0 < shift_estimate(0.5, shift) < 1.0
    assert 0.0 < shift_estimate(0.99, shift) < 1.0


def test_the_band_goes_by_the_policys_level() -> None:
    """A task that a strong policy did not try, and that production found middling, is too easy for it."""
    seen = [task(f"t{i}", 0.4, [1.0] * 16) for i in range(20)]
    fresh = task("fresh", 0.5)
    assert "fresh" in in_band([fresh], (0.02, 0.8), "p")
    assert "fresh" not in in_band([*seen, fresh], (0.02, 0.8), "p")
    assert "fresh" in in_band([*seen, fresh], (0.02, 0.8))
