"""Names of records, found: arguments that a tool takes the id of a record in, or its code, and means the same record by both.

Comes from observations whose arguments are in one spelling; leaves one name of each record in them, in place. Two fields are names of
one record where results show them side by side, one to one over all recordings, and equal calls with the one or the other were answered
alike, never otherwise after an equal past; no answer may repeat which one was sent. Not here: naming the records of a session's calls
(`environments.runtime.views.argument_spelling`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import permutations
from typing import Final

from environments.runtime.document.views import SpellingPart
from environments.runtime.task.attempt import Json
from environments.runtime.values.normal import is_plain
from environments.runtime.views.argument_spelling import Names, name_key, usual_name
from synth.world.grouping import sets_by_key
from synth.world.observation import History, Observation, every_call
from synth.world.support import SEEN_THRICE
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

MIN_ALIKE: Final = SEEN_THRICE
"""Equal calls with two names that were answered alike, over all tools: a search may find one thing by two words of it."""
LONGEST: Final = 80
"""Characters of a name; what is longer is a text."""

Pair = tuple[str, str]
"""Two fields: another name of a record, and the one that calls have."""
Place = tuple[str, ...]
"""Where records stand: the tool, and the keys on the way to them in its results."""
Calls = Mapping[Where, Sequence[Observation]]


def learn_names(
    histories: Sequence[History], spelling: Mapping[str, Mapping[str, SpellingPart]]
) -> tuple[dict[str, dict[str, SpellingPart]], dict[str, dict[str, Json]]]:
    """The forms of arguments, with those that take several names, and these by two fields; calls have one of them from here on."""
    calls = calls_by_argument(histories)
    tables = _tables(histories, calls)
    forms = {tool: dict(known) for tool, known in spelling.items()}
    used: dict[str, dict[str, Json]] = {}
    for (tool, name), pair in _takers(histories, calls, tables).items():
        label, names = " ".join(pair), tables[pair]
        used[label] = dict(sorted(names.items()))
        changed = [
            s
            for s in calls[tool, name]
            if usual_name(s.arguments[name], names) != s.arguments[name]
        ]
        refused = [s for s in changed if is_fault(s)]
        tells = bool(refused) and not any(
            k in s.content for s in refused for k in _keys_sent([s], name)
        )
        form = forms.get(tool, {}).get(name)
        forms.setdefault(tool, {})[name] = replace(
            form or UNSPELT, names=label, refused=tells and (form is None or form.refused)
        )
        for seen in changed:
            seen.put_arguments({**seen.arguments, name: usual_name(seen.arguments[name], names)})
    return forms, used


def _tables(histories: Sequence[History], calls: Calls) -> dict[Pair, Names]:
    """Pairs of fields that name one record each and that one argument took values of; the name that was sent more is the main one."""
    times = _times_sent(histories, calls)
    beside = sets_by_key(times)
    shown: dict[Pair, dict[Place, set[tuple[str, str]]]] = {pair: {} for pair in times}
    values: dict[str, Json] = {}
    for seen in every_call(histories) if times else ():
        for place, record in _records(seen.value, (seen.tool,)):
            for one in beside.keys() & record:
                for main in beside[one] & record.keys():
                    values[name_key(record[main])] = record[main]
                    row = name_key(record[one]), name_key(record[main])
                    shown[one, main].setdefault(place, set()).add(row)
    out: dict[Pair, Names] = {}
    for one, main in sorted(shown, key=lambda pair: (-times[pair], pair)):
        names = {} if (main, one) in out else _one_to_one(shown[one, main].values())
        if names:
            out[one, main] = {name: values[key] for name, key in names.items()}
    return out


def _times_sent(histories: Sequence[History], calls: Calls) -> Counter[Pair]:
    """Pairs of fields that one argument was successfully given values of, each with how often it was given the second's."""
    sent = {
        where: Counter(_keys_sent((s for s in group if not is_fault(s)), where[1]))
        for where, group in calls.items()
    }
    keys = frozenset(key for counts in sent.values() for key in counts)
    fields = sets_by_key(
        (key, label)
        for seen in every_call(histories)
        for _, record in _records(seen.value, ())
        for label, value in record.items()
        if (key := name_key(value)) in keys
    )
    times: Counter[Pair] = Counter()
    for counts in sent.values():
        hit: Counter[str] = Counter()
        for key, count in counts.items():
            hit.update(dict.fromkeys(fields.get(key, ()), count))
        times.update({pair: hit[pair[1]] for pair in permutations(hit, 2)})
    return times


