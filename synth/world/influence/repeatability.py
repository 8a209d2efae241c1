"""Repeatability: a tool that answers otherwise when it is asked again at once changed something itself.

Comes in: all recorded calls. Comes out: the tools that cannot be readers, whatever their names say. Not here: pairs of calls with
something between them (`dependencies`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Final

from environments.runtime.values.normal import is_number, names_in
from environments.runtime.views.implicit_subject import SUBJECT
from environments.runtime.views.selected_subject import CHOSEN
from synth.world.model import Workbench, refused
from synth.world.observation import Observation
from synth.world.support import SEEN_TWICE
from synth.world.volatile.number_series import MadeNames, numbered_together

MIN_REFUSED: Final = SEEN_TWICE
"""Episodes in which a second call at once was refused: one may be a server that was asked too often."""


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


def aimless_again(bench: Workbench) -> set[str]:
    """Tools that change something and name nothing, of which a second call at once was told otherwise: they heed themselves."""
    return {
        first.tool
        for first, second in _repeated_calls(bench)
        if not first.arguments.keys() - {SUBJECT, CHOSEN}
        and first.content != second.content
        and bench.has_changed(first)
    }


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
