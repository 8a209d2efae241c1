"""How many new numbers an honest attempt at a task may tell, from how far resolved attempts at one task differ.

In: the facts of all attempts by task. Out: the most numbers for a task where a fact is to be told. Who answers in other
words tells about as many as others did; who tells everything hopes that the answer is among it. Not here: the check
itself (`caps`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from environments.runtime.values.grouping import by_key
from synth.recordings.attempt_facts import Facts

NUMBERS: Final = 20
SLACK: Final = 2
"""How many times what resolved attempts needed is still fine, or so many numbers in all, whichever is more."""
COMPARED: Final = 8
"""Attempts from which the largest difference seen is taken for the app's."""
SPARE: Final = 3
"""New numbers beyond the largest difference seen."""


@dataclass(frozen=True, slots=True)
class AmountSpread:
    """By how much an attempt may exceed what known resolved attempts at the same task told."""

    more: int = 8
    times: int = 5
    """Where too few attempts were compared: resolved retail conversations told up to 4.25 times as many as others."""

    def most_told(self, told: int) -> int:
        """New numbers that are still fine where resolved attempts told so many."""
        return min(max(NUMBERS, SLACK * told), max(told + self.more, self.times * told))


def spread_of(groups: Iterable[Sequence[Facts]]) -> AmountSpread:
    """What this app's resolved attempts show; a cautious default where few can be compared."""
    seen = [more for group in groups for more in _differences(group)]
    return AmountSpread(SPARE + max(seen), SLACK) if len(seen) >= COMPARED else AmountSpread()


def _differences(group: Sequence[Facts]) -> list[int]:
    """For each resolved attempt at an end whose others all tell a fact: how much more it told than they did."""
    ends = by_key((attempt.end_key, attempt) for attempt in group if attempt.resolved)
    found = []
    for good in ends.values():
        for one in good if len(good) > 1 else ():
            others = [a for a in good if a is not one]
            if frozenset.intersection(*(a.answers for a in others)):
                found.append(max(0, one.total_told - max(a.total_told for a in others)))
    return found