def _one_to_one(shown: Iterable[set[tuple[str, str]]]) -> dict[str, str]:
    """Each other name with the main one; empty where a value stands beside two at one place of results, or a name beside two anywhere."""
    out: dict[str, str] = {}
    for rows in shown:
        if len({one for one, _ in rows}) < len(rows) or len({main for _, main in rows}) < len(rows):
            return {}
        for one, main in rows:
            if out.setdefault(one, main) != main:
                return {}
    return {} if out.keys() & set(out.values()) else out


def _takers(
    histories: Sequence[History], calls: Calls, tables: Mapping[Pair, Names]
) -> dict[Where, Pair]:
    """Arguments in which records have several names: equal calls were answered alike there, or at another tool's argument of the name."""
    pasts = pasts_of(histories) if tables else {}
    out: dict[Where, Pair] = {}
    for pair, names in sorted(tables.items(), key=lambda one: (len(one[1]), one[0])):
        known = {*names, *map(name_key, names.values())}
        read = Readings(many=lambda value: value, one=partial(usual_name, names=names))
        alike: dict[Where, int] = {}
        for where, group in calls.items():
            if known.isdisjoint(_keys_sent(group, where[1])) or _repeats(group, where[1], names):
                continue
            count = count_alike(group, where[1], pasts, read)
            if count is not None:
                alike[where] = count
        if sum(alike.values()) >= MIN_ALIKE:
            seen = {where[1] for where, count in alike.items() if count}
            out.update({where: pair for where in alike if where[1] in seen})
    return out


def _repeats(group: Iterable[Observation], name: str, names: Names) -> bool:
    """Whether some place of all results has what was sent, and not the other name, whichever was sent."""
    other = {name_key(main): one for one, main in names.items()}
    other |= {one: name_key(main) for one, main in names.items()}
    places: dict[bool, set[Place]] = {}
    for seen in group:
        value = seen.arguments[name]
        key = name_key(value) if is_plain(value) else ""
        if key in other and not is_fault(seen):
            texts = _texts(seen.value, ())
            repeated = {p for p, text in texts if key in text and other[key] not in text}
            places.setdefault(key in names, repeated).intersection_update(repeated)
    return len(places) > 1 and bool(set.intersection(*places.values()))


def _keys_sent(group: Iterable[Observation], name: str) -> Iterator[str]:
    return map(name_key, scalars_in(seen.arguments[name] for seen in group))


def _records(value: Json, place: Place) -> Iterator[tuple[Place, dict[str, Json]]]:
    """The records in a value with their places, each with its fields that may be names."""
    if isinstance(value, list):
        for item in value:
            yield from _records(item, place)
    elif isinstance(value, dict):
        yield place, {label: v for label, v in value.items() if _may_name(v)}
        for label, inner in value.items():
            yield from _records(inner, (*place, label))


def _may_name(value: Json) -> bool:
    return is_plain(value) and not isinstance(value, float) and 0 < len(name_key(value)) <= LONGEST


def _texts(value: Json, place: Place) -> Iterator[tuple[Place, str]]:
    """Every plain value in a result as text, with its place."""
    if isinstance(value, list):
        for item in value:
            yield from _texts(item, place)
    elif isinstance(value, dict):
        for label, inner in value.items():
            yield from _texts(inner, (*place, label))
    elif is_plain(value):
        yield place, name_key(value)
