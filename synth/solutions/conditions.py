"""When alike requests end differently: one condition on the records that tells those ends apart.

In: what resolved episodes of two ends knew. Out: which end another episode belongs to, if every field that tells the two
apart perfectly says the same of it; else nothing. Dates count as days before the episode. Not here: who is alike.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from synth.recordings.known_values import Features, KnownValues

EACH: Final = 3
"""Resolved episodes of each end that a condition must rest on."""
SHARED: Final = 4
"""Resolved episodes whose common field counts as a reason."""
MOST: Final = 0.6


def side_of(
    one: KnownValues, first: Sequence[KnownValues], second: Sequence[KnownValues]
) -> bool | None:
    """Whether an episode belongs to the first of two ends; None where nobody can say."""
    if min(len(first), len(second)) < EACH:
        return None
    mine = one.features
    left, right = [k.features for k in first], [k.features for k in second]
    votes: set[bool] = set()
    for name, value in mine.items():
        a = [f[name] for f in left if name in f]
        b = [f[name] for f in right if name in f]
        if len(a) < EACH or len(b) < EACH or len(a) < 0.8 * len(left) or len(b) < 0.8 * len(right):
            continue
        vote = (
            _number_vote(value, a, b) if isinstance(value, float) else _text_vote(str(value), a, b)
        )
        if vote is not None:
            votes.add(vote)
    return next(iter(votes)) if len(votes) == 1 else None


def lacking(one: KnownValues, other: KnownValues, shared: Features) -> bool:
    """Whether another episode lacks what this one has, of what all of an end share: a reason to end otherwise that is not here."""
    mine, theirs = one.features, other.features
    return any(
        theirs.get(name, value) != value and mine.get(name) == value
        for name, value in shared.items()
    )


def differs(one: KnownValues, shared: Features) -> bool:
    """Whether an episode lacks what all of an end share."""
    mine = one.features
    return any(mine.get(name, value) != value for name, value in shared.items())


def shared_features(alike: Sequence[KnownValues]) -> Features:
    """Text fields that have one and the same value in all of them that have the field, and most do."""
    found: dict[str, list[str | float]] = defaultdict(list)
    for known in alike:
        for name, value in known.features.items():
            found[name].append(value)
    least = max(SHARED, MOST * len(alike))
    return {
        name: values[0]
        for name, values in found.items()
        if len(values) >= least and isinstance(values[0], str) and len(set(values)) == 1
    }


def _text_vote(value: str, a: Sequence[str | float], b: Sequence[str | float]) -> bool | None:
    if set(a) & set(b) or len(set(a)) > len(a) / 2 or len(set(b)) > len(b) / 2:
        return None
    return True if value in a else False if value in b else None


def _number_vote(value: float, a: Sequence[str | float], b: Sequence[str | float]) -> bool | None:
    low, high = [v for v in a if isinstance(v, float)], [v for v in b if isinstance(v, float)]
    if not low or not high:
        return None
    if max(low) < min(high):
        return True if value <= max(low) else False if value >= min(high) else None
    if max(high) < min(low):
        return False if value <= max(high) else True if value >= min(low) else None
    return None
