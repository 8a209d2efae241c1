"""Bench clock: times that start anew with every episode and go on with its calls.

Comes in: the values of one place in a tool's results. Comes out: the format of the times there, with the rule where every call takes the
same time. Where there is such a clock, `stamps` finds the other places that bear its times, and `stored` those whose times
nobody can tell. Not here: times that keep their distance to the moments of their calls (`clock_and_ids`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median_low
from typing import Final

from environments.runtime.document.views import ValueForm
from environments.runtime.task.attempt import Json
from environments.runtime.values.formats import (
    DAY,
    SECOND,
    fits,
    grain,
    is_day,
    read_time,
    read_written,
    write_time,
)
from environments.runtime.values.mentions import fields_in
from environments.runtime.views.clock_and_ids import Marks, places_of
from synth.world.grouping import sets_by_key
from synth.world.observation import History, Observation, every_call
from synth.world.support import SEEN_THRICE

Rows = Sequence[tuple[Observation, Json]]
Place = tuple[str, str]
"""A tool, and a place in its results."""
MIN_SPAN: Final = 20
"""Times that by which calls are further apart than the times that they tell, where the clock starts anew with every episode."""
MIN_UNLIKE: Final = SEEN_THRICE
"""Different calls, each answered with unequal times, before these are a clock's and not something's own."""
MOST_DIGITS: Final = 18
"""Longer numbers are ids."""
UNTOLD: Final = "the time of a clock of its own, which nobody can tell"
MIN_PLACES: Final = SEEN_THRICE
"""Different places in an episode at which a rule must have told the time."""


def times_of(
    rows: Sequence[tuple[Observation, Json]],
) -> tuple[list[tuple[Observation, int]], ValueForm | None]:
    """The moments (ns) that all values of a place tell, and their one format; None where some tell none, or in another."""
    told = [(one, read_time(value)) for one, value in rows]
    read = [(one, *found) for one, found in told if found is not None]
    if not read or len(read) < len(rows):
        return [], None
    forms = {form.spelling: form for _, _, form in read}
    if len(forms) == 1:
        return [(one, moment) for one, moment, _ in read], read[0][2]
    # Whether the day or the month comes first only some days of a place say.
    for form in forms.values():
        moments = [(one, read_written(value, form)) for one, value in rows]
        if all(moment is not None for _, moment in moments):
            return [(one, moment) for one, moment in moments if moment is not None], form
    return [], None


def bench_clock(rows: Sequence[tuple[Observation, Json]]) -> ValueForm | None:
    """The format of times that move with the calls of an episode; without a rule nobody can tell one."""
    read, form = times_of(rows)
    if form is None or is_day(form):
        return None
    rule = _rule_of(read)
    if not _goes_on(rule) and not _moves(read):
        return None
    if rule is None:
        return replace(form, seen=len(rows), untold=True, says=UNTOLD)
    return _going_on(replace(form, seen=len(rows)), rule)


def _going_on(form: ValueForm, rule: tuple[int, int]) -> ValueForm:
    says = "the time of a clock that starts anew and goes on with every call"
    return replace(form, origin=rule[0], each=rule[1], offset=None, says=says)


def call_number(rows: Rows) -> ValueForm | None:
    """The format of numbers that start anew with every episode and go on with its calls, as a log numbers them; None of others."""
    texts = [str(value) for _, value in rows]
    if any(isinstance(value, bool) for _, value in rows) or not all(
        text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS for text in texts
    ):
        return None
    rule = _rule(
        {(one.position + 1, int(text)) for (one, _), text in zip(rows, texts, strict=True)}
    )
    if rule is None or not rule[1]:
        return None
    return ValueForm(
        kind="number",
        value=rows[0][1],
        says="a number that starts anew and goes on with every call",
        seen=len(rows),
        origin=rule[0],
        each=rule[1],
    )


def usual_clock(rows: Sequence[tuple[Observation, Json]]) -> ValueForm | None:
    """The format of times of which no record tells: by the rule of the episode's clock, else at the usual distance to the call."""
    read, form = times_of(rows)
    known = bench_clock(rows)
    if form is None or (known is not None and known.origin is not None):
        return known
    moments, calls = [moment for _, moment in read], [one.at for one, _ in read]
    if max(calls) - min(calls) > MIN_SPAN * (max(moments) - min(moments)):
        says = "a time that says nothing of the answer: of a clock that starts anew"
        return replace(form, seen=len(rows), origin=min(moments), says=says)
    away = median_low([moment - one.at for one, moment in read])
    says = "a time that says nothing of the answer: at the usual distance to the call"
    return replace(form, seen=len(rows), offset=away, says=says)


def shared_clock(places: Mapping[Place, Rows]) -> dict[Place, ValueForm]:
    """Of places of several tools those that tell one clock: in every episode later calls tell later times, wherever they tell them."""
    found: dict[Place, ValueForm] = {}
    spelt: dict[tuple[object, ...], list[Place]] = defaultdict(list)
    for place, rows in sorted(places.items(), key=lambda item: -len(item[1])):
        form = usual_clock(rows)
        if form is not None and not is_day(form):
            spelt[form.spelling].append(place)
            found[place] = form
    shared: set[Place] = set()
    for several in spelt.values():
        mine: list[Place] = []
        for place in several:
            together = [row for p in (*mine, place) for row in times_of(places[p])[0]]
            mine += [place] if _rises(together) else []
        told = [row for p in mine for row in times_of(places[p])[0]]
        rule = _rule_of(told)
        if len({tool for tool, _ in mine}) > 1 and (_goes_on(rule) or _moves(told)):
            shared.update(mine)
            found |= {p: _going_on(found[p], rule) for p in mine if rule is not None}
    starts = [form.origin for p, form in found.items() if p in shared and form.origin is not None]
    return {
        place: form if form.origin is None or form.each else replace(form, origin=min(starts))
        for place, form in found.items()
        if place in shared
    }


