"""Agreement on attempts left out: figures with intervals, by hand and on the lending desk's recordings."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dagster_project.tasks.agreement import HeldOut, by_cluster, figures_of, kappa_of


def one(
    resolved: bool,
    predicted: float | None,
    task: str = "t1",
    number: int = 0,
    *,
    witness: bool = True,
) -> HeldOut:
    """One attempt that was left out."""
    return HeldOut(
        episode_id=f"{task}-{number}",
        task_id=task,
        resolved=resolved,
        predicted=predicted,
        witness=witness,
    )


def test_figures_of_a_table_by_hand() -> None:
    """Two right, one false pass, one false fail, one not graded."""
    found = figures_of(
        [one(True, 1.0), one(False, 0.0), one(False, 1.0), one(True, 0.2), one(True, None)]
    )
    assert (found.episodes, found.graded, found.agreed) == (5, 4, 2)
    assert (found.false_pass, found.false_fail, found.abstained) == (1, 1, 1)
    assert found.kappa == 0.0
    assert found.low < 0.5 < found.high


def test_no_error_proves_little() -> None:
    """Thirty right of thirty: the interval says how little that is, and kappa has none."""
    found = figures_of([one(n % 2 == 0, float(n % 2 == 0), f"t{n}") for n in range(30)])
    assert found.kappa == 1.0
    assert 0.85 < found.low < 0.9
    assert 0.1 < found.false_pass_high < 0.12
    assert (found.kappa_low, found.kappa_high) == (None, None)


def test_kappa_is_unknown_where_there_is_only_one_answer() -> None:
    """All resolved, all said resolved: chance alone explains it."""
    assert kappa_of([one(True, 1.0), one(True, 1.0)]) is None
    assert kappa_of([]) is None
    assert figures_of([]).kappa is None


def test_the_interval_of_kappa_draws_tasks_not_attempts() -> None:
    """Ten tasks of three like attempts are ten pieces of evidence: the interval is wide, and the same every time."""
    rows = [
        one(t % 2 == 0, float((t % 2 == 0) != (t == 9)), f"t{t}", n)
        for t in range(10)
        for n in range(3)
    ]
    found, again = figures_of(rows), figures_of(reversed(rows))
    assert found.kappa == pytest.approx(0.8)
    assert found.kappa_low is not None
    assert found.kappa_high is not None
    assert found.kappa_low < 0.6
    assert found.kappa_high > 0.8
    assert (again.kappa_low, again.kappa_high) == (found.kappa_low, found.kappa_high)


def test_clusters_hold_the_attempts_at_their_tasks() -> None:
    """Largest first; tasks of no cluster are in none."""
    rows = [
        one(True, 1.0, "t1"),
        one(True, 1.0, "t2"),
        one(False, 0.0, "t2", 1),
        one(True, 1.0, "t3"),
    ]
    found = by_cluster(rows, {"t1": "late", "t2": "lost"})
    assert [(name, len(group)) for name, group in found.items()] == [("lost", 2), ("late", 1)]


@given(st.lists(st.tuples(st.booleans(), st.sampled_from([None, 0.0, 1.0]), st.integers(0, 5))))
def test_the_parts_add_up(rows: Sequence[tuple[bool, float | None, int]]) -> None:
    """Whatever the attempts: counts add up, and every interval holds its figure."""
    found = figures_of(one(r, p, f"t{t}", n) for n, (r, p, t) in enumerate(rows))
    assert found.agreed + found.false_pass + found.false_fail == found.graded
    assert found.graded + found.abstained == found.episodes == len(rows)
    if found.graded:
        assert found.low <= found.agreed / found.graded <= found.high
        assert found.false_pass / found.graded <= found.false_pass_high
