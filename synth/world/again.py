"""Tools asked again at once: who answers otherwise though nothing came between changed something itself.

Comes in: all recorded calls. Comes out: the tools that cannot be readers, whatever their names say. Not here: pairs of calls
with something between them (`relevance`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from synth.world.model import Workbench, refused
from synth.world.observation import Observation

MIN_REFUSED: Final = 2
"""Episodes in which a second call at once was refused: one may be a server that was asked too often."""


def changed_by_asking(bench: Workbench) -> set[str]:
    """Tools whose same call, made twice with nothing between, did not find the second time what it had found."""
    otherwise: set[str] = set()
    stopped: dict[str, set[int]] = defaultdict(set)
    for first, second in _twice(bench):
        tool = bench.tools[first.tool]
        if tool.declared or first.content == second.content or refused(tool, first):
            continue
        if refused(tool, second):
            stopped[tool.name].add(first.episode)
        else:
            otherwise.add(tool.name)
    return otherwise | {name for name, among in stopped.items() if len(among) >= MIN_REFUSED}


def _twice(bench: Workbench) -> Iterator[tuple[Observation, Observation]]:
    for history in bench.histories:
        for first, second in pairwise(history.observations):
            if (first.tool, first.key) == (second.tool, second.key):
                yield first, second
