"""Look-ups that pick records: those of a list that meet what a call asks for, in their order, a page of them.

Goes in: a selection as the world file has it, and the arguments of a call in normal form. Comes out: the result that follows, or None where
nobody knows: a value that was never asked for and that no field holds, conditions that fit all recordings and differ here, records whose order
no recording tells, or records that may exist and were never shown. Not here: whether an earlier call may have changed them (`reads`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cmp_to_key
from itertools import product
from math import prod
from typing import Final

from ..document.selections import BesidePart, ConditionPart, SelectionPart
from ..expr.gaps import NoValueError
from ..task.attempt import Json
from ..values.normal import is_number, is_whole, stable

Row = Mapping[str, Json]
"""A record's fields by their paths."""
ASKED: Final = "asked"
HOLDS: Final = "holds"
_MOST_WAYS: Final = 64
"""Ways to combine conditions; with more nobody knows."""
_CENTS: Final = 2
_NUMBER: Final = re.compile(r"-?\d+(?:\.\d+)?")


def _folded(value: Json) -> str:
    return str(value).casefold().strip()


def _is_same(held: Json, asked: Json) -> bool:
    """Whether two values are one; a field that says nothing, or is not there, is the same as no value."""
    return (
        held is not None and not isinstance(held, list | dict) and _folded(held) == _folded(asked)
    )


def _holds(held: Json, asked: Json) -> bool:
    return isinstance(held, str) and _folded(asked) in _folded(held)


def _lists(held: Json, asked: Json) -> bool:
    return isinstance(held, list) and any(_is_same(one, asked) for one in held)


def _is_among(held: Json, asked: Json) -> bool:
    return isinstance(asked, list) and any(
        _lists([held], one) or _lists(held, one) for one in asked
    )


def _lists_all(held: Json, asked: Json) -> bool:
    return isinstance(asked, list) and all(_lists(held, one) for one in asked)


def _order(left: Json, right: Json) -> int | None:
    """Which of two values comes first, below 0 for the left one: by number, also where a text is one, else as texts; None where they have no order."""
    numbers = _number(left), _number(right)
    if numbers[0] is not None and numbers[1] is not None:
        return (numbers[0] > numbers[1]) - (numbers[0] < numbers[1])
    if isinstance(left, str) and isinstance(right, str):
        return (left > right) - (left < right)
    return None


def _number(value: Json) -> float | None:
    if isinstance(value, str):
        return float(value) if _NUMBER.fullmatch(value) else None
    return value if is_number(value) else None


def _compared(holds: Callable[[int], bool]) -> Callable[[Json, Json], bool]:
    """Numbers, dates and times: words have an order too, and nobody asks for at least a word."""

    def meets(held: Json, asked: Json) -> bool:
        if any(isinstance(one, str) and not one[:1].isdigit() for one in (held, asked)):
            return False
        order = _order(held, asked)
        return order is not None and holds(order)

    return meets


