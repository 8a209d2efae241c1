"""When alike requests end differently because of what their users said: words that only the users of one end use.

In: what the episodes of two ends knew, and how users close who got what they wanted. Out: whether another episode ended
differently because its user said more. What a user might still have said is only ruled out for one who was heard out:
who closed with words that users of resolved requests close with. Not here: records (`conditions`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from synth.recordings.known_values import KnownValues
from synth.solutions.fillers.value_words import WORD, grams

CLOSED: Final = 3
"""Resolved episodes whose users closed with the same words."""
SAID_BY: Final = 3
"""Users of one end who said the same words."""
CHANCE: Final = 0.02
"""How probable it may be that words of one end's users are missing in all of another's by accident."""


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