def stamps(
    clock: ValueForm, seen: Sequence[Observation], marked: Collection[str]
) -> dict[str, ValueForm]:
    """Further places of one tool where times of a clock stand: of the call itself, or of an earlier one, which nobody can tell."""
    own: dict[str, list[bool]] = defaultdict(list)
    passed: set[str] = set()
    respelt: dict[str, list[ValueForm | None]] = defaultdict(list)
    for one in seen:
        for place, value in places_of(one.content).items():
            found = read_time(value) if place not in marked else None
            if found is None:
                continue
            if not fits(clock, value):
                respelt[place].append(_respelt(clock, found[1], one, value))
                continue
            calls = (found[0] - (clock.origin or 0)) // (clock.each or 1)
            own[place].append(calls == one.position + 1)
            # A time that no call had yet, before the start or to come, is not the clock's.
            passed |= {place} if 0 < calls <= one.position + 1 else set()
    told = {
        place: clock if all(now) else replace(clock, untold=True, says=UNTOLD)
        for place, now in own.items()
        if place in passed
    }
    for place, forms in respelt.items():
        form, is_one = forms[0], forms.count(forms[0]) == len(seen)
        if form is not None and is_one and place not in own:
            told[place] = form
    return told


def _respelt(clock: ValueForm, form: ValueForm, seen: Observation, value: Json) -> ValueForm | None:
    """The format of a time that is the clock's at this call in another spelling; a spelling without seconds is met by chance."""
    if clock.origin is None or not clock.each or grain(form) > SECOND:
        return None
    if write_time(form, clock.origin + clock.each * (seen.position + 1)) != value:
        return None
    # A time without a date is read as one of the first day there is.
    origin = clock.origin % DAY if form.form == "clock" else clock.origin
    return replace(form, origin=origin, each=clock.each, says=clock.says)


def at_one_call(seen: Sequence[Observation]) -> dict[str, ValueForm]:
    """Times of day that a tool without arguments told at one and the same call of every episode: what it tells at another one nobody saw."""
    numbers = {one.position + 1 for one in seen}
    often = len({one.episode for one in seen}) >= SEEN_THRICE
    if not often or len(numbers) > 1 or any(one.arguments for one in seen):
        return {}
    found: dict[str, ValueForm] = {}
    told = [(one, places_of(one.content)) for one in seen]
    for place in told[0][1]:
        read, form = times_of([(one, values.get(place)) for one, values in told])
        if form is not None and not is_day(form) and len({moment for _, moment in read}) == 1:
            says = "a time that was told at one call of every episode"
            found[place] = replace(
                form, seen=len(read), origin=read[0][1], at=min(numbers), says=says
            )
    return found


def stored(
    histories: Sequence[History],
    marks: Marks,
    told: Sequence[tuple[str, Json]],
) -> Iterator[tuple[Observation, str, Json]]:
    """Times of a clock that nobody can tell, where records keep them: in fields that show told ones, from the first told one on.

    A call that said nothing may have written them.
    """
    first: dict[str, int] = {}
    for mark, value in told:
        found = read_time(value)
        if found is not None:
            first[mark] = min(first.get(mark, found[0]), found[0])
    forms = {mark: marks[mark.split(".")[1].strip("~")] for mark in first}
    own = {(form.tool, form.place.rsplit("/", 1)[-1]) for form in forms.values()}
    fields = {
        (seen.tool, name): str(value)
        for seen in every_call(histories)
        for name, value in _fields(seen.value)
        if value in first and (seen.tool, name) not in own
    }
    for seen in every_call(histories) if fields else ():
        for name, value in dict.fromkeys(_fields(seen.value)):
            known = fields.get((seen.tool, name))
            found = read_time(value) if known is not None else None
            if known is None or found is None or found[0] < first[known]:
                continue
            if fits(forms[known].form, value):
                yield seen, known, value


def _fields(value: Json) -> Iterator[tuple[str, Json]]:
    """All single values of a result under the names of their fields."""
    for path, one in fields_in(value):
        yield next((name for name in reversed(path) if name is not None), ""), one


def _moves(read: Sequence[tuple[Observation, int]]) -> bool:
    """Whether times only rise inside an episode, while equal calls of different episodes were told unequal ones."""
    if not _rises(read):
        return False
    by_call = sets_by_key((f"{one.tool} {one.key}", moment) for one, moment in read)
    return sum(len(moments) > 1 for moments in by_call.values()) >= MIN_UNLIKE


def _rises(read: Sequence[tuple[Observation, int]]) -> bool:
    ordered = sorted(read, key=lambda r: (r[0].episode, r[0].position))
    return all(
        before < after or one is other
        for (one, before), (other, after) in pairwise(ordered)
        if one.episode == other.episode
    )


def _rule_of(read: Sequence[tuple[Observation, int]]) -> tuple[int, int] | None:
    return _rule({(one.position + 1, moment) for one, moment in read})


def _goes_on(rule: tuple[int, int] | None) -> bool:
    """Whether a rule takes every call further: times of records that follow it by chance are rarer than tasks whose calls have one place."""
    return rule is not None and rule[1] > 0


def _rule(points: set[tuple[int, int]]) -> tuple[int, int] | None:
    """Where such a clock starts and how far one call takes it, if that gives every recorded time."""
    if len({at for at, _ in points}) < MIN_PLACES:
        return None
    (first, start), (last, end) = min(points), max(points)
    each = (end - start) // (last - first)
    origin = start - each * first
    return (origin, each) if all(origin + each * at == moment for at, moment in points) else None
