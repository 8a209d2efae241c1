"""Fresh values, found: places in results where a tool tells the time of the call or an id drawn by dice.

Comes from observations before anything else is learnt of them; leaves marks in place of such values, so that a tool which
differs in nothing else answers alike. A time is taken for a clock's where it keeps one distance to the moment of its call,
an id for dice where equal calls were never answered with the same one and nobody had named it before. Ids that a later
call asks for are left alone: which recorded call would mean which new id, graders cannot say. Not here: what a session tells
instead (`environments.runtime.views.clock_and_ids`).
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median_low
from string import ascii_lowercase
from typing import Final

from environments.runtime.document.views import FreshPart, MarkPart, ValueForm
from environments.runtime.task.attempt import Json
from environments.runtime.values.formats import (
    DAY,
    SECOND,
    grain,
    is_day,
    number_with_unit,
    read_time,
    short_digest,
)
from environments.runtime.values.mentions import is_name, names_in
from environments.runtime.views.clock_and_ids import (
    WHOLE,
    WORD,
    Marks,
    masked,
    places_of,
)
from synth.world.grouping import lists_by_key, sets_by_key
from synth.world.model import ToolModel
from synth.world.observation import History, Observation, by_tool, every_call
from synth.world.schema.outcomes import tool_of
from synth.world.support import HARDLY_EVER, MOSTLY, NEARLY_ALWAYS, SEEN_SEVERAL_TIMES, SEEN_THRICE
from synth.world.volatile.bench_clock import (
    Place,
    Rows,
    at_one_call,
    bench_clock,
    call_number,
    shared_clock,
    stamps,
    stored,
    times_of,
    usual_clock,
)
from synth.world.volatile.drawn_values import MAX_DRIFT, MIN_LENGTH, format_of_drawn
from synth.world.volatile.idle_values import (
    MOST,
    SOME,
    Pasts,
    idle_places,
    moved_fields,
    usual_number,
    usual_value,
)
from synth.world.volatile.stored_draws import FORMS, mark_stored

MIN_SEEN: Final = SEEN_SEVERAL_TIMES
"""Values, of as many episodes, before a place counts as fresh."""
MIN_SPAN: Final = 20
"""Times that by which the calls have to be apart: stored times and dates of delivery do not move along."""
MIN_REPEATS: Final = SEEN_THRICE
"""Equal calls of different episodes, answered with different ids each time."""
MAX_TAKEN: Final = 5_000


@dataclass(frozen=True, slots=True, kw_only=True)
class FreshPlace:
    """A place with fresh values."""

    tool: str
    place: str
    form: ValueForm
    steady: bool
    """Equal calls were seen to answer alike but for such values: the tool reads."""


def learn_fresh(
    histories: Sequence[History], *, living: bool = False, around: Marks | None = None
) -> FreshPart | None:
    """The fresh places as the world file has them; results get marks there, in place. None where there are none.

    `around`: marks of what stands around all results, which no record keeps. In a living backend stored times and ids come back in later episodes, so only tools that read are marked.
    """
    told = {name: _values_by_place(name, seen) for name, seen in sorted(by_tool(histories).items())}
    loose = _loose_values(told, histories, living=living)
    found = [f for name, t in told.items() for f in _fresh_places(name, t, histories, loose)]
    if living:
        found = [f for f in found if f.steady]
    else:
        found += _stamped(histories, found)
        found += _told_once(histories, {f.tool for f in found})
    marks = {
        mark_name(number): MarkPart(tool=f.tool, place=f.place, form=f.form)
        for number, f in enumerate(found, start=len(around or ()))
    }
    nobodys = [pair for history in histories for pair in _mark(history, marks)]
    for seen, mark, value in stored(histories, marks, nobodys):
        seen.put_content(_mark_shown_again(seen.content, _ShownValue(value=value, mark=mark)))
    if not living:
        free = len(around or ()) + len(marks)
        names = {kind: mark_name(free + at) for at, kind in enumerate(FORMS)}
        marks |= {names[kind]: FORMS[kind] for kind in sorted(mark_stored(histories, names))}
    if not marks and not around:
        return None
    moments = [s.at for s in every_call(histories)]
    gaps = [b.at - a.at for h in histories for a, b in pairwise(h.observations) if b.at > a.at]
    step = median_low(gaps) if gaps else SECOND
    return FreshPart(marks={**(around or {}), **marks}, step=max(step, SECOND), latest=max(moments))


def _stamped(histories: Sequence[History], found: Sequence[FreshPlace]) -> Iterator[FreshPlace]:
    """Other places that bear times of a clock which goes on with the calls."""
    going = next((f.form for f in found if f.form.each is not None), None)
    if going is None:
        return
    for name, seen in sorted(by_tool(histories).items()):
        marked = {f.place for f in found if f.tool == name}
        for place, form in stamps(going, seen, marked).items():
            yield FreshPlace(tool=name, place=place, form=form, steady=False)


def _told_once(histories: Sequence[History], marked: Container[str]) -> Iterator[FreshPlace]:
    """Times of day of tools that were asked at one call of every episode."""
    for name, seen in sorted(by_tool(histories).items()):
        for place, form in at_one_call(seen).items() if name not in marked else ():
            yield FreshPlace(tool=name, place=place, form=form, steady=False)


def tell_times(tools: Iterable[ToolModel], fresh: FreshPart | None) -> None:
    """Tools whose whole answer is the time: calling them changes nothing."""
    known = fresh.marks if fresh is not None else {}
    marks = {f"~time.{code}~" for code, mark in known.items() if mark.form.kind == "time"}
    for tool in tools:
        if tool.kind == "act" and tool.answer is not None and tool.answer[1] in marks:
            tool.kind, tool.says = "constant", "tells the time of the call"


def mark_name(number: int) -> str:
    """A name without digits: a mark must not look like the name of a thing."""
    rest, last = divmod(number, 26)
    return (mark_name(rest - 1) if rest else "") + ascii_lowercase[last]


@dataclass(frozen=True, slots=True)
class _ToolValues:
    """What the successes of one tool tell at each place that most of them have."""

    good: Sequence[Observation]
    places: Mapping[str, Rows]


def _values_by_place(name: str, seen: Sequence[Observation]) -> _ToolValues:
    good = tool_of(name, seen).good()
    values = lists_by_key(
        (place, (one, value)) for one in good for place, value in places_of(one.content).items()
    )
    often: dict[str, Rows] = {}
    for place, rows in values.items():
        alike = _words_of_a_kind(rows) if place.startswith(WORD) else ()
        if len({o.episode for o, _ in alike or rows}) >= MIN_SEEN and (
            alike or len(rows) * 2 >= len(good)
        ):
            often[place] = alike or rows
    return _ToolValues(good, often)


def _words_of_a_kind(rows: Rows) -> Rows:
    """Of the words at a place those of one kind: a tool that says several sentences tells a time in one of them, or a number in half."""
    numbers = _of_usual_kind(rows, number_with_unit)
    return _of_usual_kind(rows, _spelling) or (numbers if len(numbers) * 2 >= len(rows) else [])


def _of_usual_kind(rows: Rows, kind_of: Callable[[Json], Hashable | None]) -> Rows:
    kinds = [kind_of(value) for _, value in rows]
    usual = Counter(kind for kind in kinds if kind is not None).most_common(1)
    return [row for row, kind in zip(rows, kinds, strict=True) if usual and kind == usual[0][0]]


def _spelling(value: Json) -> Hashable | None:
    """The format of a time."""
    found = read_time(value)
    return found[1].spelling if found is not None else None


def _loose_values(
    told: Mapping[str, _ToolValues], histories: Sequence[History], *, living: bool
) -> dict[Place, ValueForm]:
    """Times and numbers of which no record tells, though no rule gives them: times of one clock at several tools, and what says nothing."""
    places = {
        (name, place): rows
        for name, mine in told.items()
        for place, rows in mine.places.items()
        if times_of(rows)[0] and not _is_shown_again(rows, histories)
    }
    loose = shared_clock(places) | _shared_dice(told, histories)
    pasts = Pasts(histories)
    share = MOST if living else SOME
    for name, mine in told.items():
        own = {
            p: form for (n, p), rows in places.items() if n == name and (form := usual_clock(rows))
        }
        for place, rows in mine.places.items():
            number = usual_number(rows) if place.startswith(WORD) and not _counts(rows) else None
            own |= {} if number is None else {place: number}
        # In a backend that lives on, others may have changed a record meanwhile.
        moved = {} if living else moved_fields(mine.good, pasts)
        fields = {
            place: usual_number(rows) or usual_value(rows)
            for place, rows in moved.items()
            if place not in own and place in mine.places and not times_of(rows)[0]
            if not _are_kept(rows, histories)
        }
        own |= {place: form for place, form in fields.items() if form is not None}
        idle = idle_places(mine.good, own, pasts, share=share, still=fields)
        loose |= {(name, place): own[place] for place in idle}
    return loose


def _shared_dice(
    told: Mapping[str, _ToolValues], histories: Sequence[History]
) -> dict[Place, ValueForm]:
    """Ids of one length that several tools draw at one place of their results: hardly a call of any one of them was made twice."""
    alike: dict[tuple[str, int], dict[Place, Rows]] = defaultdict(dict)
    for name, mine in told.items():
        for place, rows in mine.places.items():
            # A tool that says several sentences ends some of them otherwise.
            for length in {len(value) for _, value in rows if isinstance(value, str)}:
                own = [(one, v) for one, v in rows if isinstance(v, str) and len(v) == length]
                if _drawn_form(own, histories) is not None:
                    alike[place, length][name, place] = own
    found: dict[Place, ValueForm] = {}
    for several in alike.values():
        form = dice([row for rows in several.values() for row in rows], histories)
        found |= {} if form is None else dict.fromkeys(several, form)
    return found


def _fresh_places(
    name: str, told: _ToolValues, histories: Sequence[History], loose: Mapping[Place, ValueForm]
) -> list[FreshPlace]:
    forms: dict[str, ValueForm] = {}
    for place, rows in told.places.items():
        form = clock(rows) or passing_time(rows) or bench_clock(rows) or dice(rows, histories)
        if form is not None and not _remembered(rows, histories):
            forms[place] = form
        if (form is None or form.untold) and (name, place) in loose:
            forms[place] = loose[name, place]
    # A word that is counted from both ends is one place: the one where more results have it.
    taken: set[tuple[int, int, str]] = set()
    for place in sorted(forms, key=lambda p: (p != WHOLE, -len(told.places[p]))):
        here = {(o.episode, o.position, str(v)) for o, v in told.places[place]}
        if place.startswith(WORD) and (WHOLE in forms or here & taken):
            del forms[place]
        taken |= here
    steady = bool(forms) and _is_steady(name, told.good, forms)
    return [
        FreshPlace(tool=name, place=place, form=form, steady=steady)
        for place, form in forms.items()
    ]


def _remembered(rows: Sequence[tuple[Observation, Json]], histories: Sequence[History]) -> bool:
    """Whether the values of a place mostly were shown earlier in their episode: then this is where they are stored."""
    again = 0
    for one, value in rows:
        past = _other_results(one, histories[one.episode].observations[: one.position])
        again += any(value in places_of(seen.content).values() for seen in past)
    return again * 2 >= len(rows)


def _other_results(one: Observation, observations: Iterable[Observation]) -> Iterator[Observation]:
    """Those that may show what a call told: not another call of its tool, for two changes in one second are stamped alike."""
    return (
        seen
        for seen in observations
        if seen is not one and (seen.tool != one.tool or seen.key == one.key)
    )


def _is_shown_again(rows: Sequence[tuple[Observation, Json]], histories: Sequence[History]) -> bool:
    """Whether values of a place stand in another result of their episode, more than by accident: a record may keep them."""
    again = sum(
        any(
            str(value) in seen.content
            for seen in _other_results(one, histories[one.episode].observations)
        )
        for one, value in rows
    )
    return again > HARDLY_EVER * len(rows)


def _are_kept(rows: Rows, histories: Sequence[History]) -> bool:
    """Whether values of which each comes once come again in another result: a record keeps them."""
    counts = Counter(str(value) for _, value in rows)
    own = [(one, value) for one, value in rows if counts[str(value)] == 1]
    return len(own) >= NEARLY_ALWAYS * len(rows) and _is_shown_again(own, histories)


def clock(rows: Sequence[tuple[Observation, Json]]) -> ValueForm | None:
    """The format of times that keep their distance to the moments of their calls."""
    read, form = times_of(rows)
    if form is None:
        return None
    away = [moment - one.at for one, moment in read]
    span = max(one.at for one, _ in read) - min(one.at for one, _ in read)
    spread = max(away) - min(away)
    if spread > max(MAX_DRIFT, grain(form) - 1) or span < MIN_SPAN * max(spread, grain(form)):
        return None
    says = "the time of the call, in the recorded format"
    known = replace(form, offset=median_low(away), seen=len(rows), says=says)
    if is_day(form):
        # Where the day begins is known only as far as calls came late and early in the day.
        return replace(known, offset=max(away), latest=min(away) + DAY - 1)
    return known


def passing_time(rows: Rows) -> ValueForm | None:
    """The format of times that went on while the episodes were made, whatever moments the episodes bear.

    Over all episodes in their order they only rise, and equal calls were told unequal ones: what a record keeps is told again, and what
    a call decides is told whenever it is made.
    """
    read, form = times_of(rows)
    if form is None or is_day(form) or len({moment for _, moment in read}) < MIN_SEEN:
        return None
    ordered = sorted(read, key=lambda r: (r[0].at, r[0].episode, r[0].position))
    told = sets_by_key((one.key, moment) for one, moment in read)
    rises = all(before <= after for (_, before), (_, after) in pairwise(ordered))
    return usual_clock(rows) if rises and any(len(few) > 1 for few in told.values()) else None


def moving_form(rows: Rows, histories: Sequence[History]) -> ValueForm | None:
    """The format of what every call is told anew, whatever stands beside it: a clock's times, its own number, or ids drawn by dice."""
    form = clock(rows) or call_number(rows) or dice(rows, histories)
    return usual_clock(rows) if form is None and bench_clock(rows) is not None else form


