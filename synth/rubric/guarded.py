"""A source that is right only for users who say certain words: all lines of an order for "everything from".

In: resolved calls, and sources that are often wrong. Out: the same sources, each asked only where the user said words that
nobody said for whom it was wrong, and more users for whom it was right than accident explains. Not here: the sources.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from environments.runtime.attempt import Json
from synth.rubric.known import Example, Known
from synth.rubric.worded import grams

SAID_BY: Final = 4
"""Users who said a word and for whom the source is right."""
ACCIDENT: Final = 0.03
"""How probable it may be that the source is right for all of them by accident."""


class Source(Protocol):
    """One way to find an argument."""

    def find(self, known: Known, others: Sequence[Json]) -> Json:
        """The value; None where this source has nothing or too much to say."""
        ...


@dataclass(frozen=True, slots=True)
class Guarded:
    """A source, for users who say one of some words."""

    source: Source
    words: frozenset[str]

    def find(self, known: Known, others: Sequence[Json]) -> Json:
        """The source's value."""
        said = any(gram in self.words for turn in known.plain for gram in grams(turn))
        return self.source.find(known, others) if said else None


def guarded(
    examples: Sequence[Example], rights: Iterable[tuple[Source, Sequence[bool]]]
) -> Iterable[Guarded]:
    """The sources with words to ask for; `rights` says of which examples each is right."""
    said: dict[str, set[int]] = defaultdict(set)
    for index, example in enumerate(examples):
        for gram in {g for turn in example.known.plain for g in grams(turn)}:
            said[gram].add(index)
    for source, right in rights:
        share = sum(right) / len(right)
        words = frozenset(
            gram
            for gram, at in said.items()
            if len(at) >= SAID_BY and share ** len(at) <= ACCIDENT and all(right[i] for i in at)
        )
        if words:
            yield Guarded(source, words)
