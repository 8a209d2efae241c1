"""A thing that the user describes beside one that they have: "the one in blue, otherwise the same".

In: the records an episode knows and the other arguments of a call. Out: the element of a list in a linked record that has
the words of the user's last description and is otherwise most like the thing that the other arguments name; nothing
where two are as like. Not here: which arguments are bound this way (`bindings`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from environments.runtime.task.attempt import Json
from environments.verification.readable_values import leaves_of
from synth.recordings.known_values import KnownValues, Path, plain_text, values_at

Traits = frozenset[tuple[str, str]]
"""Field names and values of an element."""


@dataclass(frozen=True, slots=True)
class DescribedThing:
    """An id in a list of alternatives, by what should be different."""

    tool: str
    path: Path
    as_list: bool = False

    def find(self, known: KnownValues, others: Sequence[Json]) -> Json:
        """The id, or a list of the one."""
        base = _element_with(known, frozenset(_texts(others)), besides=self.tool)
        if base is None:
            return None
        linked = {value for _, value in base}
        records = {
            str(r.arguments): r.value
            for r in known.records
            if r.tool == self.tool and any(str(v) in linked for v in r.arguments.values())
        }
        if len(records) != 1:
            return None
        (record,) = records.values()
        found = _best(values_at(record, self.path), base, known.plain_turns)
        return [found] if self.as_list and found is not None else found


def _best(
    alternatives: Sequence[tuple[list[Json], Json]], base: Traits, turns: Sequence[str]
) -> Json:
    """The alternative that the last describing turn means."""
    # Only what both have can be "otherwise the same"; every alternative has an id of its own.
    names = {name for name, _ in base}
    different = [
        (way[0], leaf, {(n, v) for n, v in _traits(way[0]) - base if n in names and v != leaf})
        for way, leaf in alternatives
        if way
    ]
    for turn in reversed(turns):
        scored = [
            (sum(_stands_in(value, turn) for _, value in new), -len(new), leaf)
            for _, leaf, new in different
        ]
        named = [entry for entry in scored if entry[0]]
        if named:
            best = max(entry[:2] for entry in named)
            chosen = [leaf for *score, leaf in named if tuple(score) == best]
            return chosen[0] if len(chosen) == 1 else None
    return None


def _element_with(known: KnownValues, ids: frozenset[str], *, besides: str) -> Traits | None:
    """The one list element, outside the alternatives, that holds one of these ids."""
    found = {
        _traits(way[-1])
        for record in known.records
        if record.tool != besides
        for path in dict.fromkeys(path for path, _ in record.leaves if "*" in path)
        for way, leaf in values_at(record.value, path)
        if way and isinstance(way[-1], dict) and isinstance(leaf, str) and leaf in ids
    }
    links = [traits for traits in found if len(traits) > 1]
    return max(links, key=len) if links and _is_richest_clear(links) else None


def _is_richest_clear(found: Sequence[Traits]) -> bool:
    """Whether all but the richest say nothing that could be meant instead: they share no more than an id with it."""
    sizes = sorted(map(len, found), reverse=True)
    return len(sizes) == 1 or sizes[0] > sizes[1]


def _traits(element: Json) -> Traits:
    """Texts of an element: amounts and counts differ without anybody meaning it."""
    return frozenset(
        (path[-1], leaf) for path, leaf in leaves_of(element) if path and isinstance(leaf, str)
    )


def _texts(values: Iterable[Json]) -> Iterable[str]:
    for value in values:
        if isinstance(value, list):
            yield from _texts(value)
        elif isinstance(value, str):
            yield value


def _stands_in(value: str, turn: str) -> bool:
    text = plain_text(value)
    return len(text) > 1 and re.search(rf"(?<!\w){re.escape(text)}(?!\w)", turn) is not None
