"""What came before each tool's successes: tools that are needed, tools that bar it, and tools that stop others.

Comes from observations, and from what pairs of equal calls say; sets `needs` and `bars`. A tool after which several others were
refused that had just been answered (somebody signed out) may stop any other that never once succeeded after it. Not here: who
changes whose answers (`relevance`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Final

from environments.runtime.values.normal import labels_in
from synth.world.influence.contrast_pairs import Evidence
from synth.world.model import Workbench, refused

MIN_STOPPED: Final = 2
"""Tools refused after one, and never answered after it, before it may stop others as well."""


def learn_needs(bench: Workbench) -> None:
    """Tools without which a call was never seen to succeed, and those after which it never was."""
    before = pasts_of(bench)
    for name, tool in bench.tools.items():
        pasts = before.get(name, [])
        for v in tool.heeds - {name}:
            share = sum(v in past for past in pasts)
            if pasts and share == len(pasts):
                tool.needs.add(v)
            elif not share:
                tool.bars.add(v)


def pasts_of(bench: Workbench) -> dict[str, list[frozenset[str]]]:
    """Per tool: which tools had been called before each of its successes."""
    before: dict[str, list[frozenset[str]]] = defaultdict(list)
    for history in bench.histories:
        past: set[str] = set()
        for seen in history.observations:
            tool = bench.tools[seen.tool]
            if not refused(tool, seen):
                before[seen.tool].append(frozenset(past))
                past.add(seen.tool)
    return before


def _gone_on(bench: Workbench) -> dict[str, set[str]]:
    """Per tool: those after which it did something without a name that they had given out.

    Who has a new token goes on with that; a token that was there before may be worth nothing now.
    """
    met: dict[str, set[str]] = {name: set() for name in bench.tools}
    for history in bench.histories:
        given: dict[str, set[str]] = {}
        for seen in history.observations:
            tool = bench.tools[seen.tool]
            if refused(tool, seen):
                continue
            asked = labels_in(seen.arguments)
            met[seen.tool] |= {name for name, out in given.items() if asked.isdisjoint(out)}
            given.setdefault(seen.tool, set()).update(labels_in(seen.value) - asked)
    return met


def who_stops(bench: Workbench, found: Mapping[str, Evidence]) -> dict[str, set[str]]:
    """Per tool: those that stop several others, and after which it was never seen to go on."""
    met = _gone_on(bench)
    stopped: dict[str, set[str]] = defaultdict(set)
    for name, evidence in found.items():
        for v in evidence.stopped:
            if v not in met[name]:
                stopped[v].add(name)
    stops = {v for v, names in stopped.items() if len(names - {v}) >= MIN_STOPPED}
    return {name: stops - met[name] for name in bench.tools}
