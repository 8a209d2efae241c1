"""When alike requests end differently: which of the ends another episode belongs to, by its records and by what its user said.

In: what the episodes of two ends knew. Out: by records, an end that every field which tells the two apart perfectly says; by words,
whether the user said more than the users of the other end. What a user might still have said is only ruled out for one who was heard
out: who closed with words that users of resolved requests close with. Dates count as days before the episode. Not here: who is alike.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from synth.recordings.known_values import Features, KnownValues
from synth.solutions.fillers.value_words import WORD, grams

EACH: Final = 3
"""Resolved episodes of each end that a condition must rest on."""
SHARED: Final = 4
"""Resolved episodes whose common field counts as a reason."""
MOST: Final = 0.6
CLOSED: Final = 3
"""Resolved episodes whose users closed with the same words."""
SAID_BY: Final = 3
"""Users of one end who said the same words."""
CHANCE: Final = 0.02
"""How probable it may be that words of one end's users are missing in all of another's by accident."""


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


@dataclass(frozen=True, slots=True)
class UserWords:
    """The neighbouring words of one user."""

    opening: frozenset[str]
    all: frozenset[str]
    heard_out: bool


class Wordings:
    """What users say, and how they close."""

    def __init__(self, resolved: Sequence[KnownValues]) -> None:
        closing = Counter(_closing(known) for known in resolved)
        self._closings = frozenset(
            words for words, count in closing.items() if words and count >= CLOSED
        )
        self._spoken: dict[int, tuple[KnownValues, UserWords]] = {}

    def words_of(self, known: KnownValues) -> UserWords:
        """One user's words; kept, as every episode is compared with many."""
        found = self._spoken.get(id(known))
        if found is None:
            turns = [frozenset(grams(turn)) for turn in known.plain_turns]
            spoken = UserWords(
                turns[0] if turns else frozenset(),
                frozenset[str]().union(*turns),
                _closing(known) in self._closings,
            )
            # The record is kept beside its words, so that its place in memory is not given to another one.
            found = self._spoken[id(known)] = (known, spoken)
        return found[1]

    def telling(self, mine: Iterable[KnownValues], theirs: Sequence[KnownValues]) -> frozenset[str]:
        """Words that several users of the second end said and none of the first, beyond accident."""
        first = [self.words_of(known).all for known in mine]
        second = Counter(gram for known in theirs for gram in self.words_of(known).all)
        said = frozenset[str]().union(*first)
        return frozenset(
            gram
            for gram, count in second.items()
            if count >= SAID_BY
            and gram not in said
            and (1 - count / (len(theirs) + 1)) ** len(first) <= CHANCE
        )

    def claims(
        self, one: KnownValues, mine: Sequence[KnownValues], theirs: Sequence[KnownValues]
    ) -> bool:
        """Whether this user said words that tell the first of two ends: several of its users did and nobody of the second."""
        return bool(self.telling(theirs, mine) & self.words_of(one).all)

    def explains(self, telling: frozenset[str], one: KnownValues, other: KnownValues) -> bool:
        """Whether another user said telling words that this one did not, and would have by now."""
        mine, theirs = self.words_of(one), self.words_of(other)
        if telling & mine.all:
            return False
        return bool(telling & (theirs.all if mine.heard_out else theirs.opening))


def _closing(known: KnownValues) -> str:
    return " ".join(WORD.findall(known.plain_turns[-1])) if known.plain_turns else ""