def dice(rows: Rows, histories: Sequence[History]) -> ValueForm | None:
    """The format of ids that nothing foretold and that no later call asks for."""
    form = _drawn_form(rows, histories)
    if form is None or not _repeats(rows) or _counts(rows):
        return None
    taken = sorted(short_digest(str(value)) for _, value in rows)[:MAX_TAKEN]
    return replace(
        form,
        kept=any(value in s.names for one, value in rows for s in _later_calls(one, histories)),
        says="an id in the recorded alphabet and length, drawn anew",
        seen=len(rows),
        taken=frozenset(taken),
    )


def _drawn_form(rows: Rows, histories: Sequence[History]) -> ValueForm | None:
    """The format of ids, each told once and named by nobody."""
    values = [value for _, value in rows if isinstance(value, str)]
    if len(values) < len(rows) or not _are_names(values):
        return None
    form = format_of_drawn(values)
    return None if form is None or _are_named(rows, histories) else form


def _are_names(values: Sequence[str]) -> bool:
    """Whether they look like names of things; of random signs a few are letters alone, as no other name is, or digits alone, as times are."""
    told = sum(map(is_name, values)) >= MOSTLY * len(values)
    times = sum(read_time(value) is not None for value in values)
    return told and times <= HARDLY_EVER * len(values) and not any(" " in v for v in values)


