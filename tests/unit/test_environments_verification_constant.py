"""What a set may pay policies that do the same at every task, whatever it is."""

from __future__ import annotations

import pytest

from environments.verification.constant import MOST_MEAN, surplus


@pytest.mark.parametrize(
    ("paid", "graded", "held"),
    [
        ({}, {}, set()),
        ({"a": ["t1", "t2"]}, {"a": 30}, {"t1", "t2"}),
        ({"a": ["t1", "t2"]}, {"a": 100}, set()),
        ({"a": ["t1", "t2"]}, {"a": 99}, {"t2"}),
        ({"a": ["t1", "t2"], "b": ["t2"]}, {"a": 102, "b": 51}, set()),
        ({"a": ["t1", "t2"], "b": ["t3"]}, {"a": 300, "b": 20}, {"t3"}),
    ],
)
def test_a_set_pays_constant_policies_at_most_two_per_cent(
    paid: dict[str, list[str]], graded: dict[str, int], held: set[str]
) -> None:
    """What is over is held back, the same tasks every time, and no more than needed."""
    found = surplus(paid, graded)
    assert found == held
    for name, tasks in paid.items():
        left = len(set(tasks) - found)
        assert left <= MOST_MEAN * max(1, graded[name] - len(set(tasks) & found))


@pytest.mark.parametrize(("earned", "held"), [(0.0, 8), (0.1, 8), (0.2, 6), (0.4, 2), (0.5, 0)])
def test_a_set_pays_them_at_most_a_fifth_of_what_recorded_attempts_earned(
    earned: float, held: int
) -> None:
    """Of a hundred tasks nine are rightly handed over: where production resolves every second attempt, nobody is drawn to that."""
    paid = {"constant_hands_over": [f"t{n}" for n in range(9)]}
    assert len(surplus(paid, {"constant_hands_over": 100}, earned=earned)) == held
