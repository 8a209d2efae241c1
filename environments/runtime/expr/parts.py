"""Builders of parts: the operations that conditions are mostly made of, over frames.

Goes in: operands of a tree. Comes out: parts for `expression_frame`, each with the value, the order of asking and the list
steps that the operation of the same name has in `expression`. Not here: operations that conditions rarely have.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any, Final

from ..answers.partial_rows import Partial
from ..values.normal import key_of_text, key_text
from .conditions import CONDITIONS, of_one
from .frames import Builder, Frame, Part, Space, UnsupportedError, as_list
from .gaps import MISSING, UNKNOWN
from .language import prefix, shape
from .scope import FUEL, Missing, NotKnown, Tree, total_of


def _follow(value: Any, path: tuple[Any, ...]) -> Any:
    try:
        for step in path:
            value = value[step]
    except (KeyError, IndexError, TypeError):
        return MISSING
    return value


_NUMBERS: Final = frozenset({int, float})


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _constant(operands: list[Tree], _: Space) -> Part:
    value = operands[0]
    return lambda _frame: value


def _root(name: str) -> Builder:
    """A path below the call's arguments, or below an element."""
    find: Part = attrgetter(name)

    def build_root(operands: list[Tree], space: Space) -> Part:
        if name == "it" and not space.of_elements:
            raise UnsupportedError
        return _below(find, tuple(operands))

    return build_root


def _old(operands: list[Tree], _: Space) -> Part:
    return _below(_before, tuple(operands))


def _before(frame: Frame) -> Any:
    return UNKNOWN if frame.old is None else frame.old


def _path(space: Space, start: Tree, path: list[Tree]) -> Part:
    """A path below a row or a record, which other paths share."""
    return _below(space.part(start), tuple(path))


def _below(find: Part, path: tuple[Any, ...]) -> Part:
    """What stands at a path below a value; most paths are one step long."""
    if not path:
        return find
    if len(path) == 1:
        step = path[0]

        def run_one(frame: Frame) -> Any:
            value = find(frame)
            try:
                return value[step]
            except (KeyError, IndexError, TypeError):
                return UNKNOWN if value is UNKNOWN else MISSING

        return run_one

    def run(frame: Frame) -> Any:
        value = find(frame)
        return value if value is MISSING or value is UNKNOWN else _follow(value, path)

    return run


def _row(operands: list[Tree], space: Space) -> Part:
    if len(operands) > 2:
        return _path(space, ["row", *operands[:2]], operands[2:])
    table = operands[0]
    if len(operands[1]) == 1:
        # Most tables are asked by one value: no list is made of it.
        only = space.part(operands[1][0])

        def run_one(frame: Frame) -> Any:
            value = only(frame)
            if value is MISSING or value is UNKNOWN:
                return value
            key = key_of_text(value) if type(value) is str else key_text([value])
            return _found(frame, table, key)

        return space.kept(run_one)
    keys = _list(operands[1], space)

    def run(frame: Frame) -> Any:
        values = keys(frame)
        if values is MISSING or values is UNKNOWN:
            return values
        return _found(frame, table, key_text(values))

    return space.kept(run)


def _found(frame: Frame, table: str, key: str) -> Any:
    """The row of a table; `UNKNOWN` where only a part of it is known."""
    try:
        row = frame.scope.row(table, key)
    except Missing:
        return MISSING
    except NotKnown:
        return UNKNOWN
    if type(row) is not Partial:
        return row
    # `expression` knows which fields are known.
    frame.scope.parted = True
    return UNKNOWN


def _at(operands: list[Tree], space: Space) -> Part:
    container, key, path = space.part(operands[0]), space.part(operands[1]), tuple(operands[2:])

    def run(frame: Frame) -> Any:
        whole = container(frame)
        if whole is MISSING or whole is UNKNOWN:
            return whole
        step = key(frame)
        return step if step is MISSING or step is UNKNOWN else _follow(whole, (step, *path))

    return space.kept(run)


