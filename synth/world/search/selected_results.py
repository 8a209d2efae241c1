"""Results of look-ups that pick records: a list, and what stands beside it.

Comes from calls with the places of the records that they were shown, and from what picks them. Goes out: the selection with a result around its
list, and all rules that give what stands there. Not here: what picks the records (`selections`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from environments.runtime.answers.selections import (
    Counts,
    Selection,
    beside_value,
    names_asked,
    size_and_page,
    with_value,
    without_arguments,
)
from environments.runtime.document.selections import BesidePart, SelectionPart
from environments.runtime.expr.gaps import NoValueError
from environments.runtime.task.attempt import Json
from environments.runtime.values.normal import is_whole, stable

KINDS: Final = ("total", "shown", "page", "pages", "size", "more")
"""What may be counted of a result."""
COUNTED: Final = (*KINDS, "const")

Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Call:
    """One different call and what it was shown."""

    args: Mapping[str, Json]
    value: Json
    content: str
    tasks: frozenset[str]
    shown: tuple[int, ...] | None = None
    """Places of the records; None where the result holds no list."""


def value_at(value: Json, path: Path) -> Json:
    """What stands at a place of a result; None where nothing does."""
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def is_whole_list(part: SelectionPart, call: Call) -> bool:
    """Whether a call was shown everything that meets it."""
    if part.size is None and part.most is None:
        return True
    size, page = size_and_page(part, call.args)
    return page == 1 and is_whole(size) and len(call.shown or ()) < size


def with_shell(asked: Selection, calls: Sequence[Call]) -> SelectionPart | None:
    """The selection with what stands in results beside the list; None where something there is not understood."""
    part = asked.part
    if not part.place or part.shell is not None:
        return part
    listed: list[_ListedCall] = []
    for call in calls:
        if call.shown is not None:
            found = asked.records_of(call.args)
            shown = [asked.rows[place] for place in call.shown]
            total = len(shown) if found is None else len(found)
            counted = Counts(total, shown, *size_and_page(part, call.args))
            listed.append(_ListedCall(call, counted, is_whole_list(part, call)))
    if not any(one.is_whole for one in listed):
        return None
    shell = max((one.call.value for one in listed), key=lambda value: len(stable(value)))
    beside: list[BesidePart] = []
    for path in _paths_beside(shell, part.place, ()):
        rules = [(_fitting(rule, listed), rule) for rule in _rules(path, listed)]
        best = max((fit for fit, _ in rules), default=0)
        if not best:
            return None
        fitting = [rule for fit, rule in rules if fit == best]
        counted_ways = [rule for rule in fitting if rule.kind in COUNTED]
        beside += counted_ways if fitting[0].kind in COUNTED else fitting[:1]
    return replace(part, shell=with_value(shell, part.place, None), beside=tuple(beside))


@dataclass(frozen=True, slots=True)
class _ListedCall:
    """A call that was shown a list, what is counted of it, and whether the list has all that meets the call."""

    call: Call
    counted: Counts
    is_whole: bool


def _fitting(rule: BesidePart, listed: Sequence[_ListedCall]) -> int:
    """The results that have at a place what a rule says; none where a whole list has something else."""
    count = 0
    for one in listed:
        try:
            told = beside_value(rule, one.call.args, one.counted)
            is_told = stable(told) == stable(value_at(one.call.value, rule.path))
        except NoValueError:
            is_told = rule.kind == "sum" and not one.counted.rows
        if one.is_whole and not is_told:
            return 0
        count += is_told
    return count


def _paths_beside(value: Json, place: Path, path: Path) -> Iterator[Path]:
    if isinstance(value, dict) and value:
        for name, inside in value.items():
            if (*path, name) != place:
                yield from _paths_beside(inside, place, (*path, name))
    else:
        yield path


def _rules(path: Path, listed: Sequence[_ListedCall]) -> Iterator[BesidePart]:
    """What may give the value at one place, the likeliest first."""
    told = [(one.call.args, value_at(one.call.value, path)) for one in listed]
    for kind in KINDS:
        yield BesidePart(path=path, kind=kind)
    yield BesidePart(path=path, kind="const", value=told[0][1])
    for name in sorted({name for one in listed for row in one.counted.rows for name in row}):
        yield BesidePart(path=path, kind="sum", of=name)
    for name in sorted({name for args, _ in told for name in args}):
        yield BesidePart(path=path, kind="argument", of=name)
        by = {stable(args[name]): value for args, value in told if name in args}
        yield BesidePart(path=path, kind="by", of=name, by=by)
    written: dict[str, Json] = {}
    for args, value in told:
        if isinstance(value, str):
            written.setdefault(names_asked(args), without_arguments(value, args))
    yield BesidePart(path=path, kind="written", by=written)
