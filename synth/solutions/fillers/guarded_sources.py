"""A source that is right only for users who say certain words: all lines of an order for "everything from".

In: resolved calls, and sources that are often wrong. Out: the same sources, each asked only where the user said words that
nobody said for whom it was wrong, and more users for whom it was right than accident explains. Not here: the sources.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from math import comb
from typing import Final, Protocol

from environments.runtime.task.attempt import Json
from synth.recordings.known_values import Example, KnownValues
from synth.solutions.fillers.value_words import grams

SAID_BY: Final = 4
"""Users who said a word and for whom the source is right."""
ACCIDENT: Final = 0.03
"""How probable it may be that the source is right for all of them by accident."""


class Source(Protocol):
    """One way to find an argument."""

    def find(self, known: KnownValues, others: Sequence[Json]) -> Json:
        """The value; None where this source has nothing or too much to say."""
        ...


@dataclass(frozen=True, slots=True)
class GuardedSource:
    """A source, for users who say one of some words."""

    source: Source
    words: frozenset[str]

    def find(self, known: KnownValues, others: Sequence[Json]) -> Json:
        """The source's value."""
        said = any(gram in self.words for turn in known.plain_turns for gram in grams(turn))
        return self.source.find(known, others) if said else None


def guard_sources(
    examples: Sequence[Example],
    tried: Iterable[tuple[Source, Sequence[bool]]],
    better: Sequence[Source] = (),
) -> Iterable[GuardedSource]:
    """The sources with words to ask for.

    `tried` says of which examples each is right; for whom a `better` source speaks, being right there proves nothing.
    """
    said: dict[str, set[int]] = defaultdict(set)
    for index, example in enumerate(examples):
        for gram in {g for turn in example.known.plain_turns for g in grams(turn)}:
            said[gram].add(index)
    silent = [all(s.find(e.known, e.others) is None for s in better) for e in examples]
    for source, right in tried:
        needed = [one and alone for one, alone in zip(right, silent, strict=True)]
        words = frozenset(
            gram
            for gram, at in said.items()
            if len(at) >= SAID_BY
            and all(right[i] for i in at)
            and (_no_accident(at, right) or _no_accident(at, needed))
        )
        if words:
            yield GuardedSource(source, words)


def _no_accident(at: Collection[int], of: Sequence[bool]) -> bool:
    """Whether so many drawn from all would hardly all be among these."""
    drawn = len(at)
    return all(of[i] for i in at) and comb(sum(of), drawn) <= ACCIDENT * comb(len(of), drawn)
