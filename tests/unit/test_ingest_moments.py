"""Points in time from numbers and texts, whatever somebody wrote."""

from __future__ import annotations

import pytest

from ingest.records.moments import from_any


@pytest.mark.parametrize(
    "value",
    [13_846_361_207_279_626, 99_999_999_999_999, 2**63 - 1, "9999-12-31T00:00:00Z", "9" * 19],
)
def test_a_time_beyond_64_bits_is_no_time(value: object) -> None:
    """A column holds 64 bits: found by fuzzing, a time of the year 440000 stopped the decoder for good."""
    moment = from_any(value)
    assert moment is None or abs(moment) < 2**63
