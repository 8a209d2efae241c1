"""The evaluator of the language: a tree, built into closures once, gives its value in a scope, or a gap.

Goes in: a tree from a world file, then one scope per call. Comes out: a JSON value, `MISSING`, or why nobody knows. An
operation that finds a gap among its operands gives that gap on, but for those that decide without it (`and`, `or`, `every`, `exists`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import Any, Final

from ..values.literals import parse_arguments
from ..values.normal import same_json, stable
from .arithmetic import DECIMAL_FORMS, FORMS, RARE, answer
from .builder import Builder, Make, find_below, list_of, of_one
from .gaps import MISSING, Gap, unknown
from .language import (
    NUMBERS,
    OF_NUMBER,
    OF_NUMBERS,
    OF_VALUE,
    BadTreeError,
    equal,
    membership_in,
    text_of,
)
from .lists import LISTS
from .scope import Expr, Scope, Tree, as_list

_NO_RECORD: Final = unknown("the record it is about is not known")
"""Nothing is known of the record: not the same as a record that lacks the field."""
_NO_CASE: Final = unknown("a case that was never seen")
_DIFFER: Final = unknown("two explanations differ here")
_NO_COUNTER: Final = unknown("no counter here")
_RARE_SIGN: Final = unknown("no calculation with such a sign was ever seen to succeed")
_NOT_SAFE: Final = unknown("not safe arithmetic, or how it is rounded is not known")


def build(tree: Tree, *, keeps: bool = False) -> Expr:
    """A tree as a closure; raises `BadTreeError` for anything outside the language.

    With `keeps`, what other trees of the same call look up or add up as well is found once, in a scope with a memo.
    """
    return Builder(OPERATIONS, keeps=keeps).expr_of(tree)


def _old_record(scope: Scope) -> Any:
    return _NO_RECORD if scope.old is None else scope.old


def _constant(operands: list[Tree], _: Builder) -> Expr:
    value = operands[0]
    return lambda _scope: value


def _root(find: Expr) -> Make:
    return lambda operands, _: find_below(find, tuple(operands)) if operands else find


def _row(operands: list[Tree], sub: Builder) -> Expr:
    return find_below(sub.row(operands[0], operands[1]), tuple(operands[2:]))


def _at_key(operands: list[Tree], sub: Builder) -> Expr:
    """`at(container, key, path...)`: what stands under a computed name."""
    inner, path = operands[0], tuple(operands[2:])
    whole, key = sub.expr_of(inner), sub.expr_of(operands[1])

    def run(scope: Scope) -> Any:
        container = whole(scope)
        if type(container) is Gap:
            return container
        step = key(scope)
        if type(step) is Gap:
            return step
        try:
            return container[step]
        except (KeyError, IndexError, TypeError):
            return MISSING

    return find_below(sub.memoize(["at", *operands[:2]], run), path)


def _pick(operands: list[Tree], sub: Builder) -> Expr:
    """`pick(list, field, value, path...)`: the record whose field has the value."""
    items, field, wanted = sub.expr_of(operands[0]), operands[1], sub.expr_of(operands[2])
    if not isinstance(field, str):
        raise TypeError

    def run(scope: Scope) -> Any:
        value = wanted(scope)
        if type(value) is Gap:
            return value
        records = as_list(items(scope), scope)
        if type(records) is Gap:
            return records
        for item in records:
            if isinstance(item, dict) and item.get(field) == value:
                return item
        return MISSING

    found, path = sub.memoize(["pick", *operands[:3]], run), tuple(operands[3:])
    return find_below(found, path) if path else found


def _object(operands: list[Tree], sub: Builder) -> Expr:
    """`object([name, value, when?], ...)`."""
    fields = [
        (f[0], sub.expr_of(f[1]), sub.expr_of(f[2]) if len(f) > 2 else None) for f in operands
    ]

    def run(scope: Scope) -> Any:
        out = {}
        for name, find, when in fields:
            if when is not None:
                there = when(scope)
                if type(there) is Gap:
                    return there
                if not there:
                    continue
            value = find(scope)
            if type(value) is Gap:
                return value
            out[name] = value
        return out

    return run


def _text(operands: list[Tree], sub: Builder) -> Expr:
    """`text(piece, ...)`: texts as they stand, and values of trees; an argument as it was sent."""
    parts = [o if isinstance(o, str) else _piece(o, sub) for o in operands]

    def run(scope: Scope) -> Any:
        out = ""
        for part in parts:
            value = part if isinstance(part, str) else part(scope)
            text: Any = value if type(value) is Gap else text_of(value)
            if type(text) is Gap:
                return text
            out += text
        return out

    return run


def _piece(tree: Tree, sub: Builder) -> Expr:
    """A value inside a text."""
    find = sub.expr_of(tree)
    if tree[0] != "arg" or len(tree) != 2:
        return find
    name = tree[1]

    def run(scope: Scope) -> Any:
        value = find(scope)
        if type(value) is int and scope.sent is not None:
            sent = (parse_arguments(scope.sent) or {}).get(name)
            return sent if type(sent) is float and sent == value else value
        return value

    return run


def _case(operands: list[Tree], sub: Builder) -> Expr:
    """`case(subject, [[value, body], ...])`."""
    subject = sub.expr_of(operands[0])
    cases = {stable(value): sub.expr_of(body) for value, body in operands[1]}

    def run(scope: Scope) -> Any:
        value = subject(scope)
        if type(value) is Gap:
            return value
        body = cases.get(stable(value))
        return _NO_CASE if body is None else body(scope)

    return run


def _if(operands: list[Tree], sub: Builder) -> Expr:
    when, then, otherwise = sub.each_of(operands)

    def run(scope: Scope) -> Any:
        value = when(scope)
        if type(value) is Gap:
            return value
        return then(scope) if value else otherwise(scope)

    return run


def _either(operands: list[Tree], sub: Builder) -> Expr:
    """`either(a, b, ...)`: explanations that no example told apart; where they differ, nobody knows."""
    first, *others = sub.each_of(operands)

    def run(scope: Scope) -> Any:
        value = first(scope)
        if type(value) is Gap:
            return value
        for part in others:
            other = part(scope)
            if type(other) is Gap:
                return other
            if not same_json(other, value):
                return _DIFFER
        return value

    return run


def _among(operands: list[Tree], sub: Builder) -> Expr:
    return of_one(sub.expr_of(operands[0]), membership_in(operands[1]))


def _conjunction(*, negate: bool) -> Make:
    """All parts hold (or, negated, any does): one that decides does so whatever is unknown beside it."""

    def make(operands: list[Tree], sub: Builder) -> Expr:
        parts = sub.each_of(operands)

        def run(scope: Scope) -> Any:
            gap: Gap | None = None
            for part in parts:
                value = part(scope)
                if type(value) is Gap and value is not MISSING:
                    gap = value
                elif (value is not MISSING and bool(value)) is negate:
                    return negate
            return not negate if gap is None else gap

        return run

    return make


def _exists(operands: list[Tree], sub: Builder) -> Expr:
    only = sub.expr_of(operands[0])

    def run(scope: Scope) -> Any:
        value = only(scope)
        return value if type(value) is Gap and value is not MISSING else value is not MISSING

    return run


def _member(operands: list[Tree], sub: Builder) -> Expr:
    """`member(value, list or object)`."""
    only, container = sub.each_of(operands)

    def run(scope: Scope) -> Any:
        value = only(scope)
        if type(value) is Gap:
            return value
        where = container(scope)
        if isinstance(where, dict):
            return isinstance(value, str) and value in where
        if not isinstance(where, list):
            return where if type(where) is Gap else MISSING
        scope.fuel -= len(where)
        return value in where

    return run


def _next(operands: list[Tree], _: Builder) -> Expr:
    """`next(counter, before, width, after)`: the text of the counter's next number."""
    name, before = str(operands[0]), operands[1]
    width = int(operands[2]) if len(operands) > 2 else 0
    after = str(operands[3]) if len(operands) > 3 else ""

    def run(scope: Scope) -> Any:
        number = _NO_COUNTER if scope.number is None else scope.number(name)
        if before is None or type(number) is Gap:
            return number
        return f"{before}{number:0{width}d}{after}"

    return run