OPS: Final[Mapping[str, Callable[[Json, Json], bool]]] = {
    "is": _is_same,
    "lists": _lists,
    "among": _is_among,
    "lists_all": _lists_all,
    "least": _compared(lambda order: order >= 0),
    "most": _compared(lambda order: order <= 0),
    "above": _compared(lambda order: order > 0),
    "below": _compared(lambda order: order < 0),
    HOLDS: _holds,
}
"""How what a record holds may meet what a call asks for, the narrowest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selected:
    """What a call picks."""

    value: Json
    """The result, where it is no text."""
    text: str | None
    is_empty: bool
    is_complete: bool
    """A recorded list holds all that it picks from."""
    by_part: bool = False
    """What it asks for in words is a part of what records hold, and all of no field."""


class Selection:
    """A selection, ready to be asked."""

    __slots__ = ("_before", "part", "rows")

    def __init__(self, part: SelectionPart) -> None:
        self.part = part
        self.rows: Sequence[Row] = [dict(fields_of(record)) for record in part.records]
        """The fields of each record."""
        self._before = _closed(part.lists)

    def with_rules(self, part: SelectionPart) -> Selection:
        """The same records and lists under other rules."""
        other = object.__new__(Selection)
        other.part, other.rows, other._before = part, self.rows, self._before
        return other

    def select(self, args: Mapping[str, Json]) -> Selected | None:
        """What a call picks; None where nobody knows."""
        found = self.records_of(args)
        ordered = None if found is None else self._ordered(found)
        shown = None if ordered is None else self._page(ordered, args)
        if ordered is None or shown is None:
            return None
        is_empty = not shown
        is_complete = any(is_part_of(one, args) for one in self.part.complete)
        if is_empty and self.part.empty is not None:
            return Selected(
                value=None, text=self.part.empty, is_empty=True, is_complete=is_complete
            )
        inside: Json = [self.part.records[place] for place in shown]
        try:
            value = self._result(inside, args, ordered, shown) if self.part.place else inside
        except NoValueError:
            return None
        return Selected(
            value=value,
            text=None,
            is_empty=is_empty,
            is_complete=is_complete,
            by_part=not is_complete and self._is_by_part(args, shown),
        )

    def _is_by_part(self, args: Mapping[str, Json], shown: Sequence[int]) -> bool:
        held = {_folded(one) for at in shown for one in self.rows[at].values()}
        words = {_folded(one) for one in args.values() if isinstance(one, str)}
        return words.isdisjoint(held) and any(word in one for word in words for one in held)

    def answer(self, args: Mapping[str, Json]) -> Selected | None:
        """The same, where no record that was never shown is to be expected."""
        found = self.select(args)
        if found is None or (found.is_complete and found.is_empty and not self._is_known(args)):
            return None
        is_closed = self.part.is_closed_in_part if found.by_part else self.part.is_closed
        return found if found.is_complete or (is_closed and not found.is_empty) else None

    def records_of(self, args: Mapping[str, Json]) -> list[int] | None:
        """The places of the records that meet a call, whatever its page; None where conditions differ."""
        part = self.part
        asked = {name: value for name, value in args.items() if name not in (part.size, part.page)}
        if not asked.keys() <= part.conditions.keys():
            return None
        ways: list[set[frozenset[int]]] = []
        for name, value in asked.items():
            way = self._places_by(name, value)
            if way is None:
                return None
            ways.append(way)
        if prod(map(len, ways)) > _MOST_WAYS:
            return None
        everything = frozenset(range(len(self.rows)))
        found = {everything.intersection(*way) for way in product(*ways)}
        return sorted(found.pop()) if len(found) == 1 else None

    def _places_by(self, name: str, value: Json) -> set[frozenset[int]] | None:
        """The records that meet an argument, by each condition that fits; None where one of these does not say."""
        ways: set[frozenset[int]] = set()
        for condition in self.part.conditions.get(name, ()):
            way = places_meeting(condition, value, self.rows)
            if way is None:
                return None
            ways.add(way)
        return ways or None

    def _is_known(self, args: Mapping[str, Json]) -> bool:
        """Whether each argument alone picks something: what no record has may be refused."""
        names = args.keys() - {self.part.size, self.part.page}
        return all(any(self._places_by(name, args[name]) or ()) for name in names)

    def _ordered(self, found: list[int]) -> list[int] | None:
        if len(found) < 2:  # one record needs no order
            return found
        ways = {
            tuple(way)
            for order in (*self.part.orders, None)
            if (way := self._sorted(found, order)) is not None
        }
        return list(ways.pop()) if len(ways) == 1 else None

    def _sorted(self, found: list[int], order: tuple[str, bool] | None) -> list[int] | None:
        """The records by one field, and where that says nothing as recordings had them; None where none tells."""
        is_open = False

        def compare(left: int, right: int) -> int:
            nonlocal is_open
            if order is not None:
                found = _order(self.rows[left].get(order[0]), self.rows[right].get(order[0]))
                if found:
                    return found if order[1] else -found
            if (left, right) in self._before:
                return -1
            is_open = is_open or (right, left) not in self._before
            return 1

        way = sorted(found, key=cmp_to_key(compare))
        return None if is_open else way

    def _page(self, ordered: list[int], args: Mapping[str, Json]) -> list[int] | None:
        size, page = size_and_page(self.part, args)
        if size is None:
            return ordered if page == 1 else None
        if not is_whole(size) or not is_whole(page) or size < 1 or page < 1:
            return None
        return ordered[(page - 1) * size : page * size]

    def _result(
        self, inside: Json, args: Mapping[str, Json], ordered: list[int], shown: list[int]
    ) -> Json:
        size, page = size_and_page(self.part, args)
        rows = [self.rows[place] for place in shown]
        counted = Counts(len(ordered), rows, size, page)
        value, told = self.part.shell, dict[tuple[str, ...], Json]()
        for one in self.part.beside:
            there = beside_value(one, args, counted)
            if stable(told.setdefault(one.path, there)) != stable(there):
                raise NoValueError(one.kind)
            value = with_value(value, one.path, there)
        return with_value(value, self.part.place, inside)


@dataclass(frozen=True, slots=True)
class Counts:
    """What is counted of a result."""

    total: int
    rows: Sequence[Row]
    size: Json
    page: Json


def size_and_page(part: SelectionPart, args: Mapping[str, Json]) -> tuple[Json, Json]:
    """How many records a page has, None for all of them, and which page is meant, from 1 on."""
    size = part.most if part.size is None else args.get(part.size, part.most)
    return size, 1 if part.page is None else args.get(part.page, 1)


def beside_value(part: BesidePart, args: Mapping[str, Json], counted: Counts) -> Json:
    """What stands at one place beside the list; raises `NoValueError` where nobody knows."""
    told: Mapping[str, Json] = {"const": part.value}
    asked = stable(args.get(part.of))
    if part.kind == "by":
        told = {"by": part.by[asked]} if asked in part.by else {}
    elif part.kind == "written":
        form = part.by.get(names_asked(args))
        told = {"written": with_arguments(form, args)} if isinstance(form, str) else {}
    elif part.kind == "argument":
        told = {"argument": args[part.of]} if part.of in args else {}
    elif part.kind == "sum":
        sum_there = sum_of(part.of, counted.rows)
        told = {} if sum_there is None else {"sum": sum_there}
    elif part.kind != "const":
        told = values_of(counted)
    if part.kind not in told:
        raise NoValueError(part.kind)
    return told[part.kind]


def names_asked(args: Mapping[str, Json]) -> str:
    """Which arguments a call has, as one text."""
    return ", ".join(sorted(args))


def without_arguments(text: str, args: Mapping[str, Json]) -> str:
    """A text with the names of arguments in the place of their values (`/lots?chamber={chamber}`)."""
    for name, value in sorted(args.items(), key=lambda arg: -len(str(arg[1]))):
        text = text.replace(str(value), f"{{{name}}}") if len(str(value)) > 1 else text
    return text


def with_arguments(form: str, args: Mapping[str, Json]) -> str:
    """The text that such a form is in a call."""
    for name, value in args.items():
        form = form.replace(f"{{{name}}}", str(value))
    return form


def values_of(counted: Counts) -> dict[str, Json]:
    """What may be counted of a result, by kind."""
    told: dict[str, Json] = {
        "total": counted.total,
        "shown": len(counted.rows),
        "page": counted.page,
    }
    size, page = counted.size, counted.page
    if is_whole(size) and is_whole(page) and size > 0:
        told["size"], told["more"] = size, page * size < counted.total
        told["pages"] = max(1, -(-counted.total // size))
    return told


def sum_of(name: str, rows: Sequence[Row]) -> Json:
    """The sum of a field, in cents where it has some; None where a record has no number there."""
    values = [row.get(name) for row in rows]
    numbers = [value for value in values if is_number(value)]
    return round(sum(numbers), _CENTS) if len(numbers) == len(values) else None


def places_meeting(
    condition: ConditionPart, value: Json, rows: Sequence[Row]
) -> frozenset[int] | None:
    """The places of the records that meet a condition; None where it does not say."""
    if condition.op == ASKED:
        known = condition.known.get(stable(value))
        return None if known is None else frozenset(known)
    if value is None or (isinstance(value, str) and len(value) < condition.least):
        return None
    holds = OPS[condition.op]
    return frozenset(
        place
        for place, row in enumerate(rows)
        if any(holds(row.get(name), value) for name in condition.fields)
    )


def fields_of(record: Json, path: str = "") -> Iterator[tuple[str, Json]]:
    """The fields of a record by their paths; a list is one field."""
    if not isinstance(record, dict):
        yield path, record
        return
    for name, value in record.items():
        yield from fields_of(value, f"{path}.{name}" if path else name)


def is_part_of(less: Mapping[str, Json], more: Mapping[str, Json]) -> bool:
    """Whether a call asks for all that another one does, and perhaps for more."""
    return all(name in more and stable(more[name]) == stable(less[name]) for name in less)


def with_value(value: Json, path: tuple[str, ...], told: Json) -> Json:
    """A result with a value at one place."""
    if not path:
        return told
    inside = value if isinstance(value, dict) else {}
    return {**inside, path[0]: with_value(inside.get(path[0]), path[1:], told)}


def _closed(lists: Sequence[Sequence[int]]) -> set[tuple[int, int]]:
    """Which record comes before which, also by way of a third."""
    after: dict[int, set[int]] = {}
    for places in lists:
        for at, place in enumerate(places):
            after.setdefault(place, set()).update(places[at + 1 :])
    for middle, behind in after.items():
        for later in after.values():
            if middle in later:
                later.update(behind)
    return {(place, other) for place, later in after.items() for other in later}
