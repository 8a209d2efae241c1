"""Operations on lists: mapped, zipped, filtered, edited, added up, and asked about element by element.

Goes in: operands of a tree. Comes out: closures over a scope. Every element costs fuel.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from .builder import Builder, Make
from .gaps import MISSING, Gap
from .language import OF_LIST, total
from .scope import Expr, Scope, Tree, as_list, map_elements


def _of_list(apply: Callable[[list[Any]], Any]) -> Make:
    def make(operands: list[Tree], sub: Builder) -> Expr:
        items = sub.expr_of(operands[0])

        def run(scope: Scope) -> Any:
            values = as_list(items(scope), scope)
            return values if type(values) is Gap else apply(values)

        return run

    return make


def _of_each(apply: Callable[[list[Any], list[Any]], Any]) -> Make:
    """What is made of a list and of what the body gives for each of its elements."""

    def make(operands: list[Tree], sub: Builder) -> Expr:
        items, body = sub.expr_of(operands[0]), sub.expr_of(operands[1])

        def run(scope: Scope) -> Any:
            values = as_list(items(scope), scope)
            if type(values) is Gap:
                return values
            found = map_elements(scope, values, None, body)
            return found if type(found) is Gap else apply(values, found)

        return run

    return make


def _kept_of(values: list[Any], flags: list[Any]) -> list[Any]:
    return [value for value, flag in zip(values, flags, strict=True) if flag]


def _two_lists(left: Expr, right: Expr) -> Expr:
    """Two lists; the first gap instead."""

    def run(scope: Scope) -> Any:
        items = as_list(left(scope), scope)
        if type(items) is Gap:
            return items
        others = as_list(right(scope), scope)
        return others if type(others) is Gap else (items, others)

    return run


def _zip(operands: list[Tree], sub: Builder) -> Expr:
    """`zip(left, right, body)`: `it` from one list, `by` from the other."""
    left, right, body = sub.each_of(operands)
    both = _two_lists(left, right)

    def run(scope: Scope) -> Any:
        found = both(scope)
        if type(found) is Gap:
            return found
        items, others = found
        return map_elements(scope, items, others, body) if len(items) == len(others) else MISSING

    return run


def _concat(operands: list[Tree], sub: Builder) -> Expr:
    """`concat(left, right)`."""
    both = _two_lists(*sub.each_of(operands))

    def run(scope: Scope) -> Any:
        found = both(scope)
        return found if type(found) is Gap else [*found[0], *found[1]]

    return run


def _edit(operands: list[Tree], sub: Builder) -> Expr:
    """`edit(list, field, keys, partners, body)`: elements named by `keys` become the body, the others stay."""
    items, field, body = sub.expr_of(operands[0]), operands[1], sub.expr_of(operands[4])
    both = _two_lists(sub.expr_of(operands[2]), sub.expr_of(operands[3]))

    def run(scope: Scope) -> Any:
        named = both(scope)
        if type(named) is Gap:
            return named
        values = as_list(items(scope), scope)
        if type(values) is Gap:
            return values
        keys, partners = named
        if len(keys) != len(partners):
            return MISSING
        out = list(values)
        for key, partner in zip(keys, partners, strict=True):
            at = next(
                (i for i, x in enumerate(out) if isinstance(x, dict) and x.get(field) == key), None
            )
            if at is None:
                return MISSING
            found = map_elements(scope, [out[at]], [partner], body)
            if type(found) is Gap:
                return found
            out[at] = found[0]
        return out

    return run


def _every(operands: list[Tree], sub: Builder) -> Expr:
    """`every(list, condition)`: one that fails decides, whatever is unknown beside it."""
    items, body = sub.expr_of(operands[0]), sub.expr_of(operands[1])

    def run(scope: Scope) -> Any:
        values = as_list(items(scope), scope)
        return values if type(values) is Gap else hold_for_all(scope, values, (body,))

    return run


def hold_for_all(scope: Scope, items: list[Any], bodies: tuple[Expr, ...]) -> Any:
    """Whether conditions hold for every element; why nobody knows, where none is known to fail."""
    it, gap = scope.it, None
    try:
        for item in items:
            scope.it = item
            for body in bodies:
                value = body(scope)
                if type(value) is Gap and value is not MISSING:
                    gap = gap or value
                elif value is MISSING or not value:
                    return False
    finally:
        scope.it = it
    return True if gap is None else gap


def _with_field(operands: list[Tree], sub: Builder) -> Expr:
    """`with(object, name, value)`: the object with one more (or another) field under a computed name."""
    whole, name, value = sub.each_of(operands)

    def run(scope: Scope) -> Any:
        before = whole(scope)
        if type(before) is Gap:
            return before
        key = name(scope)
        if type(key) is Gap:
            return key
        if not isinstance(before, dict) or not isinstance(key, str):
            return MISSING
        found = value(scope)
        return found if type(found) is Gap else {**before, key: found}

    return run


LISTS: Final[Mapping[str, Make]] = {
    "map": _of_each(lambda _, found: found),
    "filter": _of_each(_kept_of),
    "sum": _of_each(lambda _, found: total(found)),
    "zip": _zip,
    "concat": _concat,
    "edit": _edit,
    "every": _every,
    "with": _with_field,
    **{name: _of_list(apply) for name, apply in OF_LIST.items()},
}
"""Operations on lists and objects, by name."""
