"""Names of records, found: arguments that a tool takes the id of a record in, or its code, and means the same record by both.

Comes from observations whose arguments are in one spelling; leaves one name of each record in them, in place. Two fields are names of
one record where results show them side by side, one to one over all recordings, and equal calls with the one or the other were answered
alike, never otherwise after an equal past; no answer may repeat which one was sent. Not here: naming the records of a session's calls
(`environments.runtime.views.argument_spelling`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import permutations
from typing import Final

from environments.runtime.document.views import SpellingPart
from environments.runtime.task.attempt import Json
from environments.runtime.values.normal import is_plain
from environments.runtime.views.argument_spelling import Names, name_key, named
from synth.world.grouping import sets_by_key
from synth.world.observation import History, Observation, every_call
from synth.world.views.argument_spelling import (
    UNSPELT,
    Readings,
    Where,
    calls_by_argument,
    count_alike,
    is_fault,
    pasts_of,
    scalars_in,
)

MIN_ALIKE: Final = 2
"""Equal calls with two names that were answered alike, over all tools that take an argument of the name: one may be an accident."""

Pair = tuple[str, str]
"""Two fields: another name of a record, and the one that calls have."""
Sent = Mapping[Where, Counter[str]]
"""By tool and argument: how often each name was sent."""


def learn_names(
    histories: Sequence[History], spelling: Mapping[str, Mapping[str, SpellingPart]]
) -> tuple[dict[str, dict[str, SpellingPart]], dict[str, dict[str, Json]]]:
    """The forms of arguments, with those that take several names, and these by two fields; calls have one of them from here on."""
    calls = calls_by_argument(histories)
    out = {tool: dict(forms) for tool, forms in spelling.items()}
    used: dict[str, dict[str, Json]] = {}
    for (tool, name), (pair, names) in _find_names(histories, calls).items():
        label = " ".join(pair)
        used[label] = dict(sorted(names.items()))
        changed = [s for s in calls[tool, name] if _is_renamed(s, name, names)]
        refused = [s for s in changed if is_fault(s)]
        tells = bool(refused) and not any(_shows_sent(s, name) for s in refused)
        form = out.get(tool, {}).get(name)
        out.setdefault(tool, {})[name] = replace(
            form or UNSPELT, names=label, refused=tells and (form is None or form.refused)
        )
        for seen in changed:
            seen.put_arguments({**seen.arguments, name: named(seen.arguments[name], names)})
    return out, used


def _find_names(
    histories: Sequence[History], calls: Mapping[Where, Sequence[Observation]]
) -> dict[Where, tuple[Pair, Names]]:
    """Arguments in which records have several names, and these."""
    tables = _tables(histories, _sent(calls))
    pasts = pasts_of(histories) if tables else {}
    out: dict[Where, tuple[Pair, Names]] = {}
    for pair, names in tables.items():
        read = Readings(lambda value: value, partial(named, names=names))
        mains = set(map(name_key, names.values()))
        alike: dict[Where, int] = {}
        pooled: Counter[str] = Counter()
        for where, group in calls.items():
            ways = {k in names for k in _keys(group, where[1]) if k in names or k in mains}
            count = count_alike(group, where[1], pasts, read) if ways else None
            if count is not None and not _repeats(group, where[1], names):
                alike[where] = count
                pooled[where[1]] += count

        for where in alike:
            if pooled[where[1]] >= MIN_ALIKE and len(names) > len(out.get(where, (pair, {}))[1]):
                out[where] = pair, names
    return out


def _sent(calls: Mapping[Where, Sequence[Observation]]) -> Sent:
    return {
        where: Counter(_keys((s for s in group if not is_fault(s)), where[1]))
        for where, group in calls.items()
    }


def _keys(group: Iterable[Observation], name: str) -> Iterator[str]:
    return map(name_key, scalars_in(seen.arguments[name] for seen in group))


def _tables(histories: Sequence[History], sent: Sent) -> dict[Pair, Names]:
    """Pairs of fields whose values were sent in one argument, and name one record each: the values, by the less usual name."""
    fields = sets_by_key(
        (name_key(value), label)
        for seen in every_call(histories)
        for record in _records(seen.value, ())
        for label, value in record[1].items()
    )
    times: Counter[Pair] = Counter()
    for names in sent.values():
        hit: Counter[str] = Counter()
        for key, count in names.items():
            hit.update(dict.fromkeys(fields.get(key, ()), count))
        for one, other in permutations(hit, 2):
            times[one, other] += hit[other]
    rows: dict[Pair, dict[tuple[object, ...], set[tuple[str, str]]]] = {
        pair: defaultdict(set) for pair in times
    }
    values: dict[str, Json] = {}
    for seen in every_call(histories):
        for place, record in _records(seen.value, ()):
            for one, other in permutations(record, 2):
                if (one, other) in rows:
                    values[name_key(record[other])] = record[other]
                    rows[one, other][seen.tool, *place].add(
                        (name_key(record[one]), name_key(record[other]))
                    )
    out: dict[Pair, Names] = {}
    for (one, other), shown in rows.items():
        if (times[one, other], other) < (times[other, one], one):
            continue
        names = _one_to_one(shown.values())
        if names:
            out[one, other] = {name: values[main] for name, main in names.items()}
    return out


def _one_to_one(shown: Iterable[set[tuple[str, str]]]) -> dict[str, str]:
    """Each other name with the main one; empty where some value has two names, at one place of results, or in all for other names."""
    out: dict[str, str] = {}
    for rows in shown:
        if len({a for a, _ in rows}) < len(rows) or len({b for _, b in rows}) < len(rows):
            return {}
        for name, main in rows:
            if out.setdefault(name, main) != main:
                return {}
    return {} if out.keys() & set(out.values()) else out


def _records(value: Json, place: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], dict[str, Json]]]:
    """The records in a value with their places, each with its fields that may be names."""
    if isinstance(value, list):
        for item in value:
            yield from _records(item, place)
    elif isinstance(value, dict):
        yield place, {n: v for n, v in value.items() if _may_name(v)}
        for name, inner in value.items():
            yield from _records(inner, (*place, name))


def _may_name(value: Json) -> bool:
    return is_plain(value) and not isinstance(value, bool | float) and 0 < len(name_key(value)) <= 80


def _is_renamed(seen: Observation, name: str, names: Names) -> bool:
    return bool(named(seen.arguments[name], names) != seen.arguments[name])


def _shows_sent(seen: Observation, name: str) -> bool:
    return any(key in seen.content for key in _keys([seen], name))


def _repeats(group: Sequence[Observation], name: str, names: Names) -> bool:
    """Whether some place of all results has what was sent, whichever name it is."""
    other: set[str] | None = None
    main: set[str] | None = None
    for seen in group:
        if is_fault(seen) or not is_plain(seen.arguments[name]):
            continue
        key = name_key(seen.arguments[name])
        shown = {place for place, text in _texts(seen.value, "") if key in text}
        if key in names:
            other = shown if other is None else other & shown
        elif any(key == name_key(v) for v in names.values()):
            main = shown if main is None else main & shown
    return bool(other and main and other & main)


def _texts(value: Json, place: str) -> Iterator[tuple[str, str]]:
    """Every plain value in a result as text, with its place."""
    if isinstance(value, list):
        for item in value:
            yield from _texts(item, place)
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from _texts(inner, f"{place}.{name}")
    elif is_plain(value):
        yield place, name_key(value)
