"""The words under which the rows of a world file list names (the events of a day).

Goes in: the base rows of a world file. Comes out: per name the plain words that it is listed under: a call about such a name may change
what any tool shows for these words. Not here: whether a row is still what it was, rows that a call itself names (`world.entries`).
"""

from __future__ import annotations

from collections.abc import Mapping

from ..task.attempt import Json
from ..values.literals import parse_json
from ..values.mentions import labels_in, names_in


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
