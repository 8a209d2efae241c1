"""Trust: how far a rubric may be left alone, by how often people agreed with it where they looked.

Comes in: for each reviewed episode whether the rubric's prediction is what the reviewer says. Goes out: a level, the
figures behind it, and the share that stays audited. Levels rise by measured agreement only, and fall the same way.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from dagster_project.tasks.shares import interval

BY_HAND: Final = "by hand"
SAMPLED: Final = "sampled"
AUTOMATIC: Final = "automatic"

LEAST_REVIEWS: Final = 10
"""Below this many reviewed episodes nothing is trusted, whatever the agreement."""
SAMPLED_FROM: Final = 0.75
AUTOMATIC_FROM: Final = 0.9
"""Lower ends of the 95 % interval of the agreement."""
AUDIT: Final = {BY_HAND: 1.0, SAMPLED: 0.3, AUTOMATIC: 0.05}
"""The share of tasks that a person looks at, by level; never 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trust:
    """How far the rubrics of one group are trusted."""

    level: str
    reviewed: int
    agreed: int
    low: float
    """Lower end of the 95 % interval of the agreement (Wilson)."""
    high: float
    audit: float
    """The share of its tasks that stays audited."""
    next_at: int | None
    """Reviewed episodes, all agreeing from now on, until the next level; None at the highest."""


def trust(agreements: Iterable[bool]) -> Trust:
    """The trust that these comparisons of reviewer and rubric carry."""
    seen = list(agreements)
    agreed, reviewed = sum(seen), len(seen)
    low, high = interval(agreed, reviewed)
    level = _level(reviewed, low)
    return Trust(
        level=level,
        reviewed=reviewed,
        agreed=agreed,
        low=low,
        high=high,
        audit=AUDIT[level],
        next_at=_until_next(agreed, reviewed, level),
    )


def audited(task_id: str, share: float) -> bool:
    """Whether a task is in the audited share: by its id, so that the choice is the same for everybody and every day."""
    drawn = int(task_id[:8], 16) if _is_hex(task_id[:8]) else sum(task_id.encode()) << 20
    return (drawn % 10_000) / 10_000 < share


def _level(reviewed: int, low: float) -> str:
    if reviewed < LEAST_REVIEWS or low < SAMPLED_FROM:
        return BY_HAND
    return AUTOMATIC if low >= AUTOMATIC_FROM else SAMPLED


def _until_next(agreed: int, reviewed: int, level: str) -> int | None:
    if level == AUTOMATIC:
        return None
    more = 0
    while _level(reviewed + more, interval(agreed + more, reviewed + more)[0]) == level:
        more += 1
    return more


def _is_hex(text: str) -> bool:
    return len(text) == 8 and all(c in "0123456789abcdef" for c in text)
