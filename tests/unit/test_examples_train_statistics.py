"""Before and after on the same requests: shares, intervals, and what luck would do."""

from __future__ import annotations

import pytest

from examples.train_grpo.statistics import paired, wilson


def test_wilson_is_the_published_interval() -> None:
    """81 of 263 gives 0.2553 to 0.3662 (Newcombe 1998, table I)."""
    low, high = wilson(81, 263)
    assert low == pytest.approx(0.2553, abs=1e-4)
    assert high == pytest.approx(0.3662, abs=1e-4)


def test_a_clear_gain_is_clear() -> None:
    """Twenty requests gained and none lost is no luck."""
    result = paired([False] * 20 + [True] * 20, [True] * 40)
    assert (result.gained, result.lost) == (20, 0)
    assert result.difference == 0.5
    assert result.difference_interval[0] > 0.3
    assert result.p_value == pytest.approx(2 / 2**20)


def test_no_change_is_no_evidence() -> None:
    """The same answers twice: no difference, and a p value of 1."""
    result = paired([True, False] * 10, [True, False] * 10)
    assert result.difference == 0
    assert result.p_value == 1
