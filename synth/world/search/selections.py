"""Look-ups that pick records out of a list by what a call asks for: what each argument compares, the order, the pages, what stands beside.

Comes from calls that no change came before, and their results. Goes out: for each such tool its selection, with every condition that fits all of
them. What is told of records that nobody asked for in this way is tried on left-out tasks. Not here: how a selection answers
(`environments.runtime.answers.selections`), look-ups of one record by its key (`schema.kinds`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise, product
from typing import Final

from environments.runtime.answers.selections import (
    ASKED,
    HOLDS,
    OPS,
    Row,
    Selection,
    places_meeting,
)
from environments.runtime.document.selections import ConditionPart, SelectionPart
from environments.runtime.task.attempt import Json
from environments.runtime.values.normal import is_number, is_whole, stable
from synth.world.model import Workbench
from synth.world.observation import Observation
from synth.world.search.selected_results import Call, Path, is_whole_list, value_at, with_shell
from synth.world.support import MOSTLY, NEARLY_ALWAYS, SEEN_THRICE, SEEN_TWICE, Support, accept

MIN_CALLS: Final = SEEN_THRICE
"""Different calls that were shown records."""
MIN_LEFT_OUT: Final = SEEN_THRICE
"""Left-out calls, each shown what was foretold."""
MIN_ORDERED: Final = SEEN_TWICE
"""Neighbours in recorded lists that differ in a field by which all lists are sorted."""
FOLDS: Final = 5
MAX_CONDITIONS: Final = 6
MAX_WAYS: Final = 400
"""Combinations of conditions that are tried."""
MAX_RECORDS: Final = 500
MAX_CALLS: Final = 300
"""Different calls that conditions are searched in."""


@dataclass(frozen=True, slots=True)
class _Sight:
    """An object that any tool showed."""

    record: Mapping[str, Json]
    tasks: frozenset[str]


def learn_selections(bench: Workbench) -> None:
    """Set what each look-up picks, in an app whose episodes start alike."""
    if bench.living or bench.own_starts is not None:
        return
    by_tool = _calls_by_tool(bench)
    sights = [
        _Sight(one, call.tasks)
        for calls in by_tool.values()
        for call in calls
        for one in _objects_in(call.value)
    ]
    for name, calls in by_tool.items():
        part = learn_selection(calls, sights)
        if part is not None:
            tool = bench.tools[name]
            tool.selects = part
            tool.evidence["selects"] = {"records": len(part.records), "calls": len(calls)}


def _calls_by_tool(bench: Workbench) -> dict[str, list[Call]]:
    """The different calls of each tool that shows what is there, made before anything was changed and always answered alike."""
    seen: dict[str, dict[str, list[tuple[str, Observation]]]] = defaultdict(dict)
    for history, call, past in bench.with_pasts(bench.has_changed):
        if not past and bench.tools[call.tool].innocent:
            seen[call.tool].setdefault(call.key, []).append((history.task, call))
    found: dict[str, list[Call]] = {}
    for name, by_key in seen.items():
        if all(len({call.content for _, call in told}) == 1 for told in by_key.values()):
            found[name] = [
                Call(told[0][1].arguments, told[0][1].value, told[0][1].content, frozenset(task for task, _ in told))
                for _, told in sorted(by_key.items())[:MAX_CALLS]
            ]  # fmt: skip
    return found


def _objects_in(value: Json) -> Iterator[Mapping[str, Json]]:
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    for inside in value if isinstance(value, list) else ():
        yield from _objects_in(inside)


def learn_selection(calls: Sequence[Call], sights: Sequence[_Sight] = ()) -> SelectionPart | None:
    """What picks the records of these calls, and of those that other tools showed; None where nothing fits all of them."""
    part = _fitted(calls, sights)
    if part is None:
        return None
    held, others, in_part = Counter[bool](), Counter[bool](), Counter[bool]()
    tasks = sorted({task for call in calls for task in call.tasks})
    for fold in range(FOLDS):
        out = frozenset(tasks[fold::FOLDS])
        kept = [call for call in calls if call.tasks - out]
        shown = [sight for sight in sights if sight.tasks - out]
        left = _fitted(kept, shown) if len(kept) < len(calls) else None
        if left is None:
            continue
        asked = Selection(replace(left, is_closed=True, is_closed_in_part=True))
        for call in calls:
            found = asked.answer(call.args) if call.tasks <= out else None
            if found is not None:
                told = held if found.is_complete else in_part if found.by_part else others
                told[_is_same(found.value, found.text, call)] += 1
    if held[False] and not accept(
        Support(cases=held[True], against=held[False]), least=1, share=NEARLY_ALWAYS
    ):
        return None
    return replace(
        part,
        is_closed=_is_foretold(others + in_part),
        is_closed_in_part=_is_foretold(in_part),
    )


def _is_foretold(told: Counter[bool]) -> bool:
    """Whether enough left-out calls were shown what was foretold, and hardly any something else."""
    support = Support(cases=told[True], against=told[False])
    return accept(support, least=MIN_LEFT_OUT, share=MOSTLY)


def _is_same(value: Json, text: str | None, call: Call) -> bool:
    return text == call.content if text is not None else stable(value) == stable(call.value)


def _fitted(calls: Sequence[Call], sights: Sequence[_Sight]) -> SelectionPart | None:
    """Records, conditions, order and pages that give each of these results."""
    place = _list_place(calls)
    if place is None:
        return None
    lists = [value_at(call.value, place) for call in calls]
    records = _records(lists)
    if records is None:
        return None
    more = _other_records(records, sights)
    found = _fitted_to([*records, *more], place, calls, lists) if more else None
    return found or _fitted_to(records, place, calls, lists)


def _other_records(records: Sequence[Json], sights: Sequence[_Sight]) -> list[Json]:
    """Records that other tools showed, with all fields of those in the lists, and each always alike."""
    key = _key_field(records)
    objects = [one for one in records if isinstance(one, dict)]
    names = list(objects[0])
    if key is None or any(one.keys() != set(names) for one in objects):
        return []
    own = {stable(one[key]) for one in objects}
    found: dict[str, dict[str, Json]] = {}
    for sight in sights:
        if sight.record.keys() >= set(names) and stable(sight.record[key]) not in own:
            record: Json = {name: sight.record[name] for name in names}
            found.setdefault(stable(sight.record[key]), {})[stable(record)] = record
    return [next(iter(ways.values())) for ways in found.values() if len(ways) == 1]


def _fitted_to(
    records: Sequence[Json], place: Path, calls: Sequence[Call], lists: Sequence[Json]
) -> SelectionPart | None:
    """The same with these records."""
    keys = {stable(record): at for at, record in enumerate(records)}
    placed = [
        replace(call, shown=tuple(keys[stable(one)] for one in shown) if isinstance(shown, list) else None)
        for call, shown in zip(calls, lists, strict=True)
    ]  # fmt: skip
    empty = {call.content for call in placed if call.shown is None}
    if len(empty) > 1 or sum(bool(call.shown) for call in placed) < MIN_CALLS:
        return None
    whole = SelectionPart(
        records=tuple(records),
        conditions={},
        lists=tuple(dict.fromkeys(call.shown for call in placed if call.shown)),
        place=place,
        empty=next(iter(empty), None),
    )
    known = Selection(whole)
    whole = replace(whole, orders=tuple(_orders(known.rows, whole.lists)))
    fits = [_fit(known.with_rules(part), placed) for part in _with_pages(whole, placed)]
    found = [part for part in fits if part is not None]
    return max(found, key=lambda part: _foretold(known.with_rules(part), placed), default=None)


def _foretold(asked: Selection, calls: Sequence[Call]) -> int:
    """The calls that were shown what the selection says, less those that were shown something else."""
    found = [(asked.select(call.args), call) for call in calls]
    told = Counter(_is_same(one.value, one.text, call) for one, call in found if one is not None)
    return told[True] - told[False]


def _list_place(calls: Sequence[Call]) -> Path | None:
    """The outermost place where results hold a list of records."""
    found: Counter[Path] = Counter()
    for call in calls:
        found.update(_lists_in(call.value, ()))
    most = max(found.values(), default=0)
    places = sorted((path for path, count in found.items() if count * 2 >= most), key=len)
    if not places or (len(places) > 1 and len(places[0]) == len(places[1])):
        return None
    return places[0]


def _lists_in(value: Json, path: Path) -> Iterator[Path]:
    if isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
        yield path
    elif isinstance(value, dict):
        for name, inside in value.items():
            yield from _lists_in(inside, (*path, name))


def _records(lists: Sequence[Json]) -> list[Json] | None:
    """All records of the lists, each once; None where none of their fields names them, or one is shown in two ways."""
    shown = [one for one in lists if isinstance(one, list)]
    records = list({stable(record): record for one in shown for record in one}.values())
    if not 0 < len(records) <= MAX_RECORDS or not all(isinstance(one, dict) for one in records):
        return None
    return None if _key_field(records) is None else records


def _key_field(records: Sequence[Json]) -> str | None:
    """The field that names records."""
    objects = [one for one in records if isinstance(one, dict)]
    for name in objects[0]:
        values = [one.get(name) for one in objects]
        named = all(isinstance(one, str) or is_whole(one) for one in values)
        if named and len(set(map(stable, values))) == len(values):
            return name
    return None


def _orders(rows: Sequence[Row], lists: Sequence[Sequence[int]]) -> Iterator[tuple[str, bool]]:
    """The fields by which every list is sorted, with the direction."""
    pairs = [pair for one in lists for pair in pairwise(one)]
    for name in sorted({name for row in rows for name in row}):
        values = [(rows[left].get(name), rows[right].get(name)) for left, right in pairs]
        differing = [(left, right) for left, right in values if left != right]
        if len(differing) < MIN_ORDERED or not all(
            (isinstance(left, str) and isinstance(right, str))
            or (is_number(left) and is_number(right))
            for left, right in differing
        ):
            continue
        ways = {left < right for left, right in differing}  # type: ignore[operator]  # both texts or numbers
        if len(ways) == 1:
            yield name, ways.pop()


def _with_pages(whole: SelectionPart, calls: Sequence[Call]) -> Iterator[SelectionPart]:
    """The selection without pages, and with each argument that may be a page or its size."""
    yield whole
    yield replace(whole, most=_longest(calls, None))
    names = sorted({name for call in calls for name in call.args})
    counts_only = [
        name
        for name in names
        if all(is_whole(call.args[name]) for call in calls if name in call.args)
    ]
    for size in counts_only:
        longest = _longest(calls, size)
        yield replace(whole, size=size)
        yield replace(whole, size=size, most=longest)
        yield replace(whole, page=size, most=_longest(calls, None))
        for page in counts_only:
            if page != size:
                yield replace(whole, size=size, page=page, most=longest)


def _longest(calls: Sequence[Call], size: str | None) -> int:
    """Records of the longest list that no argument made so long."""
    return max((len(call.shown or ()) for call in calls if size not in call.args), default=0)


def _fit(known: Selection, calls: Sequence[Call]) -> SelectionPart | None:
    """The selection with all conditions that give each result; None where none do."""
    whole, rows = known.part, known.rows
    names = sorted({name for call in calls for name in call.args} - {whole.size, whole.page})
    candidates = {
        name: _conditions(name, calls, rows) or _recorded_condition(name, whole, calls)
        for name in names
    }
    if not all(candidates.values()) or all(one[0].op == ASKED for one in candidates.values()):
        return None
    fitting: dict[str, list[ConditionPart]] = {name: [] for name in names}
    part = whole
    for way in islice(product(*candidates.values()), MAX_WAYS):
        chosen = dict(zip(names, way, strict=True))
        asked = replace(part, conditions={n: (one,) for n, one in chosen.items()})
        tried = with_shell(known.with_rules(asked), calls)
        if tried is None or not _gives_all(known.with_rules(tried), calls):
            continue
        part = tried
        for name, one in chosen.items():
            if one not in fitting[name]:
                fitting[name].append(one)
    if not all(fitting.values()):
        return None
    whole_calls = (
        {n: v for n, v in call.args.items() if n not in (part.size, part.page)}
        for call in calls
        if is_whole_list(part, call)
    )
    complete = tuple({stable(one): one for one in whole_calls}.values())
    return replace(part, conditions={n: tuple(c) for n, c in fitting.items()}, complete=complete)


def _gives_all(asked: Selection, calls: Sequence[Call]) -> bool:
    """Whether the selection says of no recorded call anything else than was shown, and of most of them that."""
    # Of a page nobody knows what the others hold.
    found = [(asked.select(call.args), call) for call in calls if is_whole_list(asked.part, call)]
    told = [_is_same(one.value, one.text, call) for one, call in found if one is not None]
    return all(told) and len(told) * 2 > len(found)


def _conditions(name: str, calls: Sequence[Call], rows: Sequence[Row]) -> list[ConditionPart]:
    """What an argument may compare: conditions that every record met that it was shown, the narrowest first."""
    given = [(call.args[name], call.shown) for call in calls if name in call.args and call.shown]
    if not given:
        return []
    least = min((len(value) for value, _ in given if isinstance(value, str)), default=0)
    fields = sorted({one for row in rows for one in row})
    ways = [(op, (one,)) for op in OPS if op != HOLDS for one in fields]
    found = [ConditionPart(op=op, fields=names) for op, names in ways]
    found += [
        ConditionPart(op=HOLDS, fields=names, least=least)
        for names in _holding(given, rows, fields)
    ]
    fitting = [
        one for one in found if all(_meets_all(one, value, shown, rows) for value, shown in given)
    ]
    widths = [
        sum(len(places_meeting(one, value, rows) or ()) for value, _ in given) for one in fitting
    ]
    narrowest = sorted(zip(widths, range(len(fitting)), strict=True))[:MAX_CONDITIONS]
    return [fitting[at] for _, at in narrowest]


def _meets_all(
    condition: ConditionPart, value: Json, shown: Sequence[int], rows: Sequence[Row]
) -> bool:
    """Whether every record that a call was shown meets a condition."""
    found = places_meeting(condition, value, [rows[place] for place in shown])
    return found is not None and len(found) == len(shown)


def _recorded_condition(
    name: str, part: SelectionPart, calls: Sequence[Call]
) -> list[ConditionPart]:
    """What an argument that no field holds was seen to pick, in calls that ask for nothing else."""
    paging = {part.size, part.page}
    alone = {
        stable(call.args[name]): call.shown
        for call in calls
        if call.args.keys() - paging == {name} and is_whole_list(part, call)
    }
    known = {value: shown for value, shown in alone.items() if shown is not None}
    return [ConditionPart(op=ASKED, known=known)] if known else []


def _holding(
    given: Sequence[tuple[Json, Sequence[int]]], rows: Sequence[Row], fields: Sequence[str]
) -> list[tuple[str, ...]]:
    """Fields of which one meets the value in every record shown: as few as do, and all that ever did."""
    cases = {(at, place) for at, (_, shown) in enumerate(given) for place in shown}
    hits = {
        name: {
            (at, place) for at, place in cases if OPS[HOLDS](rows[place].get(name), given[at][0])
        }
        for name in fields
    }
    hits = {name: hit for name, hit in hits.items() if hit}
    if set[tuple[int, int]]().union(*hits.values()) != cases:
        return []
    few: list[str] = []
    left = set(cases)
    while left:
        best = max(hits, key=lambda name: len(hits[name] & left))
        few.append(best)
        left -= hits[best]
    return list(dict.fromkeys((tuple(sorted(few)), tuple(hits))))