def _calculated(operands: list[Tree], sub: Builder) -> Expr:
    """`calc(text, forms, sign...)`: arithmetic written as text."""
    only = sub.expr_of(operands[0])
    forms = [operands[1]] if isinstance(operands[1], str) else list(operands[1])
    if not forms or any(form not in FORMS and form not in DECIMAL_FORMS for form in forms):
        raise BadTreeError("a calculation names a number form that this version does not have")
    unseen = [sign for sign in RARE if sign not in operands[2:]]

    def calculated(text: Any) -> Any:
        if isinstance(text, str) and any(sign in text for sign in unseen):
            return _RARE_SIGN
        results = {answer(text, form) for form in forms}
        # Forms that agree on every recorded example may part ways here: no example says which is right.
        return results.pop() if len(results) == 1 and None not in results else _NOT_SAFE

    return of_one(only, calculated)


def _equal(operands: list[Tree], sub: Builder) -> Expr:
    left, right = sub.expr_of(operands[0]), sub.expr_of(operands[1])

    def run(scope: Scope) -> Any:
        one = left(scope)
        if type(one) is Gap:
            return one
        other = right(scope)
        return other if type(other) is Gap else equal(one, other)

    return run


def _of_value(apply: Callable[[Any], Any]) -> Make:
    return lambda operands, sub: of_one(sub.expr_of(operands[0]), apply)


def _of_number(apply: Callable[[Any], Any]) -> Make:
    return _of_value(lambda value: apply(value) if type(value) in NUMBERS else MISSING)


def _round(operands: list[Tree], sub: Builder) -> Expr:
    places = int(operands[1])
    return _of_number(lambda value: round(value, places))(operands, sub)


def _of_numbers(apply: Callable[[Any, Any], Any]) -> Make:
    def make(operands: list[Tree], sub: Builder) -> Expr:
        left, right = sub.expr_of(operands[0]), sub.expr_of(operands[1])

        def run(scope: Scope) -> Any:
            one = left(scope)
            if type(one) not in NUMBERS:
                return one if type(one) is Gap else MISSING
            other = right(scope)
            if type(other) not in NUMBERS:
                return other if type(other) is Gap else MISSING
            return apply(one, other)

        return run

    return make


OPERATIONS: Final[Mapping[str, Make]] = {
    "const": _constant,
    "arg": _root(attrgetter("arg")),
    "old": _root(_old_record),
    "it": _root(attrgetter("it")),
    "by": _root(attrgetter("by")),
    "row": _row,
    "at": _at_key,
    "pick": _pick,
    "object": _object,
    "list": lambda operands, sub: list_of(sub.each_of(operands)),
    "text": _text,
    "case": _case,
    "if": _if,
    "either": _either,
    "eq": _equal,
    "among": _among,
    "member": _member,
    "exists": _exists,
    "and": _conjunction(negate=False),
    "or": _conjunction(negate=True),
    "round": _round,
    "calc": _calculated,
    "next": _next,
    **{name: _of_value(apply) for name, apply in OF_VALUE.items()},
    **{name: _of_number(apply) for name, apply in OF_NUMBER.items()},
    **{name: _of_numbers(apply) for name, apply in OF_NUMBERS.items()},
    **LISTS,
}
"""The language: every operation by name."""
