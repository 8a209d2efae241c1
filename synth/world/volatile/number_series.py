"""Number series: numbers that several tools count up together, as `TSK-9001` of one and then `NOTE-9002` of another.

Comes in: per episode the changes that were made, in order, with what they name. Comes out: per tool the others of its series, whose
calls move the next number on. Not here: the numbers of one tool (`schema.counters`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from synth.world.grouping import sets_by_key
from synth.world.support import SEEN_TWICE, accept_counts

_NUMBER: Final = re.compile(r"[A-Za-z#][A-Za-z_#/-]*(\d{1,9})")
"""A name that ends in its only number."""


@dataclass(frozen=True, slots=True)
class MadeNames:
    """One change: what its call and its answer name, and what the call alone does."""

    tool: str
    names: frozenset[str]
    given: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Numbers:
    """The lowest and the highest number that a change brought up."""

    tool: str
    first: int
    last: int


def numbered_together(runs: Iterable[Sequence[MadeNames]]) -> dict[str, set[str]]:
    """Per tool the others of its series: whichever comes first in an episode begins with the same number, and the next goes on with the next."""
    numbered = [list(_numbers(run)) for run in runs]
    firsts = sets_by_key((one.tool, one.first) for run in numbered for one in run[:1])
    starts = sets_by_key(
        (next(iter(found)), tool) for tool, found in firsts.items() if len(found) == 1
    )
    out: dict[str, set[str]] = {}
    for tools in starts.values():
        steps = Counter(
            later.first == before.last + 1
            for run in numbered
            for before, later in pairwise(one for one in run if one.tool in tools)
            if before.tool != later.tool
        )
        if accept_counts(steps, least=SEEN_TWICE, share=1):
            out |= {tool: tools - {tool} for tool in tools}
    return out


def _numbers(run: Sequence[MadeNames]) -> Iterator[_Numbers]:
    known: set[str] = set()
    for one in run:
        new = one.names - known - one.given
        known |= one.names
        found = sorted({int(number[1]) for name in new if (number := _NUMBER.fullmatch(name))})
        if found and found[-1] - found[0] < len(found):
            yield _Numbers(one.tool, found[0], found[-1])
