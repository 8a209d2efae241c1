"""Sequences: what the order of the calls in recorded episodes says, beside equal calls that were answered otherwise.

Comes in: all recorded calls. Comes out, per tool: the tools that came before every case of one of its outcomes, and those after which
it showed nothing at all. Not here: pairs of equal calls (`dependencies`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from typing import Final

from environments.runtime.task.attempt import Json
from synth.world.grouping import lists_by_key
from synth.world.model import Workbench, outcome_class
from synth.world.observation import Observation
from synth.world.support import CHANCE

NOTHING: Final[tuple[Json, ...]] = ({}, [])

Told = tuple[str, frozenset[str]]
"""A task, and the tools that had changed something before the call."""


def after_alone(bench: Workbench) -> dict[str, set[str]]:
    """Per tool: those that came before every case of one of its outcomes, which chance would not have it.

    `frozen` was only said after `freeze`: whatever the two calls name, one hangs on the other.
    """
    told: dict[str, dict[str, list[Told]]] = defaultdict(lambda: defaultdict(list))
    for task, seen, past in _calls(bench):
        told[seen.tool][outcome_class(seen)].append((task, past))
    return {name: set(_always_before(cases.values())) for name, cases in told.items()}


def _always_before(outcomes: Collection[list[Told]]) -> Iterator[str]:
    calls = [past for cases in outcomes for _, past in cases]
    for cases in outcomes:
        tasks = len({task for task, _ in cases})
        for tool in frozenset.intersection(*(past for _, past in cases)):
            share = sum(tool in past for past in calls) / len(calls)
            if share**tasks < CHANCE:
                yield tool


def before_nothing(bench: Workbench) -> dict[str, set[str]]:
    """Per tool: those after which it was seen to show nothing at all."""
    found: dict[str, set[str]] = defaultdict(set)
    for _, seen, past in _calls(bench):
        if seen.is_json and seen.value in NOTHING:
            found[seen.tool] |= past
    return found


def pasts_of(bench: Workbench) -> dict[str, list[frozenset[str]]]:
    """Per tool: which tools had been called before each of its successes."""
    return lists_by_key(
        (seen.tool, frozenset(earlier.tool for earlier in past))
        for _, seen, past in bench.with_pasts(lambda seen: not bench.refused(seen))
        if not bench.refused(seen)
    )


def _calls(bench: Workbench) -> Iterator[tuple[str, Observation, frozenset[str]]]:
    """Every call with its task and the tools that had changed something in its episode by then."""
    for history, seen, past in bench.with_pasts(bench.has_changed):
        yield history.task, seen, frozenset(earlier.tool for earlier in past)
