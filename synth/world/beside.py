"""Arguments beside a record's key: whether another value of one shows other things.

Comes from observations of one tool, grouped by key; goes to keys (`kinds`) and pairs (`paired`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from environments.runtime.normal import stable
from synth.world.observation import Observation


def decides_beside(good: Sequence[Observation], keys: Sequence[str], name: str) -> bool:
    """Whether calls with one key are mostly answered otherwise with another value of an argument beside it."""
    groups: dict[str, list[Observation]] = defaultdict(list)
    for seen in good:
        groups[stable([seen.arguments.get(key) for key in keys])].append(seen)
    return decides(groups.values(), name, reads=True)


def decides(groups: Iterable[list[Observation]], name: str, *, reads: bool) -> bool:
    """Whether another value of an argument shows other fields of one record, or, of a tool that says it reads, other values."""
    alike = otherwise = 0
    for group in groups:
        told: dict[str, set[str]] = defaultdict(set)
        for seen in group:
            told[stable(seen.arguments.get(name))].add(seen.content)
        if len(told) < 2:
            continue
        if _steady_parts(group, name):
            return True
        # What differs in values alone may have been changed in between.
        common = set[str].intersection(*told.values())
        alike += bool(common)
        otherwise += not common
    return reads and otherwise > alike


def _steady_parts(group: Sequence[Observation], name: str) -> bool:
    """Whether one record has other fields with another value of an argument, and always the same with one value."""
    fields: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    for seen in group:
        if isinstance(seen.value, dict):
            fields[stable(seen.arguments.get(name))].add(tuple(sorted(seen.value)))
    one_each = all(len(shapes) == 1 for shapes in fields.values())
    return one_each and len(set[tuple[str, ...]]().union(*fields.values())) > 1