def _are_named(rows: Sequence[tuple[Observation, Json]], histories: Sequence[History]) -> bool:
    """Whether anything of its episode named one of these values before it was told, or a call of the episode names one."""
    for one, value in rows:
        history = histories[one.episode].observations
        if any(value in seen.names for seen in history[: one.position]):
            return True
        if any(value in names_in(seen.arguments) for seen in history):
            return True
    return False


def _later_calls(one: Observation, histories: Sequence[History]) -> Sequence[Observation]:
    return histories[one.episode].observations[one.position + 1 :]


def _counts(rows: Sequence[tuple[Observation, Json]]) -> bool:
    """Whether values only rise, over all episodes or inside each: a counter or a clock, not dice."""
    ordered = sorted(rows, key=lambda r: (r[0].at, r[0].episode, r[0].position))
    within = [(a[1], b[1]) for a, b in pairwise(ordered) if a[0].episode == b[0].episode]
    rising = [str(a) < str(b) for a, b in within]
    values = [str(value) for _, value in ordered]
    return values == sorted(values) or (len(rising) >= MIN_SEEN and all(rising))


def _repeats(rows: Iterable[tuple[Observation, Json]]) -> bool:
    """Whether enough equal calls of different episodes were told different ids."""
    episodes = sets_by_key((f"{one.tool} {one.key}", one.episode) for one, _ in rows)
    return sum(len(group) - 1 for group in episodes.values()) >= MIN_REPEATS


