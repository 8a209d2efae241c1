"""Arguments whose values may say which of several tools is meant: words, names of tools with a number behind them, paths.

Comes from the calls of one tool; goes to `dispatched`. Not here: whether calls with these values differ.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from environments.runtime.task.attempt import Json
from environments.runtime.values.normal import is_name, stable
from synth.world.multiplexed.call_signatures import Call
from synth.world.support import NEARLY_ALWAYS, SEEN_THRICE

ENOUGH_OPERATIONS: Final = SEEN_THRICE
"""Calls for each value of an argument, on average."""
LABEL: Final = re.compile(r"[^\W\d_][\w./:-]{0,79}")
"""A word or a name of words, not a sentence and not a number."""
NUMBERED: Final = re.compile(r"[^\W\d_]{3,}(?:[_.-][^\W\d_]+)+(?:[_.-]?\d+)?")
"""Words with a number behind them: a tool's name in a catalogue of many."""


def labels_of(calls: Sequence[Call]) -> list[str]:
    """Arguments that nearly all calls have, with few values that are words."""
    found = []
    for name, values in _few_valued_arguments(calls):
        texts = {value for value in values if isinstance(value, str)}
        words = sum(LABEL.fullmatch(text) is not None and not is_name(text) for text in texts)
        if words >= NEARLY_ALWAYS * len({stable(value) for value in values}):
            found.append(name)
    return found


def numbered_of(calls: Sequence[Call]) -> list[str]:
    """Arguments that nearly all calls have, with few values that are words with a number behind them, slips aside."""
    return [
        name
        for name, values in _few_valued_arguments(calls)
        if sum(isinstance(v, str) and NUMBERED.fullmatch(v) is not None for v in values)
        >= NEARLY_ALWAYS * len(values)
    ]


def _few_valued_arguments(calls: Sequence[Call]) -> Iterable[tuple[str, list[Json]]]:
    """Arguments that nearly all calls have with few different values, and what each call has."""
    counts = Counter(name for call in calls for name in call.arguments)
    for name, count in sorted(counts.items()):
        values = [c.arguments[name] for c in calls if name in c.arguments]
        few = len({stable(value) for value in values}) * ENOUGH_OPERATIONS <= len(calls)
        if count >= 0.95 * len(calls) and few:
            yield name, values


def paths_of(calls: Sequence[Call]) -> list[str]:
    """Arguments that are paths: texts with a slash in nearly all calls."""
    counts: Counter[str] = Counter(
        name
        for call in calls
        for name, value in call.arguments.items()
        if isinstance(value, str) and _is_path(value)
    )
    return [name for name, n in sorted(counts.items()) if n >= NEARLY_ALWAYS * len(calls)]


def _is_path(text: str) -> bool:
    """Whether a text has parts between slashes, and a letter somewhere: days are written with slashes too."""
    return "/" in text and not any(c.isspace() for c in text) and any(c.isalpha() for c in text)


def is_data(calls: Sequence[Call], name: str, shown: frozenset[str]) -> bool:
    """Whether results show most values of an argument: records of such kinds differ, calls hardly do."""
    values = {value for c in calls if isinstance(value := c.arguments.get(name), str)}
    return sum(value in shown for value in values) * 2 > len(values)
