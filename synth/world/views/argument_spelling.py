"""Spellings, found: arguments that a tool takes in several casings, with spaces around them, as text or number, in any order.

Comes from observations without what stands around results; leaves their arguments in one spelling, in place. Calls that differ in
the spelling of one argument alone must have been answered alike, in words that no other call was told, and never otherwise after an
equal past; no answer may repeat what was sent. Not here: spelling the calls of a session (`environments.runtime.views.argument_spelling`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Final

from environments.runtime.answers.outcome import ERROR_WORDS
from environments.runtime.document.views import SpellingPart
from environments.runtime.task.attempt import Json
from environments.runtime.values.normal import is_plain, stable
from environments.runtime.views.argument_spelling import (
    CASE,
    KINDS,
    NUMBER,
    ORDER,
    TRIM,
    folded,
    recorded_spelling,
)
from synth.world.grouping import lists_by_key, sets_by_key
from synth.world.observation import History, Observation, every_call

MIN_ALIKE: Final = {TRIM: 2, CASE: 2, NUMBER: 3, ORDER: 3}
"""Calls answered alike in two spellings, over all tools that take an argument of the name.

A word of which nobody else was told the same is one word; a sum of two lists may be the same by accident.
"""

UNSPELT: Final = SpellingPart(
    kinds=frozenset(), spelt={}, upper=None, text=False, refused=False, support=0, sure=True
)
"""Of an argument that is taken in one spelling only."""

Where = tuple[str, str]
"""A tool and one of its arguments."""
Kinds = frozenset[str]
Pasts = Mapping[int, int]
"""Per observation (by identity): what stands for all calls and answers before it in its episode."""


def learn_spelling(histories: Sequence[History]) -> dict[str, dict[str, SpellingPart]]:
    """Forms by tool and argument; the calls are spelt so from here on."""
    calls = calls_by_argument(histories)
    kinds: dict[Where, Kinds] = dict.fromkeys(calls, frozenset())
    alike: Counter[Where] = Counter()
    pasts: Pasts = {}
    for kind in KINDS:
        tried = {w: c for w, c in calls.items() if _two_ways(c, w[1], kinds[w], kind)}
        if not tried:
            continue
        pasts = pasts or pasts_of(histories)
        found = {
            w: count_alike(c, w[1], pasts, _foldings(kinds[w], kind)) for w, c in tried.items()
        }
        pooled: Counter[str] = Counter()
        for (_, name), n in found.items():
            pooled[name] += n or 0
        for where, n in found.items():
            if n is None or pooled[where[1]] < MIN_ALIKE[kind]:
                continue
            if n:
                kinds[where] |= {kind}
                alike[where] += n
    spelt_so = {where: kind for where, kind in kinds.items() if kind}
    return _spelling_parts(histories, calls, spelt_so, alike) if spelt_so else {}


def calls_by_argument(histories: Iterable[History]) -> dict[Where, list[Observation]]:
    """The calls that give an argument a plain value or a list, by tool and argument."""
    return lists_by_key(
        ((seen.tool, name), seen)
        for seen in every_call(histories)
        for name, value in seen.arguments.items()
        if isinstance(value, list) or is_plain(value)
    )


def _two_ways(group: Iterable[Observation], name: str, before: Kinds, kind: str) -> bool:
    """Whether an argument took two values that one more kind of folding makes one."""
    ways = sets_by_key(
        (stable(folded(value, before | {kind})), stable(folded(value, before)))
        for value in {stable(seen.arguments[name]): seen.arguments[name] for seen in group}.values()
    )
    return any(len(way) > 1 for way in ways.values())


def pasts_of(histories: Iterable[History]) -> Pasts:
    """What was done and answered before each call."""
    out: dict[int, int] = {}
    for history in histories:
        past = 0
        for seen in history.observations:
            out[id(seen)] = past
            past = hash((past, seen.tool, seen.key, seen.content))
    return out


@dataclass(frozen=True, slots=True)
class Readings:
    """Two ways to read an argument: `many` has values apart that are one in `one`."""

    many: Callable[[Json], Json]
    one: Callable[[Json], Json]


def _foldings(before: Kinds, kind: str) -> Readings:
    return Readings(partial(folded, kinds=before), partial(folded, kinds=before | {kind}))


def count_alike(
    group: Iterable[Observation], name: str, pasts: Pasts, read: Readings
) -> int | None:
    """Calls answered alike that differ in one argument, and there by the finer reading alone; None where some were not after equal pasts."""
    same: dict[tuple[str, str], dict[str, list[Observation]]] = defaultdict(
        lambda: defaultdict(list)
    )
    said: dict[str, set[str]] = defaultdict(set)
    for seen in group:
        value = seen.arguments[name]
        one = stable(read.one(value))
        rest = stable({n: v for n, v in seen.arguments.items() if n != name})
        same[one, rest][stable(read.many(value))].append(seen)
        said[seen.content].add(one)
    count = 0
    for ways in same.values():
        for left, right in combinations(ways.values(), 2):
            if _differ(left, right, pasts):
                return None
            shared = {s.content for s in left} & {s.content for s in right}
            count += any(len(said[content]) == 1 for content in shared)
    return count


def _differ(left: Iterable[Observation], right: Iterable[Observation], pasts: Pasts) -> bool:
    """Whether two spellings were answered otherwise where all that was done before is the same."""
    told = sets_by_key((pasts[id(seen)], seen.content) for seen in left)
    return any(seen.content not in told.get(pasts[id(seen)], {seen.content}) for seen in right)


def is_fault(seen: Observation) -> bool:
    """Whether a call was refused."""
    if seen.is_error:
        return True
    return isinstance(seen.value, dict) and any(seen.value.get(word) for word in ERROR_WORDS)


def _spelling_parts(
    histories: Sequence[History],
    calls: Mapping[Where, Sequence[Observation]],
    kinds: Mapping[Where, Kinds],
    alike: Mapping[Where, int],
) -> dict[str, dict[str, SpellingPart]]:
    """The forms, with recorded spellings; calls whose answers repeat what was sent stay as they are."""
    shown = _count_shown(histories)
    out: dict[str, dict[str, SpellingPart]] = defaultdict(dict)
    for where, group in calls.items():
        if where not in kinds:
            continue
        form = _form(group, where[1], kinds[where], shown)
        if any(_repeats(seen, where[1], form) for seen in group if not is_fault(seen)):
            continue
        refused = [s for s in group if is_fault(s) and _is_respelt(s, where[1], form)]
        tells = bool(refused) and not any(_repeats(seen, where[1], form) for seen in refused)
        out[where[0]][where[1]] = replace(form, refused=tells, support=alike[where])
    for (tool, name), group in calls.items():
        if name not in out.get(tool, {}):
            continue
        for seen in group:
            plain = recorded_spelling(seen.arguments[name], out[tool][name])
            if plain != seen.arguments[name]:
                seen.put_arguments({**seen.arguments, name: plain})
    _doubt(out, calls)
    return dict(out)


def _doubt(
    out: dict[str, dict[str, SpellingPart]], calls: Mapping[Where, Sequence[Observation]]
) -> None:
    """Of other tools that take an argument of the name, and had it in no other spelling: nobody knows what they make of one."""
    best: dict[str, SpellingPart] = {}
    for forms in out.values():
        for name, form in forms.items():
            if name not in best or form.support > best[name].support:
                best[name] = form
    for (tool, name), group in calls.items():
        usual = best.get(name)
        if usual is None or name in out.get(tool, {}):
            continue
        if not any(_is_respelt(seen, name, usual) for seen in group):
            doubted = replace(usual, refused=False, support=0, sure=False)
            out.setdefault(tool, {})[name] = doubted


def _count_shown(histories: Iterable[History]) -> Counter[str]:
    """How often each word, and each number, stands in results, as JSON."""
    return Counter(
        stable(part)
        for seen in every_call(histories)
        for part in _parts(seen.value)
        if isinstance(part, str | int | float)
    )


def _form(
    group: Sequence[Observation], name: str, kinds: Kinds, shown: Mapping[str, int]
) -> SpellingPart:
    sent = Counter(scalars_in(seen.arguments[name] for seen in group))
    ways: dict[str, list[str]] = defaultdict(list)
    texts = numbers = 0
    for value, _ in sorted(sent.items(), key=lambda c: (-c[1], str(c[0]))):
        plain = folded(value, kinds)
        if isinstance(plain, str):
            ways[plain].append(str(folded(value, kinds - {CASE})))
        elif NUMBER in kinds:
            texts += shown.get(stable(stable(plain)), 0)
            numbers += shown.get(stable(plain), 0)
    best = {}
    if CASE in kinds:
        by_fold: dict[str, Counter[str]] = defaultdict(Counter)
        for text, n in shown.items():
            if text.startswith('"') and (low := text[1:-1].casefold()) in ways:
                by_fold[low][text[1:-1]] += n
        best = {
            low: max(sorted(by_fold[low]), key=lambda t: by_fold[low][t])
            if low in by_fold
            else way[0]
            for low, way in sorted(ways.items())
        }
    cased = [t for t in best.values() if t.upper() != t.lower()]
    upper = (
        True if all(map(str.isupper, cased)) else False if all(map(str.islower, cased)) else None
    )
    return SpellingPart(
        kinds=kinds,
        spelt=best if upper is None else {},
        upper=upper if cased else None,
        text=texts > numbers,
        refused=False,
        support=0,
        sure=True,
    )


def scalars_in(values: Iterable[Json]) -> Iterator[str | int | float]:
    """The plain values among some, and in lists of them."""
    for value in values:
        if isinstance(value, list):
            yield from scalars_in(value)
        elif is_plain(value):
            yield value


def _is_respelt(seen: Observation, name: str, form: SpellingPart) -> bool:
    return bool(recorded_spelling(seen.arguments[name], form) != seen.arguments[name])


def _repeats(seen: Observation, name: str, form: SpellingPart) -> bool:
    """Whether a result has the argument as it was sent, where the recorded spelling is another."""
    value = seen.arguments[name]
    plain = recorded_spelling(value, form)
    if value == plain:
        return False
    if any(part == value for part in _parts(seen.value)):
        return True
    text = value.strip() if isinstance(value, str) else None
    return bool(text) and text != plain and str(text) in seen.content


def _parts(value: Json) -> Iterator[Json]:
    """A value and all that is in it."""
    yield value
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for item in inside:
        yield from _parts(item)
