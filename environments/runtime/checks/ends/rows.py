"""What an end left, as comparable rows: records by their fields, and writes that leave no record.

In: the end of an attempt in its world. Out: rows of texts, equal where the ends are. Not here: the comparison (`ends.compare`).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import Final

from ...task.attempt import Call, EndState, Json
from ...values.normal import as_names, stable
from ..arguments import AT_ANY, canonical_arguments, normal
from .terms import Write

WORDED: Final = "\u2026"
"""Stands in a record for a text that a policy worded itself."""
LEAST_TEXT: Final = 8
"""Characters from which such a text is known where it stands beside others."""


def effect_rows(end: EndState, texts: Collection[str] = ()) -> list[list[str]]:
    """Effects as comparable rows: entity, key, field, canonical value after; `texts` in records stand there in no wording."""
    return [
        [e.entity, e.key, e.field, stable(normal(_without_texts(e.after, texts)))]
        for e in end.effects
    ]


def own_texts(calls: Iterable[Call], ignore: Mapping[str, Json]) -> frozenset[str]:
    """The texts that a policy worded itself: what its calls had in the arguments to `ignore`, by tool."""
    names = {t: [n.removesuffix(AT_ANY) for n in as_names(some)] for t, some in ignore.items()}
    given = (call.arguments.get(n) for call in calls for n in names.get(call.name, ()))
    return frozenset(text for text in given if isinstance(text, str) and text.strip())


def _without_texts(value: Json, texts: Collection[str]) -> Json:
    """A value without these texts; what else a field holds beside one of them stays."""
    if not texts:
        return value
    if isinstance(value, str):
        for text in sorted(texts, key=len, reverse=True):
            if value == text or (len(text) >= LEAST_TEXT and text in value):
                value = value.replace(text, WORDED)
        return value
    if isinstance(value, list):
        return [_without_texts(item, texts) for item in value]
    if isinstance(value, dict):
        return {name: _without_texts(item, texts) for name, item in value.items()}
    return value


def event_rows(end: EndState, ignore: Mapping[str, Json]) -> Counter[Write]:
    """The writes of the end that left no record, as a multiset."""
    rows: Counter[Write] = Counter()
    for event in end.events:
        if event.kind != "write":
            continue
        names = ignore.get(event.tool)
        arguments = json.loads(event.arguments)
        rows[event.tool, canonical_arguments(arguments, as_names(names))] += 1
    return rows
