"""Before and after on the same requests: shares, intervals, and what luck would do."""

from __future__ import annotations

import pytest

from examples.train_grpo.statistics import paired


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
