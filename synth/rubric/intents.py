"""Which requests are alike: resolved episodes whose users opened with the words that matter here.

In: openings with a name of how each ended. Out: neighbours by weighted words. A word weighs what it tells about the
end: greetings, names and ids tell nothing. Not here: what the neighbours did.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import Final

WORD: Final = re.compile(r"(?<![\w@.-])[^\W\d_]+(?:['\u2019][^\W\d_]+)?(?![\w@-])")
NEAR: Final = 0.6
BEHIND: Final = 0.2
"""How much less alike than the nearest a neighbour may be."""
MOST: Final = 40
RARE: Final = 3


class Openings:
    """The openings of an app's resolved episodes."""

    def __init__(self, texts: Sequence[str], ends: Sequence[Hashable]) -> None:
        bags = [_words(text) for text in texts]
        self._weights = _telling(bags, ends)
        self._bags = [self._kept(bag) for bag in bags]

    def near(self, text: str, *, without: int | None = None) -> list[int]:
        """The nearest openings; `without` leaves one out."""
        scored = self._scored(text, without)
        least = _least(scored)
        return [-i for score, i in scored[:MOST] if score >= least]

    def placed(self, texts: Iterable[str]) -> list[frozenset[str]]:
        """Other openings by the words that tell, to look among them."""
        return [self._kept(_words(text)) for text in texts]

    def near_among(self, text: str, others: Sequence[frozenset[str]]) -> list[int]:
        """Which of some other openings are as near as the nearest resolved ones may be."""
        least = _least(self._scored(text, None))
        mine = self._kept(_words(text))
        return [i for i, bag in enumerate(others) if self._likeness(mine, bag) >= least]

    def _scored(self, text: str, without: int | None) -> list[tuple[float, int]]:
        mine = self._kept(_words(text))
        return sorted(
            ((self._likeness(mine, bag), -i) for i, bag in enumerate(self._bags) if i != without),
            reverse=True,
        )

    def _kept(self, bag: frozenset[str]) -> frozenset[str]:
        return bag & self._weights.keys()

    def _likeness(self, one: frozenset[str], other: frozenset[str]) -> float:
        def norm(bag: frozenset[str]) -> float:
            return math.sqrt(math.fsum(self._weights[w] ** 2 for w in bag))

        scale = norm(one) * norm(other)
        # Exact sums: sets have another order in every process, and ties would fall otherwise.
        return math.fsum(self._weights[w] ** 2 for w in one & other) / scale if scale else 0.0


def _least(scored: Sequence[tuple[float, int]]) -> float:
    """How alike a neighbour must be, by the nearest."""
    return max(NEAR, scored[0][0] - BEHIND) if scored else NEAR


def _telling(bags: Sequence[frozenset[str]], ends: Sequence[Hashable]) -> dict[str, float]:
    """What each word tells about the end, beyond what chance tells: the root of its information."""
    count = len(bags)
    chance = 2 * (len(set(ends)) - 1) / (2 * count) if count else 0.0
    whole = _disorder(Counter(ends))
    weights: dict[str, float] = {}
    for word, spread in Counter(word for bag in bags for word in bag).items():
        if spread < min(RARE, count):
            continue
        inside = Counter(end for bag, end in zip(bags, ends, strict=True) if word in bag)
        outside = Counter(ends) - inside
        left = (spread * _disorder(inside) + (count - spread) * _disorder(outside)) / count
        told = whole - left - chance
        if told > 0 or whole == 0:
            weights[word] = math.sqrt(told) if whole else 1.0
    return weights


def _disorder(counts: Counter[Hashable]) -> float:
    total = counts.total()
    return -sum(n / total * math.log(n / total) for n in counts.values() if n) if total else 0.0


def _words(text: str) -> frozenset[str]:
    return frozenset(word.casefold() for word in WORD.findall(text))
