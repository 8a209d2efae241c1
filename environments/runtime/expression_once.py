"""Builders of parts: the operations that conditions are mostly made of, over frames.

Goes in: operands of a tree. Comes out: parts for `expression_frame`, each with the value, the order of asking and the list
steps that the operation of the same name has in `expression`. Not here: operations that conditions rarely have.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from .expression import prefix, shape
from .expression_frame import DARK, GONE, Builder, Frame, Part, Space, UnsupportedError, as_list
from .expression_scope import Missing, NotKnown, Tree
from .normal import key_text, same_json, stable
from .world_partial import Partial

FEW: Final = 8
"""Values that are compared one by one: texts that differ are told apart sooner than written."""


def _follow(value: Any, path: tuple[Any, ...]) -> Any:
    try:
        for step in path:
            value = value[step]
    except (KeyError, IndexError, TypeError):
        return GONE
    return value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _constant(operands: list[Tree], _: Space) -> Part:
    value = operands[0]
    return lambda _frame: value


def _arg(operands: list[Tree], space: Space) -> Part:
    path = tuple(operands)
    return space.kept(lambda frame: _follow(frame.arg, path))


def _old(operands: list[Tree], space: Space) -> Part:
    path = tuple(operands)

    def run(frame: Frame) -> Any:
        return DARK if frame.old is None else _follow(frame.old, path)

    return space.kept(run)


def _it(operands: list[Tree], space: Space) -> Part:
    if not space.of_elements:
        raise UnsupportedError
    path = tuple(operands)
    return lambda frame: _follow(frame.it, path)


def _path(space: Space, start: Tree, path: list[Tree]) -> Part:
    """A path below a row or a record, which other paths share."""
    whole, steps = space.part(start), tuple(path)

    def run(frame: Frame) -> Any:
        value = whole(frame)
        return value if value is GONE or value is DARK else _follow(value, steps)

    return space.kept(run)


def _row(operands: list[Tree], space: Space) -> Part:
    if len(operands) > 2:
        return _path(space, ["row", *operands[:2]], operands[2:])
    table, keys = operands[0], _list(operands[1], space)
    if len(operands[1]) == 1:
        return _row_by_one(table, space.part(operands[1][0]), space)

    def run(frame: Frame) -> Any:
        values = keys(frame)
        if values is GONE or values is DARK:
            return values
        try:
            found = frame.scope.row(table, key_text(values))
        except Missing:
            return GONE
        except NotKnown:
            return DARK
        if type(found) is not Partial:
            return found
        # `expression` knows which fields are known.
        frame.scope.parted = True
        return DARK

    return space.kept(run)


def _row_by_one(table: str, key: Part, space: Space) -> Part:
    """The row of a table that most have, by one value."""

    def run(frame: Frame) -> Any:
        value = key(frame)
        if value is GONE or value is DARK:
            return value
        try:
            return frame.scope.row(table, key_text([value]))
        except Missing:
            return GONE
        except NotKnown:
            return DARK

    return space.kept(run)


def _at(operands: list[Tree], space: Space) -> Part:
    container, key, path = space.part(operands[0]), space.part(operands[1]), tuple(operands[2:])

    def run(frame: Frame) -> Any:
        whole = container(frame)
        if whole is GONE or whole is DARK:
            return whole
        step = key(frame)
        return step if step is GONE or step is DARK else _follow(whole, (step, *path))

    return space.kept(run)


def _pick(operands: list[Tree], space: Space) -> Part:
    if len(operands) > 3:
        return _path(space, ["pick", *operands[:3]], operands[3:])
    items, field, wanted = space.part(operands[0]), operands[1], space.part(operands[2])

    def run(frame: Frame) -> Any:
        value = wanted(frame)
        if value is GONE or value is DARK:
            return value
        records = as_list(items(frame), frame)
        if records is GONE or records is DARK:
            return records
        for item in records:
            if isinstance(item, dict) and item.get(field) == value:
                return item
        return GONE

    return space.kept(run)


def _list(operands: list[Tree], space: Space) -> Part:
    parts = [space.part(o) for o in operands]

    def run(frame: Frame) -> Any:
        out = []
        for part in parts:
            value = part(frame)
            if value is GONE or value is DARK:
                return value
            out.append(value)
        return out

    return run


def _sum(operands: list[Tree], space: Space) -> Part:
    elements, inner = space.elements(operands[0])
    body = inner.part(operands[1])

    def run(frame: Frame) -> Any:
        frames = elements(frame)
        if frames is GONE or frames is DARK:
            return frames
        values = []
        for one in frames:
            value = body(one)
            if value is GONE or value is DARK:
                return value
            values.append(value)
        # As `expression_lists` adds: the built-in adds floats another way.
        total: Any = 0
        for value in values:
            if not _is_number(value):
                return GONE
            total += value
        return total

    return space.kept(run)


def _length(operands: list[Tree], space: Space) -> Part:
    items = space.part(operands[0])

    def run(frame: Frame) -> Any:
        values = as_list(items(frame), frame)
        return values if values is GONE or values is DARK else len(values)

    return run


def _binary(apply: Callable[[Any, Any], Any]) -> Builder:
    def build_binary(operands: list[Tree], space: Space) -> Part:
        left, right = space.part(operands[0]), space.part(operands[1])

        def run(frame: Frame) -> Any:
            one = left(frame)
            if not _is_number(one):
                return DARK if one is DARK else GONE
            other = right(frame)
            if not _is_number(other):
                return DARK if other is DARK else GONE
            return apply(one, other)

        return run

    return build_binary


def _textual(apply: Callable[[Any], Any]) -> Builder:
    def build_textual(operands: list[Tree], space: Space) -> Part:
        only = space.part(operands[0])

        def run(frame: Frame) -> Any:
            value = only(frame)
            return value if value is GONE or value is DARK else apply(value)

        return run

    return build_textual


def _prefix(value: Any) -> Any:
    return prefix(value) if isinstance(value, str) else GONE


def _equal(operands: list[Tree], space: Space) -> Part:
    left, right = space.part(operands[0]), space.part(operands[1])

    def run(frame: Frame) -> Any:
        one = left(frame)
        if one is GONE or one is DARK:
            return one
        other = right(frame)
        if other is GONE or other is DARK:
            return other
        return one == other if type(one) is str else same_json(one, other)

    return run


def among(values: list[Any]) -> Callable[[Any], bool]:
    """Whether a value is one of these, as JSON sees it."""
    texts, known = {stable(v) for v in values}, {v for v in values if isinstance(v, str)}
    empty = None in values

    def holds(value: Any) -> bool:
        if type(value) is str:
            return value in known
        return empty if value is None else stable(value) in texts

    return holds


def _among(operands: list[Tree], space: Space) -> Part:
    only, holds = space.part(operands[0]), among(operands[1])

    def run(frame: Frame) -> Any:
        value = only(frame)
        return value if value is GONE or value is DARK else holds(value)

    return run


def _not(operands: list[Tree], space: Space) -> Part:
    only = space.part(operands[0])

    def run(frame: Frame) -> Any:
        value = only(frame)
        return value if value is GONE or value is DARK else not value

    return run


def _conjunction(*, negate: bool) -> Builder:
    """All parts hold, or, negated, any: one that decides does so whatever is unknown beside it."""

    def build_conjunction(operands: list[Tree], space: Space) -> Part:
        parts = [space.part(o) for o in operands]

        def run(frame: Frame) -> Any:
            dark = False
            for part in parts:
                value = part(frame)
                if value is DARK:
                    dark = True
                elif (value is not GONE and bool(value)) is negate:
                    return negate
            return DARK if dark else not negate

        return run

    return build_conjunction


def _every(operands: list[Tree], space: Space) -> Part:
    elements, inner = space.elements(operands[0])
    body = inner.part(operands[1])

    def run(frame: Frame) -> Any:
        frames = elements(frame)
        if frames is GONE or frames is DARK:
            return frames
        values = [body(one) for one in frames]
        if any(v is GONE or (v is not DARK and not v) for v in values):
            return False
        return DARK if any(v is DARK for v in values) else True

    return run


def _exists(operands: list[Tree], space: Space) -> Part:
    only = space.part(operands[0])

    def run(frame: Frame) -> Any:
        value = only(frame)
        return value if value is DARK else value is not GONE

    return run


def _member(operands: list[Tree], space: Space) -> Part:
    only, container = space.part(operands[0]), space.part(operands[1])

    def run(frame: Frame) -> Any:
        value = only(frame)
        if value is GONE or value is DARK:
            return value
        where = container(frame)
        if isinstance(where, dict):
            return isinstance(value, str) and value in where
        if not isinstance(where, list):
            return DARK if where is DARK else GONE
        frame.steps[0] += len(where)
        return value in where

    return run


def _distinct(operands: list[Tree], space: Space) -> Part:
    items = space.part(operands[0])

    def run(frame: Frame) -> Any:
        values = as_list(items(frame), frame)
        if values is GONE or values is DARK:
            return values
        if len(values) <= FEW and not any(v in values[:at] for at, v in enumerate(values)):
            return True
        return len({stable(v) for v in values}) == len(values)

    return run


BUILDERS: Final[dict[str, Builder]] = {
    "const": _constant,
    "arg": _arg,
    "old": _old,
    "it": _it,
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
    "le": _binary(lambda a, b: a <= b + 1e-9),
    "shape": _textual(shape),
    "prefix": _textual(_prefix),
    "eq": _equal,
    "among": _among,
    "not": _not,
    "and": _conjunction(negate=False),
    "or": _conjunction(negate=True),
    "every": _every,
    "exists": _exists,
    "member": _member,
    "distinct": _distinct,
}
"""Operations by name; `expression` has them all."""
