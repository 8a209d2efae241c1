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
