"""What a world file tells of rows beside the rows themselves: those known in part, and the words under which names are listed.

Goes in: the base rows of a world file, and its `parts` (per table and key: paths with a value each). Comes out: rows whose other
fields are unknown; and per name in the base the plain words that it is listed under (the events of a day): a call about such
a name may change what any tool shows for these words. Not here: where the parts come from (`synth.world.actions.partial_rows`),
whether a row is still what it was, rows that a call itself names (`world.entries`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..document.records import KnownField
from ..expr.gaps import Partial
from ..task.attempt import Json
from ..values.literals import parse_json
from ..values.mentions import labels_in, names_in


def load_parts(
    parts: Mapping[str, Mapping[str, Iterable[KnownField]]],
) -> dict[str, dict[str, Partial]]:
    """The rows known in part of a world file, by table and key."""
    return {
        table: {key: part_of(fields) for key, fields in rows.items()}
        for table, rows in parts.items()
    }


def part_of(fields: Iterable[KnownField]) -> Partial:
    """One row from its known paths."""
    whole = Partial()
    for known in fields:
        if not known.path:
            continue
        at = whole
        for step in known.path[:-1]:
            inner = at.setdefault(step, Partial())
            if not isinstance(inner, Partial):
                break
            at = inner
        else:
            at[known.path[-1]] = known.value
    return whole


def listings_of(base: Mapping[str, Mapping[str, Json]]) -> dict[str, frozenset[str]]:
    """The words that each name is listed under, over all tables whose keys are single words."""
    found: dict[str, set[str]] = {}
    for rows in base.values():
        for key, row in rows.items():
            word = _word(key)
            if word is not None:
                for name in names_in(row):
                    found.setdefault(name, set()).add(word)
    return {name: frozenset(words) for name, words in found.items()}


def key_words(base: Mapping[str, Mapping[str, Json]]) -> frozenset[str]:
    """The plain words under which rows stand."""
    words = (_word(key) for rows in base.values() for key in rows)
    return frozenset(word for word in words if word is not None)


def _word(key: str) -> str | None:
    """The one word of a key, marked as `labels_in` marks it; None for ids, numbers and keys of several parts."""
    if any(sign.isdigit() for sign in key) or not key.startswith('["'):
        return None
    parsed = parse_json(key)
    labels = labels_in(parsed.value) if parsed is not None else set()
    return labels.pop() if len(labels) == 1 else None
