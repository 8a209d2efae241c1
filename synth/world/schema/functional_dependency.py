"""Functional dependency: whether another value of an argument beside a record's key shows other things.

Comes from observations of one tool, grouped by key; goes to `kinds` and `paired_values`. A record that is found
with one value and refused with another, though nobody did anything about it, lies in one place of several: the place belongs
to the key.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final

from environments.runtime.values.mentions import leaves
from environments.runtime.values.normal import is_number, stable
from synth.world.grouping import lists_by_key, sets_by_key
from synth.world.model import ToolModel, Workbench, refused
from synth.world.observation import Observation
from synth.world.support import SEEN_TWICE

MIN_PLACED: Final = SEEN_TWICE
"""Records found with one value and refused with another."""


def places(bench: Workbench, tool: ToolModel, own: str) -> list[str]:
    """Arguments beside a record's key without which it is not found: refused with a value that finds other records."""
    names = sorted({n for seen in tool.good() for n in seen.arguments} - {own})
    looks = list(_first_looks(bench, tool, own)) if names else []
    return [name for name in names if _places(looks, own, name)]


def _places(looks: Sequence[tuple[Observation, bool]], own: str, name: str) -> bool:
    found: dict[str, set[str]] = defaultdict(set)
    lacking: dict[str, set[str]] = defaultdict(set)
    for seen, no in looks:
        side = lacking if no else found
        # In another episode somebody else asks, at another time: either may be why it is refused there.
        side[stable([seen.episode, seen.arguments[own]])].add(stable(seen.arguments.get(name)))
    # A value that never finds anything is no place, and with one value both ways something else decides.
    known = set[str]().union(*found.values())
    if any(found[key] & values for key, values in lacking.items() if key in found):
        return False
    return (
        sum(bool(known & values) for key, values in lacking.items() if key in found) >= MIN_PLACED
    )


def _first_looks(bench: Workbench, tool: ToolModel, own: str) -> Iterable[tuple[Observation, bool]]:
    """Looks at a record before any other tool was called about it, and whether they were refused."""
    for history in bench.histories:
        about = set[str]()
        for seen in history.observations:
            if seen.tool != tool.name:
                about.update(stable(value) for value in leaves(seen.arguments))
            elif own in seen.arguments and stable(seen.arguments[own]) not in about:
                yield seen, refused(tool, seen)


def decides_beside(good: Sequence[Observation], keys: Sequence[str], name: str) -> bool:
    """Whether calls with one key are mostly answered otherwise with another value of an argument beside it."""
    groups = lists_by_key((seen.key_of(keys), seen) for seen in good)
    return decides(groups.values(), name, reads=True)


def decides(groups: Iterable[list[Observation]], name: str, *, reads: bool) -> bool:
    """Whether another value of an argument shows other things, of a tool that says it reads."""
    alike = otherwise = 0
    for group in groups:
        told = sets_by_key((stable(seen.arguments.get(name)), seen.content) for seen in group)
        if len(told) < 2:
            continue
        # What differs in values alone may have been changed in between.
        common = set[str].intersection(*told.values())
        alike += bool(common)
        otherwise += not common
    return reads and otherwise > alike


def never_varied(groups: Iterable[list[Observation]], name: str) -> bool:
    """Whether every key was asked with one value of an argument only, and the answer hangs on it: it is an amount, or a field repeats it.

    What another value gives was never seen.
    """
    asked = list(groups)
    good = [seen for group in asked for seen in group]
    given = [[seen.arguments.get(name) for seen in group] for group in asked]
    if any(len(set(map(stable, values))) > 1 for values in given):
        return False
    if all(is_number(value) for values in given for value in values):
        return True
    fields = good[0].value if good else None
    return len({stable(values[0]) for values in given}) > 1 and any(
        repeats(good, name, field) for field in (fields if isinstance(fields, dict) else ())
    )


def repeats(good: Iterable[Observation], name: str, field: str) -> bool:
    """Whether every result repeats an argument in this field."""
    return all(
        isinstance(seen.value, dict)
        and name in seen.arguments
        and seen.value.get(field) == seen.arguments[name]
        for seen in good
    )
