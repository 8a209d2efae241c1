"""How many people saw something, and how many make it everybody's.

In: places of the evidence. Out: counts. Judges nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from redact.bounds import A_SMALL_SHARE, SEVERAL
from redact.evidence.app_values import SUBJECTS_KEPT


def least_of(k: int, subjects: int, *, share: float = A_SMALL_SHARE) -> int:
    """Return how many subjects make a value of unknown text everybody's: one person may come back under several requests."""
    return min(SUBJECTS_KEPT, max(k, round(share * subjects)))


def enough_of(k: int, subjects: int) -> int:
    """Return how many subjects make a value under a key everybody's: k, of fewer than 3 k a third."""
    return min(k, max(SEVERAL, subjects // 3))


def subjects_of(places: Iterable[Mapping[str, list[int]]]) -> int:
    """Return how many subjects saw anything."""
    return len({subject for seen in places for listed in seen.values() for subject in listed})


def subjects_up_to(places: Iterable[Mapping[str, list[int]]], most: int) -> int:
    """Return how many subjects saw anything, or `most` of them: where more say no more, the count ends there."""
    had: set[int] = set()
    for seen in places:
        for listed in seen.values():
            had.update(listed)
            if len(had) >= most:
                return most
    return len(had)