def _pick(operands: list[Tree], space: Space) -> Part:
    if len(operands) > 3:
        return _path(space, ["pick", *operands[:3]], operands[3:])
    items, field, wanted = space.part(operands[0]), operands[1], space.part(operands[2])

    def run(frame: Frame) -> Any:
        value = wanted(frame)
        if value is MISSING or value is UNKNOWN:
            return value
        records = as_list(items(frame), frame)
        if records is MISSING or records is UNKNOWN:
            return records
        for item in records:
            if isinstance(item, dict) and item.get(field) == value:
                return item
        return MISSING

    return space.kept(run)


def _list(operands: list[Tree], space: Space) -> Part:
    parts = [space.part(o) for o in operands]

    def run(frame: Frame) -> Any:
        out = []
        for part in parts:
            value = part(frame)
            if value is MISSING or value is UNKNOWN:
                return value
            out.append(value)
        return out

    return run


def _sum(operands: list[Tree], space: Space) -> Part:
    elements, inner = space.elements(operands[0])
    body = inner.part(operands[1])
    name = total_of(["sum", *operands])

    def run(frame: Frame) -> Any:
        totals = frame.scope.totals
        if totals is not None and name in totals:
            return totals[name]
        frames = elements(frame)
        if frames is MISSING or frames is UNKNOWN:
            return frames
        total = _added([body(one) for one in frames])
        if (
            totals is not None
            and name is not None
            and total is not MISSING
            and total is not UNKNOWN
        ):
            totals[name] = total
        return total

    return space.kept(run)


def _added(values: list[Any]) -> Any:
    for value in values:
        if value is MISSING or value is UNKNOWN:
            return value
    # As `expression_lists` adds: the built-in adds floats another way.
    total: Any = 0
    for value in values:
        if not _is_number(value):
            return MISSING
        total += value
    return total


def _length(operands: list[Tree], space: Space) -> Part:
    items = space.part(operands[0])

    def run(frame: Frame) -> Any:
        values = items(frame)
        if type(values) is not list:
            values = as_list(values, frame)
            return values if values is MISSING or values is UNKNOWN else len(values)
        frame.steps[0] += len(values) + 1
        return len(values) if frame.steps[0] <= FUEL else UNKNOWN

    return run


def _binary(apply: Callable[[Any, Any], Any]) -> Builder:
    def build_binary(operands: list[Tree], space: Space) -> Part:
        left, right = space.part(operands[0]), space.part(operands[1])

        def run(frame: Frame) -> Any:
            one = left(frame)
            if type(one) not in _NUMBERS and not _is_number(one):
                return UNKNOWN if one is UNKNOWN else MISSING
            other = right(frame)
            if type(other) not in _NUMBERS and not _is_number(other):
                return UNKNOWN if other is UNKNOWN else MISSING
            return apply(one, other)

        return run

    return build_binary


def _at_most(operands: list[Tree], space: Space) -> Part:
    return at_most(space.part(operands[0]), [space.part(operands[1])])


def at_most(left: Part, rights: list[Part]) -> Part:
    """Whether one number is at most each of some others, or nobody knows; the list may grow until it is first asked."""

    def run(frame: Frame) -> Any:
        one = left(frame)
        if type(one) not in _NUMBERS and not _is_number(one):
            return UNKNOWN if one is UNKNOWN else MISSING
        dark = False
        for right in rights:
            other = right(frame)
            if type(other) not in _NUMBERS and not _is_number(other):
                if other is not UNKNOWN:
                    return MISSING
                dark = True
            elif not one <= other + 1e-9:
                return False
        return UNKNOWN if dark else True

    return run


def _prefix(value: Any) -> Any:
    return prefix(value) if isinstance(value, str) else MISSING


BUILDERS: Final[dict[str, Builder]] = {
    **CONDITIONS,
    "const": _constant,
    "arg": _root("arg"),
    "old": _old,
    "it": _root("it"),
    "row": _row,
    "at": _at,
    "pick": _pick,
    "list": _list,
    "sum": _sum,
    "len": _length,
    "add": _binary(lambda a, b: a + b),
    "sub": _binary(lambda a, b: a - b),
    "mul": _binary(lambda a, b: a * b),
    "max": _binary(max),
    "le": _at_most,
    "shape": of_one(shape),
    "prefix": of_one(_prefix),
}
"""Operations by name; `expression` has them all."""
