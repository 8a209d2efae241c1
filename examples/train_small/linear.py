"""A linear policy: which head comes next, and which value fills a place, each by a softmax over what could stand there.

Two tables of weights. `heads`: one column for each head, one row for each feature of the situation. `values`: one weight for
each feature of a candidate. Rows are found by a checksum of the feature's name, so nothing has to be counted beforehand.
"""

from dataclasses import dataclass, field
from functools import cache
from typing import Final, TypeAlias
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

HEAD_ROWS: Final = 1 << 14
VALUE_ROWS: Final = 1 << 17

Floats: TypeAlias = NDArray[np.float32]
Ints: TypeAlias = NDArray[np.int32]


@cache
def head_row(feature: str) -> int:
    """The row of a feature of the situation."""
    return crc32(feature.encode()) % HEAD_ROWS


def value_rows(traits: NDArray[np.int64], place: str) -> Ints:
    """The rows of a candidate's traits in a place."""
    mixed = (traits * 0x9E3779B1 + crc32(place.encode())) & 0xFFFFFFFF
    return ((mixed ^ (mixed >> 15)) % VALUE_ROWS).astype(np.int32)


@dataclass(frozen=True, slots=True)
class HeadChoice:
    """A head that was chosen, and in which situation."""

    rows: Ints
    allowed: Ints
    """Columns of the heads that could be chosen."""
    chosen: int
    """Place among them."""


@dataclass(frozen=True, slots=True)
class ValueChoice:
    """A value that was chosen, and out of which."""

    rows: Ints
    """Rows of all candidates' features, one candidate after the other."""
    starts: Ints
    """Where each candidate's begin."""
    chosen: int


Choice: TypeAlias = HeadChoice | ValueChoice


@dataclass(slots=True)
class Weights:
    """Everything that is learnt."""

    heads: Floats
    values: Floats = field(default_factory=lambda: np.zeros(VALUE_ROWS, np.float32))

    @classmethod
    def of(cls, count: int) -> "Weights":
        """Weights that prefer nothing."""
        return cls(np.zeros((HEAD_ROWS, count), np.float32))

    def copy(self) -> "Weights":
        """Weights of their own."""
        return Weights(self.heads.copy(), self.values.copy())

    def scores(self, choice: Choice) -> Floats:
        """A score for everything that could be chosen."""
        if isinstance(choice, HeadChoice):
            summed: Floats = self.heads[choice.rows].sum(axis=0)
            return summed[choice.allowed]
        return np.add.reduceat(self.values[choice.rows], choice.starts)

    def chances(self, choice: Choice) -> Floats:
        """How likely each is."""
        scores = self.scores(choice)
        raised: Floats = np.exp(scores - scores.max())
        shares: Floats = raised / raised.sum()
        return shares


@dataclass(slots=True)
class Climber:
    """Adagrad over both tables; rows that no choice touched stand still."""

    weights: Weights
    rate: float
    caution: float = 1e-12
    """What the squares start from: with more of it the first steps are smaller where the slope is."""
    _slope: Weights = field(init=False)
    _squares: Weights = field(init=False)
    _heads: list[Ints] = field(default_factory=list)
    _values: list[Ints] = field(default_factory=list)

    def __post_init__(self) -> None:
        count = self.weights.heads.shape[1]
        self._slope, self._squares = Weights.of(count), Weights.of(count)
        self._squares.heads += self.caution
        self._squares.values += self.caution

    def push(self, choice: Choice, push: float) -> float:
        """Make a choice likelier (less likely where the push is below 0) with the next step; its chance now."""
        chances = self.weights.chances(choice)
        pull = -push * chances
        pull[choice.chosen] += push
        if isinstance(choice, HeadChoice):
            spread = np.zeros(self._slope.heads.shape[1], np.float32)
            spread[choice.allowed] = pull
            self._slope.heads[choice.rows] += spread
            self._heads.append(choice.rows)
        else:
            sizes = np.diff(choice.starts, append=len(choice.rows))
            np.add.at(self._slope.values, choice.rows, np.repeat(pull, sizes))
            self._values.append(choice.rows)
        return float(chances[choice.chosen])

    def step(self) -> None:
        """Go up the slope, which is flat again afterwards."""
        for table, slope, squares, touched in (
            (self.weights.heads, self._slope.heads, self._squares.heads, self._heads),
            (self.weights.values, self._slope.values, self._squares.values, self._values),
        ):
            if not touched:
                continue
            rows = np.unique(np.concatenate(touched))
            here = slope[rows]
            squares[rows] += here * here
            table[rows] += self.rate * here / np.sqrt(squares[rows])
            slope[rows] = 0
            touched.clear()
