"""Trust levels: they rise by measured agreement only, and something always stays audited."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dagster_project.review.trust import (
    AUDIT,
    AUTOMATIC,
    BY_HAND,
    LEAST_REVIEWS,
    SAMPLED,
    audited,
    trust,
)
from dagster_project.tasks.shares import interval


@pytest.mark.parametrize(
    ("agreed", "reviewed", "level"),
    [
        (0, 0, BY_HAND),
        (9, 9, BY_HAND),
        (12, 12, SAMPLED),
        (35, 35, AUTOMATIC),
        (30, 40, BY_HAND),
        (37, 40, SAMPLED),
        (97, 100, AUTOMATIC),
    ],
)
def test_levels_follow_the_lower_end_of_the_interval(
    agreed: int, reviewed: int, level: str
) -> None:
    """Few reviews or many disagreements keep a rubric in hand; only a high lower end lets it go."""
    found = trust([True] * agreed + [False] * (reviewed - agreed))
    assert found.level == level
    assert found.audit == AUDIT[level]


@given(st.lists(st.booleans(), max_size=300))
def test_a_share_always_stays_audited(seen: list[bool]) -> None:
    """Whatever was seen, the interval holds the share, the audit is above 0, and the promise to the next level is kept."""
    found = trust(seen)
    low, high = interval(sum(seen), len(seen))
    assert found.audit > 0
    assert low <= (sum(seen) / len(seen) if seen else 0.5) <= high
    if found.next_at is not None:
        assert trust([*seen, *[True] * found.next_at]).level != found.level
        assert len(seen) + found.next_at >= LEAST_REVIEWS


@given(st.lists(st.booleans(), max_size=100))
def test_a_disagreement_never_raises_trust(seen: list[bool]) -> None:
    """One more disagreement does not lower the audited share while enough reviews are there."""
    order = [BY_HAND, SAMPLED, AUTOMATIC]
    before, after = trust(seen), trust([*seen, False])
    assert order.index(after.level) <= order.index(before.level)


def test_the_audited_share_is_drawn_by_id() -> None:
    """About the asked share of ids is drawn, always the same ones, and a larger share holds the smaller."""
    ids = [f"{number * 2654435761 % 2**32:08x}rest" for number in range(4000)]
    some = {one for one in ids if audited(one, 0.3)}
    more = {one for one in ids if audited(one, 0.6)}
    assert 0.25 < len(some) / len(ids) < 0.35
    assert some < more
    assert all(audited(one, 1.0) for one in [*ids, "no hex", ""])
