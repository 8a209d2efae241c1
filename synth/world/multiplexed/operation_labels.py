"""Operation labels: arguments whose values may say which of several tools is meant (words, names with a number, paths).

Comes from the calls of one tool; goes to `operations`. Not here: whether calls with these values differ.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Final

from environments.runtime.task.attempt import Json
from environments.runtime.values.mentions import is_name
from environments.runtime.values.normal import stable
from environments.runtime.views.multiplexed import GIVEN, label_value
from synth.world.grouping import lists_by_key
from synth.world.multiplexed.call_signatures import DEPTH, Call
from synth.world.support import HARDLY_EVER, NEARLY_ALWAYS, SEEN_THRICE, USUALLY

ENOUGH_OPERATIONS: Final = SEEN_THRICE
"""Calls for each value of an argument, on average."""
LABEL: Final = re.compile(r"[^\W\d_][\w./:-]{0,79}")
"""A word or a name of words, not a sentence and not a number."""
_WORD: Final = re.compile(r"[^\W\d_]{2,}")
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


def mode_of(calls: Sequence[Call], *, switches_only: bool) -> str | None:
    """The optional argument that makes another tool of a tool: a switch by its value (`dry_run`), any other by being there (`set?`).

    The answers with it and without it are of two kinds: nearly all of either have a sign that hardly any of the other has.
    `switches_only`: of a tool whose name gives an order, or says nothing, other arguments say how it is done or what is looked for.
    """
    good = [call for call in calls if call.seen.is_error is not True]
    counts = Counter(name for call in good for name in call.arguments)
    found: dict[str, int] = {}
    for name, count in counts.items():
        values = [call.arguments[name] for call in good if name in call.arguments]
        switch = all(isinstance(value, bool) for value in values)
        if not switch and (switches_only or count == len(good)):
            continue
        by = name if switch else f"{name}{GIVEN}"
        groups = lists_by_key((stable(label_value(call.arguments, by)), call) for call in good)
        known = [g for g in groups.values() if len({c.task for c in g}) >= ENOUGH_OPERATIONS]
        if len(known) > 1 and all(map(_answered_apart, *zip(*combinations(known, 2), strict=True))):
            found[by] = count
    return max(sorted(found), key=lambda by: found[by], default=None)


def _answered_apart(one: Sequence[Call], other: Sequence[Call]) -> bool:
    left, right = _shares_of_signs(one), _shares_of_signs(other)
    return _has_own(left, right) and _has_own(right, left)


def _has_own(mine: Mapping[str, float], others: Mapping[str, float]) -> bool:
    return any(
        share >= USUALLY and others.get(sign, 0.0) <= HARDLY_EVER for sign, share in mine.items()
    )


def _shares_of_signs(calls: Sequence[Call]) -> Mapping[str, float]:
    """What stands in answers, by the share of answers that have it: the keys of records and the words in them, the words of texts."""
    counts: Counter[str] = Counter()
    for call in calls:
        counts.update(call.shape.split(",") if call.shape else _signs_of(call.seen.content))
        counts.update(_words_in(call.answer, DEPTH))
    return {sign: count / len(calls) for sign, count in counts.items()}


def _words_in(value: Json, depth: int) -> set[str]:
    """The fields of a record that hold a word, with it: `status=PREVIEW`."""
    found: set[str] = set()
    for name, item in value.items() if isinstance(value, dict) else ():
        if isinstance(item, bool) or (isinstance(item, str) and LABEL.fullmatch(item)):
            found.add(f"{name}={item}")
        elif depth:
            found |= _words_in(item, depth - 1)
    return found


def _signs_of(text: str) -> set[str]:
    return {*text.split(), *_WORD.findall(text)}


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
