"""Field names: keys that look like ids (`line1`) and are fields of records, or arguments; they name nothing.

Comes from observations in normal form; takes these names out of what each call names, and goes into the world file, so that
sessions do the same. A key that any recorded value repeats, or that stands in some records of a tool only, stays a name.
Not here: names in values.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from environments.runtime.task.attempt import Json
from environments.runtime.values.mentions import is_name, leaves, names_in_text
from synth.world.observation import History, Observation, every_call
from synth.world.support import SEEN_OFTEN, SEEN_TWICE

MIN_RECORDS: Final = SEEN_OFTEN
"""Different calls of a tool that show a key, always beside the same others, before it is taken for a field."""
MIN_PLAIN: Final = SEEN_TWICE
"""Keys beside it that do not look like ids: one with nothing but such keys may be a map by id."""
Place = tuple[str, tuple[str, ...]]
"""Tool and path inside its results."""


def forget_fields(histories: Iterable[History]) -> frozenset[str]:
    """The keys that look like ids and are fields or arguments; no observation names them any more."""
    calls = list(every_call(histories))
    given = {name for seen in calls for name in seen.arguments if is_name(name)}
    fields = given | _shown_fields(calls)
    for seen in calls:
        if not fields:
            break
        fields -= _texts_and_names([*leaves(seen.arguments), *leaves(seen.value)])
    found = frozenset(fields)
    for seen in calls if found else ():
        seen.names -= found
    return found


def _shown_fields(calls: Sequence[Observation]) -> set[str]:
    """Keys of records that have one layout wherever a tool shows them; none that stands anywhere else."""
    layouts: dict[Place, set[tuple[str, ...]]] = defaultdict(set)
    asked: dict[Place, set[str]] = defaultdict(set)
    for seen in calls:
        for path, keys in _records(seen.value, ()):
            place = seen.tool, path
            layouts[place].add(keys)
            asked[place].add(seen.key)
    fields: set[str] = set()
    others: set[str] = set()
    for place, known in layouts.items():
        named = {key for keys in known for key in keys if is_name(key)}
        plain = len(next(iter(known))) - len(named)
        fixed = len(known) == 1 and plain >= MIN_PLAIN and all(map(str.isidentifier, named))
        (fields if fixed and len(asked[place]) >= MIN_RECORDS else others).update(named)
    return fields - others


def _records(
    value: Json, path: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Every object inside a result: where it stands, and its keys. A key that looks like an id is no part of where."""
    if isinstance(value, dict):
        yield path, tuple(sorted(value))
        for key, inner in value.items():
            yield from _records(inner, (*path, "" if is_name(key) else key))
    elif isinstance(value, list):
        for inner in value:
            yield from _records(inner, path)


def _texts_and_names(values: Iterable[object]) -> set[str]:
    """Texts, and the names in them."""
    texts = [value for value in values if isinstance(value, str)]
    return {*texts, *(name for text in texts for name in names_in_text(text))}
