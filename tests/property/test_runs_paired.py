"""Paired differences: the same with the other sign when swapped, nothing for equal runs, and intervals that cover the truth."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dagster_project.runs.paired_policies import EXACT, FEWEST, MONTE_CARLO, paired_difference

REWARDS = st.sampled_from((0.0, 0.25, 1 / 3, 0.5, 1.0))
PAIRS = st.lists(st.tuples(REWARDS, REWARDS), max_size=40)


@settings(max_examples=60, deadline=None)
@given(PAIRS)
def test_swapped_it_is_the_same_with_the_other_sign(pairs: list[tuple[float, float]]) -> None:
    """Whoever is called A, the same one is better by the same."""
    a, b = [x for x, _ in pairs], [y for _, y in pairs]
    one, other = paired_difference(a, b), paired_difference(b, a)
    assert (one.mean_a, one.mean_b) == (other.mean_b, other.mean_a)
    assert (one.a_more, one.b_more) == (other.b_more, other.a_more)
    assert (one.p_value, one.test, one.tasks) == (other.p_value, other.test, other.tasks)
    assert {"A": "B", "B": "A", "": ""}[one.better] == other.better
    if one.difference is not None and other.difference is not None:
        assert one.difference == pytest.approx(-other.difference)
    if (
        one.low is not None
        and one.high is not None
        and other.low is not None
        and other.high is not None
    ):
        assert one.low == pytest.approx(-other.high)
        assert one.high == pytest.approx(-other.low)


@settings(max_examples=30, deadline=None)
@given(st.lists(REWARDS, min_size=2, max_size=40))
def test_equal_runs_do_not_differ(rewards: list[float]) -> None:
    """No difference, an interval of nothing, luck for certain, and nobody is better."""
    found = paired_difference(rewards, rewards)
    assert (found.difference, found.low, found.high, found.p_value) == (0.0, 0.0, 0.0, 1.0)
    assert (found.differ, found.better, found.doubt) == (0, "", "no task tells them apart")


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from((-1.0, -0.5, 0.0, 0.25, 1.0)), min_size=1, max_size=9))
def test_the_exact_test_counts_every_choice_of_signs(steps: list[float]) -> None:
    """The same as going through them one by one, tasks without a difference included."""
    found = paired_difference([0.0 - min(s, 0.0) for s in steps], [max(s, 0.0) for s in steps])
    sums = [
        abs(sum(map(float.__mul__, signs, steps)))
        for signs in product((-1.0, 1.0), repeat=len(steps))
    ]
    reached = sum(one >= abs(sum(steps)) - 1e-9 for one in sums)
    assert found.test == EXACT
    assert found.p_value == pytest.approx(reached / len(sums))


@pytest.mark.parametrize("gain", [0.0, 0.2])
def test_the_interval_covers_the_truth_and_the_test_is_no_easy_one(gain: float) -> None:
    """Of 300 simulated comparisons of 40 tasks at least 90 % of the intervals hold the truth; without a gain at most 8 % claim one."""
    dice = np.random.default_rng(7)
    covered = claimed = 0
    for _ in range(300):
        hard = dice.uniform(0.1, 0.7, 40)
        a, b = dice.binomial(4, hard) / 4, dice.binomial(4, hard + gain) / 4
        found = paired_difference(a.tolist(), b.tolist())
        assert found.low is not None
        assert found.high is not None
        covered += found.low <= gain <= found.high
        claimed += bool(found.better)
    assert covered >= 270
    assert (claimed <= 24) if gain == 0 else (claimed >= 240)


def test_many_tasks_are_tested_with_drawn_signs() -> None:
    """Above 20 tasks that differ; the drawn p value is near the exact one of its neighbour."""
    exact = paired_difference([0.0] * 15 + [1.0] * 5, [1.0] * 15 + [0.0] * 5)
    drawn = paired_difference([0.0] * 16 + [1.0] * 5, [1.0] * 16 + [0.0] * 5)
    assert (exact.test, drawn.test) == (EXACT, MONTE_CARLO)
    assert exact.p_value == pytest.approx(0.0414, abs=0.0001)
    assert drawn.p_value == pytest.approx(0.0266, abs=0.006)
    assert drawn == paired_difference([0.0] * 16 + [1.0] * 5, [1.0] * 16 + [0.0] * 5)


def test_too_few_tasks_say_so() -> None:
    """Five tasks that all go one way prove nothing, six do; one has no interval, none has nothing."""
    five, six = (
        paired_difference([0.0] * n + [1.0] * 9, [1.0] * (n + 9)) for n in (FEWEST - 1, FEWEST)
    )
    assert (five.better, six.better) == ("", "B")
    assert "differ at 5 of 14 tasks" in five.doubt
    assert six.p_value == pytest.approx(2 / 64)
    one, none = paired_difference([0.0], [1.0]), paired_difference([], [])
    assert (one.difference, one.low, one.high, one.better) == (1.0, None, None, "")
    assert (none.difference, none.mean_a, none.p_value, none.better) == (None, None, None, "")


def test_an_interval_that_holds_0_tells_nothing() -> None:
    """Eight for A and twelve for B is what luck does."""
    found = paired_difference([1.0] * 8 + [0.0] * 12, [0.0] * 8 + [1.0] * 12)
    assert (found.better, found.doubt) == ("", "the interval holds 0")
