"""Operations on lists: mapped, zipped, filtered, edited, added up, and asked about element by element.

Goes in: operands of a tree, not yet built. Comes out: closures over a scope, for `expression`. Every element costs fuel.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..values.normal import stable
from .scope import Missing, NotKnown, Scope, Sub, Thunk, Tree, as_list, as_number, follow


def build_pick(operands: list[Tree], sub: Sub) -> Thunk:
    """`pick(list, field, value, path...)`: the record whose field has the value."""
    items, field, wanted, path = (
        sub(operands[0]),
        operands[1],
        sub(operands[2]),
        tuple(operands[3:]),
    )
    if not isinstance(field, str):
        raise TypeError

    def run(scope: Scope) -> Any:
        value = wanted(scope)
        for item in as_list(items(scope), scope):
            if isinstance(item, dict) and item.get(field) == value:
                return follow(item, path)
        raise Missing

    return run


def build_map(operands: list[Tree], sub: Sub) -> Thunk:
    """`map(list, body)`."""
    items, body = sub(operands[0]), sub(operands[1])
    return lambda scope: _each(scope, as_list(items(scope), scope), None, body)


def build_zip(operands: list[Tree], sub: Sub) -> Thunk:
    """`zip(left, right, body)`: `it` from one list, `by` from the other."""
    left, right, body = sub(operands[0]), sub(operands[1]), sub(operands[2])

    def run(scope: Scope) -> Any:
        items, others = as_list(left(scope), scope), as_list(right(scope), scope)
        if len(items) != len(others):
            raise Missing
        return _each(scope, items, others, body)

    return run


def build_filter(operands: list[Tree], sub: Sub) -> Thunk:
    """`filter(list, condition)`."""
    items, body = sub(operands[0]), sub(operands[1])

    def run(scope: Scope) -> Any:
        values = as_list(items(scope), scope)
        keep = _each(scope, values, None, body)
        return [value for value, flag in zip(values, keep, strict=True) if flag]

    return run


def build_edit(operands: list[Tree], sub: Sub) -> Thunk:
    """`edit(list, field, keys, partners, body)`: elements named by `keys` become the body, the others stay."""
    items, field, keys = sub(operands[0]), operands[1], sub(operands[2])
    partners, body = sub(operands[3]), sub(operands[4])

    def run(scope: Scope) -> Any:
        wanted, other = as_list(keys(scope), scope), as_list(partners(scope), scope)
        out = list(as_list(items(scope), scope))
        if len(wanted) != len(other):
            raise Missing
        for key, partner in zip(wanted, other, strict=True):
            places = [i for i, x in enumerate(out) if isinstance(x, dict) and x.get(field) == key]
            if not places:
                raise Missing
            out[places[0]] = _each(scope, [out[places[0]]], [partner], body)[0]
        return out

    return run


def build_total(operands: list[Tree], sub: Sub) -> Thunk:
    """`sum(list, body)`."""
    items, body = sub(operands[0]), sub(operands[1])

    def run(scope: Scope) -> Any:
        # Not the built-in: since Python 3.12 it adds floats another way than a program's loop does.
        total: Any = 0
        for value in _each(scope, as_list(items(scope), scope), None, body):
            total += as_number(value)
        return total

    return run


def build_length(operands: list[Tree], sub: Sub) -> Thunk:
    """`len(list)`."""
    items = sub(operands[0])
    return lambda scope: len(as_list(items(scope), scope))


def build_every(operands: list[Tree], sub: Sub) -> Thunk:
    """`every(list, condition)`: one that fails decides, whatever is unknown beside it."""
    items, body = sub(operands[0]), sub(operands[1])

    def run(scope: Scope) -> bool:
        values = _each(scope, as_list(items(scope), scope), None, _three_valued(body))
        if False in values:
            return False
        for value in values:
            if value is not True:
                raise value
        return True

    return run


def build_distinct(operands: list[Tree], sub: Sub) -> Thunk:
    """`distinct(list)`: no element twice."""
    items = sub(operands[0])

    def run(scope: Scope) -> bool:
        values = [stable(v) for v in as_list(items(scope), scope)]
        return len(values) == len(set(values))

    return run


def build_keys(operands: list[Tree], sub: Sub) -> Thunk:
    """`keys(object)`."""
    only = sub(operands[0])

    def run(scope: Scope) -> Any:
        value = only(scope)
        if not isinstance(value, dict):
            raise Missing
        return list(value)

    return run


def build_sort(operands: list[Tree], sub: Sub) -> Thunk:
    """`sort(list)` of texts or of numbers."""
    items = sub(operands[0])

    def run(scope: Scope) -> Any:
        values = as_list(items(scope), scope)
        if not all(isinstance(v, str) for v in values) and not all(
            isinstance(v, int | float) for v in values
        ):
            raise Missing
        return sorted(values)

    return run


def build_concat(operands: list[Tree], sub: Sub) -> Thunk:
    """`concat(left, right)`."""
    left, right = sub(operands[0]), sub(operands[1])
    return lambda scope: [*as_list(left(scope), scope), *as_list(right(scope), scope)]


def build_with(operands: list[Tree], sub: Sub) -> Thunk:
    """`with(object, name, value)`: the object with one more (or another) field under a computed name."""
    whole, name, value = (sub(o) for o in operands)

    def run(scope: Scope) -> Any:
        before, key = whole(scope), name(scope)
        if not isinstance(before, dict) or not isinstance(key, str):
            raise Missing
        return {**before, key: value(scope)}

    return run


def build_member(operands: list[Tree], sub: Sub) -> Thunk:
    """`member(value, list or object)`."""
    only, container = sub(operands[0]), sub(operands[1])

    def run(scope: Scope) -> bool:
        value, where = only(scope), container(scope)
        if isinstance(where, dict):
            return isinstance(value, str) and value in where
        if not isinstance(where, list):
            raise Missing
        scope.fuel -= len(where)
        return value in where

    return run


def _each(
    scope: Scope, items: list[Any], others: list[Any] | None, body: Callable[[Scope], Any]
) -> list[Any]:
    """The body for every element, `it` being the element and `by` its partner in the other list."""
    it, by = scope.it, scope.by
    out = []
    try:
        for at, item in enumerate(items):
            scope.it = item
            scope.by = others[at] if others is not None else by
            out.append(body(scope))
    finally:
        scope.it, scope.by = it, by
    return out


def _three_valued(body: Thunk) -> Thunk:
    def run(scope: Scope) -> Any:
        try:
            return bool(body(scope))
        except Missing:
            return False
        except NotKnown as fault:
            return fault

    return run