def _is_steady(name: str, good: Sequence[Observation], forms: Mapping[str, ValueForm]) -> bool:
    marks = {
        mark_name(i): MarkPart(tool=name, place=p, form=f) for i, (p, f) in enumerate(forms.items())
    }
    told: dict[str, set[str]] = defaultdict(set)
    again = 0
    for one in good:
        again += one.key in told
        told[one.key].add(masked(marks, name, one.content)[0])
    return again >= MIN_REPEATS and all(len(texts) == 1 for texts in told.values())


def _mark(history: History, marks: Marks) -> Iterator[tuple[str, Json]]:
    """Put marks into an episode's results; a kept id's mark counts the ids of its place and comes back wherever it is shown.

    Gives the marks of times that nobody can tell and no rule gives, with the times.
    """
    shown: list[_ShownValue] = []
    counts: dict[str, int] = defaultdict(int)
    untold = {code: mark for code, mark in marks.items() if mark.form.untold}
    known = {code: mark for code, mark in marks.items() if code not in untold}
    for seen in history.observations:
        content, values = masked(known, seen.tool, seen.content)
        for one in shown:
            content = _mark_shown_again(content, one)
        # What an earlier call told is known to be that; only what is left then is told by nobody, here and where it is stored.
        content, nobodys = masked(untold, seen.tool, content)
        unknown = {m: v for m, v in nobodys.items() if _form(marks, m).form.origin is None}
        yield from unknown.items()
        for mark, value in (values | unknown).items():
            form = _form(marks, mark)
            numbered = mark
            if form.form.kept:
                counts[mark] += 1
                numbered = f"{mark}{counts[mark]}"
                content = content.replace(mark, numbered)
            shown.append(_ShownValue(value=value, mark=numbered, form=form))
        if content != seen.content:
            seen.put_content(content)


def _form(marks: Marks, mark: str) -> MarkPart:
    """What a mark stands for."""
    return marks[mark.split(".")[1].strip("~")]


@dataclass(frozen=True, slots=True, kw_only=True)
class _ShownValue:
    """A fresh value that a call told."""

    value: Json
    mark: str
    form: MarkPart | None = None


def _mark_shown_again(content: str, one: _ShownValue) -> str:
    """A result that shows a fresh value of an earlier call, with its mark there."""
    value, mark = one.value, one.mark
    if one.form is not None and is_day(one.form.form):
        return content  # other things may well bear the date of the same day
    if isinstance(value, str):
        return content.replace(value, mark) if len(value) >= MIN_LENGTH else content
    return re.sub(rf"(?<![\w.\"-]){re.escape(json.dumps(value))}(?![\w.\"])", f'"{mark}"', content)
