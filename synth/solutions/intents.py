"""Which requests are alike: resolved episodes whose users opened with the words that matter here.

In: openings with a name of how each ended. Out: neighbours by weighted words. A word weighs what it tells about the
end: greetings, names and ids tell nothing. Openings with the same words are compared once, and only with those that
share one of them. Not here: what the neighbours did.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from environments.runtime.values.grouping import by_key

WORD: Final = re.compile(r"(?<![\w@.-])[^\W\d_]+(?:['\u2019][^\W\d_]+)?(?![\w@-])")
NEAR: Final = 0.6
BEHIND: Final = 0.2
"""How much less alike than the nearest a neighbour may be."""
MOST: Final = 40
RARE: Final = 3
ROUNDING: Final = 1e-9
"""Floating point sums of likenesses are off by less; what lies so near to a bound is summed exactly."""

Bag = frozenset[str]
"""The words of an opening that tell something."""


class PlacedBags:
    """Bags of words by the words in them: the likeness of another bag to all of them costs what they share."""

    def __init__(self, bags: Iterable[Bag], weights: Mapping[str, float]) -> None:
        places = by_key((bag, place) for place, bag in enumerate(bags))
        self.kinds: Final = tuple(places)
        """The different bags, in the order in which they came first."""
        self.places: Final = tuple(places.values())
        """Per different bag, where it stood among all, in order."""
        self._weights = weights

    @cached_property
    def _postings(self) -> dict[str, NDArray[np.intp]]:
        """Per word, the different bags with it."""
        found: dict[str, list[int]] = defaultdict(list)
        for kind, bag in enumerate(self.kinds):
            for word in bag:
                found[word].append(kind)
        return {word: np.array(kinds, dtype=np.intp) for word, kinds in found.items()}

    @cached_property
    def _norms(self) -> NDArray[np.float64]:
        norms = np.array([norm_of(bag, self._weights) for bag in self.kinds], dtype=np.float64)
        # A bag that tells nothing shares no word with any other.
        return np.where(norms > 0, norms, 1.0)

    def likeness_to(self, bag: Bag) -> NDArray[np.float64]:
        """The likeness of one bag to each different one, but for `ROUNDING`."""
        shared = np.zeros(len(self.kinds))
        for word in bag & self._postings.keys():
            shared[self._postings[word]] += self._weights[word] ** 2
        return shared / (self._norms * (norm_of(bag, self._weights) or 1.0))

    def likeness(self, bag: Bag, kind: int) -> float:
        """The likeness of one bag to a different one."""
        return likeness_of(bag, self.kinds[kind], self._weights)


class Openings:
    """The openings of an app's resolved episodes."""

    def __init__(self, texts: Sequence[str], ends: Sequence[Hashable]) -> None:
        bags = [_words(text) for text in texts]
        self._weights = _telling(bags, ends)
        self._placed = self.place_bags(texts)
        self._ranked: dict[Bag, list[tuple[float, int]]] = {}

    def nearest_to(self, text: str, *, without: int | None = None) -> list[int]:
        """The nearest openings, at most `MOST`; `without` leaves one out."""
        scored = [
            entry for entry in self._ranked_nearest(self.telling_words(text)) if entry[1] != without
        ][:MOST]
        least = _least(scored)
        return [place for score, place in scored if score >= least]

    def telling_words(self, text: str) -> Bag:
        """The words of an opening that tell something: openings with the same ones have the same neighbours."""
        return frozenset(_words(text) & self._weights.keys())

    def place_bags(self, texts: Iterable[str]) -> PlacedBags:
        """Other openings, to look among them."""
        return PlacedBags(map(self.telling_words, texts), self._weights)

    def near_among(self, bag: Bag, others: PlacedBags) -> NDArray[np.intp]:
        """Which different bags of others are as near to this one as the nearest resolved ones may be."""
        least = _least(self._ranked_nearest(bag))
        about = others.likeness_to(bag)
        sure = about >= least + ROUNDING
        for kind in np.flatnonzero(np.abs(about - least) < ROUNDING):
            sure[kind] = others.likeness(bag, int(kind)) >= least
        return np.flatnonzero(sure)

    def _ranked_nearest(self, bag: Bag) -> list[tuple[float, int]]:
        """The likeness and place of the nearest openings, one more than are looked at; of equal ones the earlier first."""
        if bag not in self._ranked:
            about = self._placed.likeness_to(bag)
            kinds = np.flatnonzero(about >= NEAR - ROUNDING)
            kinds = kinds[np.argsort(-about[kinds], kind="stable")]
            found: list[tuple[float, int]] = []
            last = 0.0
            for kind in map(int, kinds):
                if len(found) > MOST and about[kind] < last - ROUNDING:
                    break
                last = float(about[kind])
                exact = self._placed.likeness(bag, kind)
                found += [(exact, place) for place in self._placed.places[kind][: MOST + 1]]
            self._ranked[bag] = sorted(found, key=lambda one: (-one[0], one[1]))[: MOST + 1]
        return self._ranked[bag]


def norm_of(bag: Bag, weights: Mapping[str, float]) -> float:
    """The length of a bag as a vector."""
    # Exact sums: sets have another order in every process, and ties would fall otherwise.
    return math.sqrt(math.fsum(weights[word] ** 2 for word in bag))


def likeness_of(one: Bag, other: Bag, weights: Mapping[str, float]) -> float:
    """The cosine of two bags; 0 where one tells nothing."""
    scale = norm_of(one, weights) * norm_of(other, weights)
    return math.fsum(weights[word] ** 2 for word in one & other) / scale if scale else 0.0


def _least(scored: Sequence[tuple[float, int]]) -> float:
    """How alike a neighbour must be, by the nearest."""
    return max(NEAR, scored[0][0] - BEHIND) if scored else NEAR


def _telling(bags: Sequence[Bag], ends: Sequence[Hashable]) -> dict[str, float]:
    """What each word tells about the end, beyond what chance tells: the root of its information."""
    count = len(bags)
    every = Counter(ends)
    chance = 2 * (len(every) - 1) / (2 * count) if count else 0.0
    whole = _disorder(every)
    said: dict[str, list[Hashable]] = defaultdict(list)
    for bag, end in zip(bags, ends, strict=True):
        for word in bag:
            said[word].append(end)
    weights: dict[str, float] = {}
    for word, with_it in said.items():
        spread = len(with_it)
        if spread < min(RARE, count):
            continue
        inside = Counter(with_it)
        outside = every - inside
        left = (spread * _disorder(inside) + (count - spread) * _disorder(outside)) / count
        told = whole - left - chance
        if told > 0 or whole == 0:
            weights[word] = math.sqrt(told) if whole else 1.0
    return weights


def _disorder(counts: Counter[Hashable]) -> float:
    total = counts.total()
    return -sum(n / total * math.log(n / total) for n in counts.values() if n) if total else 0.0


def _words(text: str) -> Bag:
    return frozenset(word.casefold() for word in WORD.findall(text))
