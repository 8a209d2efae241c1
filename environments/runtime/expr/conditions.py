"""Builders of conditions over frames: equality, membership, what holds of every element, and how they are joined.

Goes in: operands of a tree. Comes out: parts for `expression_frame` that give true, false, or why nobody can tell, as the
operation of the same name does in `expression`. Not here: values (`expression_once`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from ..values.normal import same_json, stable
from .frames import Builder, Frame, Part, Space, as_list
from .gaps import MISSING, UNKNOWN
from .scope import Tree

FEW: Final = 8
"""Values that are compared one by one: texts that differ are told apart sooner than written."""


def _equal(operands: list[Tree], space: Space) -> Part:
    left, right = space.part(operands[0]), space.part(operands[1])

    def run(frame: Frame) -> Any:
        one = left(frame)
        if one is MISSING or one is UNKNOWN:
            return one
        other = right(frame)
        if other is MISSING or other is UNKNOWN:
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


def of_one(apply: Callable[[Any], Any]) -> Builder:
    """What is found from one value alone."""

    def build_of_one(operands: list[Tree], space: Space) -> Part:
        only = space.part(operands[0])

        def run(frame: Frame) -> Any:
            value = only(frame)
            return value if value is MISSING or value is UNKNOWN else apply(value)

        return run

    return build_of_one


def _among(operands: list[Tree], space: Space) -> Part:
    return of_one(among(operands[1]))(operands, space)


def _conjunction(*, negate: bool) -> Builder:
    """All parts hold, or, negated, any: one that decides does so whatever is unknown beside it."""

    def build_conjunction(operands: list[Tree], space: Space) -> Part:
        parts = [space.part(o) for o in operands]

        def run(frame: Frame) -> Any:
            dark = False
            for part in parts:
                value = part(frame)
                if value is UNKNOWN:
                    dark = True
                elif (value is not MISSING and bool(value)) is negate:
                    return negate
            return UNKNOWN if dark else not negate

        return run

    return build_conjunction


def _every(operands: list[Tree], space: Space) -> Part:
    elements, inner = space.elements(operands[0])
    body = inner.part(operands[1])

    def run(frame: Frame) -> Any:
        frames = elements(frame)
        if frames is MISSING or frames is UNKNOWN:
            return frames
        dark = False
        for one in frames:
            value = body(one)
            if value is UNKNOWN:
                dark = True
            elif value is MISSING or not value:
                return False
        return UNKNOWN if dark else True

    return run


def _exists(operands: list[Tree], space: Space) -> Part:
    only = space.part(operands[0])

    def run(frame: Frame) -> Any:
        value = only(frame)
        return value if value is UNKNOWN else value is not MISSING

    return run


def _member(operands: list[Tree], space: Space) -> Part:
    only, container = space.part(operands[0]), space.part(operands[1])

    def run(frame: Frame) -> Any:
        value = only(frame)
        if value is MISSING or value is UNKNOWN:
            return value
        where = container(frame)
        if isinstance(where, dict):
            return isinstance(value, str) and value in where
        if not isinstance(where, list):
            return UNKNOWN if where is UNKNOWN else MISSING
        frame.steps[0] += len(where)
        return value in where

    return run


def _distinct(operands: list[Tree], space: Space) -> Part:
    items = space.part(operands[0])

    def run(frame: Frame) -> Any:
        values = as_list(items(frame), frame)
        return values if values is MISSING or values is UNKNOWN else are_distinct(values)

    return run


def are_distinct(values: list[Any]) -> bool:
    """Whether no value is there twice, as JSON sees it."""
    if len(values) <= FEW:
        for at in range(1, len(values)):
            if values[at] in values[:at]:
                break
        else:
            return True
    return len({stable(v) for v in values}) == len(values)


CONDITIONS: Final[dict[str, Builder]] = {
    "eq": _equal,
    "among": _among,
    "not": of_one(lambda value: not value),
    "and": _conjunction(negate=False),
    "or": _conjunction(negate=True),
    "every": _every,
    "exists": _exists,
    "member": _member,
    "distinct": _distinct,
}
"""Conditions by name."""
