"""The trend of a cluster: failures per day, and whether it is new, growing, steady, fading or quiet.

Days in, counts and one word out. Compares the last seven days that the app has data for with the seven before them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

WINDOW: Final = 7
_RATIO: Final = 1.5
_ENOUGH: Final = 5
"""Below this many failures in both windows together, a ratio says nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DayCount:
    """Failures of one day."""

    day: str
    count: int


def trend_of(days: Iterable[str]) -> tuple[DayCount, ...]:
    """Failures per day, in order; days without any are left out."""
    return tuple(DayCount(day=day, count=n) for day, n in sorted(Counter(days).items()))


def movement_of(trend: tuple[DayCount, ...], *, first: str, last: str) -> str:
    """One word for the trend; empty while the app has less than two windows of data, `first` to `last`."""
    if date.fromisoformat(last) - date.fromisoformat(first) < timedelta(days=2 * WINDOW - 1):
        return ""
    now = _count_within(trend, last, 0)
    before = _count_within(trend, last, WINDOW)
    if now == 0:
        return "quiet"
    if trend[0].day > _shifted(last, WINDOW):
        return "new"
    if now + before < _ENOUGH:
        return "steady"
    if now >= _RATIO * before:
        return "growing"
    return "fading" if before >= _RATIO * now else "steady"


def _count_within(trend: tuple[DayCount, ...], last: str, back: int) -> int:
    start, end = _shifted(last, back + WINDOW), _shifted(last, back)
    return sum(point.count for point in trend if start < point.day <= end)


def _shifted(day: str, back: int) -> str:
    return (date.fromisoformat(day) - timedelta(days=back)).isoformat()
