"""Sequences: what the order of the calls in recorded episodes says, beside equal calls that were answered otherwise.

Comes in: all recorded calls. Comes out, per tool: the tools that came before every case of one of its outcomes, those that number what they
make in one series with it, and whether it found something else when it was asked again at once. Not here: pairs of equal
calls with other pasts (`trials`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from itertools import pairwise
from typing import Any, Final

from environments.runtime.values.mentions import names_in
from environments.runtime.values.normal import is_number
from synth.world.grouping import lists_by_key
from synth.world.model import Workbench, outcome_class, refused
from synth.world.observation import Observation
from synth.world.support import CHANCE, SEEN_TWICE
from synth.world.volatile.number_series import MadeNames, numbered_together

MIN_REFUSED: Final = SEEN_TWICE
"""Episodes in which a second call at once was refused: one may be a server that was asked too often."""

Told = tuple[str, frozenset[str]]
"""A task, and the tools that had changed something before the call."""


def after_alone(bench: Workbench) -> dict[str, set[str]]:
    """Per tool: those that came before every case of one of its outcomes, which chance would not have it.

    `frozen` was only said after `freeze`: whatever the two calls name, one hangs on the other.
    """
    told: dict[str, dict[str, list[Told]]] = defaultdict(lambda: defaultdict(list))
    for history, seen, past in bench.with_pasts(bench.has_changed):
        before = frozenset(earlier.tool for earlier in past)
        told[seen.tool][outcome_class(seen)].append((history.task, before))
    return {name: set(_always_before(cases.values())) for name, cases in told.items()}


def _always_before(outcomes: Collection[list[Told]]) -> Iterator[str]:
    calls = [past for cases in outcomes for _, past in cases]
    for cases in outcomes:
        tasks = len({task for task, _ in cases})
        for tool in frozenset.intersection(*(past for _, past in cases)):
            share = sum(tool in past for past in calls) / len(calls)
            if share**tasks < CHANCE:
                yield tool


def pasts_of(bench: Workbench) -> dict[str, list[frozenset[str]]]:
    """Per tool: which tools had been called before each of its successes."""
    return lists_by_key(
        (seen.tool, frozenset(earlier.tool for earlier in past))
        for _, seen, past in bench.with_pasts(lambda seen: not bench.refused(seen))
        if not bench.refused(seen)
    )


def changed_by_asking(bench: Workbench) -> set[str]:
    """Tools whose same call, made twice with nothing between, did not find the second time what it had found."""
    otherwise: set[str] = set()
    stopped: dict[str, set[int]] = defaultdict(set)
    for first, second in _repeated_calls(bench):
        tool = bench.tools[first.tool]
        if tool.declared or first.content == second.content or refused(tool, first):
            continue
        if refused(tool, second):
            stopped[tool.name].add(first.episode)
        else:
            otherwise.add(tool.name)
    return otherwise | {name for name, among in stopped.items() if len(among) >= MIN_REFUSED}


def share_numbers(bench: Workbench) -> dict[str, set[str]]:
    """Per tool the others that tell a number of the same name, which a second call at once moved for both: a balance."""
    moved: dict[str, set[str]] = defaultdict(set)
    for first, second in _repeated_calls(bench):
        if not bench.tools[first.tool].innocent:
            moved[first.tool] |= _moved_fields(first.value, second.value)
    return {
        name: {other for other in moved if other != name and not moved[other].isdisjoint(fields)}
        for name, fields in moved.items()
    }


def _moved_fields(first: Any, second: Any) -> set[str]:
    """The fields whose number is another now; what only counts up numbers what each tool makes."""
    if not isinstance(first, dict) or not isinstance(second, dict):
        return set()
    pairs = [(name, first[name], second[name]) for name in first.keys() & second.keys()]
    numbers = [(name, o, n) for name, o, n in pairs if is_number(o) and is_number(n)]
    return {name for name, old, new in numbers if abs(new - old) not in {0, 1}}


def _repeated_calls(bench: Workbench) -> Iterator[tuple[Observation, Observation]]:
    for history in bench.histories:
        for first, second in pairwise(history.observations):
            if (first.tool, first.key) == (second.tool, second.key):
                yield first, second


def share_series(bench: Workbench) -> dict[str, set[str]]:
    """Per tool the others that number what they make in one series with it."""
    runs = [
        [
            MadeNames(seen.tool, seen.names, frozenset(names_in(seen.arguments)))
            for seen in history.observations
            if bench.has_changed(seen)
        ]
        for history in bench.histories
    ]
    return numbered_together(runs)
