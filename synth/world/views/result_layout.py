"""Layout: one text for results that say the same in another order of keys, spacing or spelling of whole numbers.

Comes from observations in normal form; where a tool spells equal results in several ways, the JSON results of all tools are
written in one. Not here: what results mean; booleans in quotes are texts.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from environments.runtime.task.attempt import Json
from environments.runtime.values.normal import simplify, stable
from synth.world.observation import History, Observation, every_call
from synth.world.support import SEEN_THRICE

MIN_SPELT: Final = SEEN_THRICE
"""Results that came in two spellings."""


def settle_layout(histories: Sequence[History]) -> bool:
    """Write all JSON results in one layout, in place, where some came in several; whether it was needed."""
    records = [seen for seen in every_call(histories) if isinstance(seen.value, dict | list)]
    if not _is_loose(records):
        return False
    ascii_only = all(seen.content.isascii() for seen in records)
    order: dict[str, dict[str, int]] = defaultdict(dict)
    for seen in records:
        _note(seen.value, order[seen.tool])
        value = _ordered(simplify(seen.value), order[seen.tool])
        seen.put_content(json.dumps(value, ensure_ascii=ascii_only))
    return True


def _is_loose(records: Iterable[Observation]) -> bool:
    """Whether equal results of one tool come in several spellings."""
    texts: dict[tuple[str, str], set[str]] = defaultdict(set)
    loose: set[tuple[str, str]] = set()
    for seen in records:
        key = (seen.tool, stable(simplify(seen.value)))
        texts[key].add(seen.content)
        if len(texts[key]) > 1:
            loose.add(key)
            if len(loose) >= MIN_SPELT:
                return True
    return False


def _note(value: Json, order: dict[str, int]) -> None:
    """Remember where each key was first seen."""
    if isinstance(value, dict):
        for name, item in value.items():
            order.setdefault(name, len(order))
            _note(item, order)
    elif isinstance(value, list):
        for item in value:
            _note(item, order)


def _ordered(value: Json, order: Mapping[str, int]) -> Json:
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: order[name])
        return {name: _ordered(value[name], order) for name in names}
    if isinstance(value, list):
        return [_ordered(item, order) for item in value]
    return value
