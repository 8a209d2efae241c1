"""Same rows: whether two tools without a key in their records show the same ones, though one of them changes what it shows.

Comes from observations; comes out: yes or no for two tools. Not here: which tables there are (`kinds`), who writes (`writers`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Final

from environments.runtime.task.attempt import Json
from environments.runtime.values.mentions import leaves
from environments.runtime.values.normal import stable
from synth.world.model import ToolModel
from synth.world.observation import Observation
from synth.world.support import SEEN_TWICE

MIN_ROWS: Final = SEEN_TWICE
"""Different rows that a tool shows with the values of its call in them, before it is taken to write these there."""


def agree(one: ToolModel, other: ToolModel) -> bool:
    """Whether two tools say the same of the same keys: fields alone may be an envelope that all results have.

    A tool may write its arguments into the row before it shows it: then all other fields are as the other tool says.
    """
    told: dict[str, dict[str, Json]] = defaultdict(dict)
    for seen in one.good():
        told[_key(one, seen)][stable(seen.value)] = seen.value
    both = equal = 0
    written: set[str] = set()
    for seen in other.good():
        known = told.get(_key(one, seen))
        if known is None:
            continue
        both += 1
        if stable(seen.value) in known:
            equal += 1
        elif any(_with_arguments(value, seen) for value in known.values()):
            written.add(_key(one, seen))
    if equal > 0 and equal * 2 >= both:
        return True
    return len(written) >= MIN_ROWS and _all_written(told, other, one)


def _all_written(told: Mapping[str, Mapping[str, Json]], other: ToolModel, one: ToolModel) -> bool:
    """Whether each result is a row as it was, or with the call's values in it, and what stayed says which row it is."""
    stayed: dict[str, set[str]] = defaultdict(set)
    for seen in other.good():
        known = told.get(_key(one, seen))
        if known is None:
            continue
        as_told = [v for v in known.values() if v == seen.value or _with_arguments(v, seen)]
        if not as_told:
            return False
        stayed[_unchanged_fields(as_told[0], seen)].add(_key(one, seen))
    return all(len(keys) == 1 for keys in stayed.values())


def _key(tool: ToolModel, seen: Observation) -> str:
    return seen.key_of(str(tree[1]) for tree in tool.key)


def _with_arguments(before: Json, seen: Observation) -> bool:
    """Whether a result is a row with values of the call in it: most fields are as before, the others hold nothing but these."""
    after = seen.value
    if not isinstance(before, dict) or not isinstance(after, dict) or before.keys() != after.keys():
        return False
    other = [name for name in after if stable(after[name]) != stable(before[name])]
    given = {stable(v) for v in leaves(seen.arguments)}
    values = [stable(v) for name in other for v in leaves(after[name])]
    return bool(values) and len(other) * 2 < len(after) and given.issuperset(values)


def _unchanged_fields(before: Json, seen: Observation) -> str:
    """The fields that a call left as they were."""
    if not isinstance(before, dict) or not isinstance(seen.value, dict):
        return ""
    return stable({n: v for n, v in before.items() if stable(seen.value.get(n)) == stable(v)})
