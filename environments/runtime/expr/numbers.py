"""Operations on numbers: added, compared, rounded, and calculations written as text.

Goes in: operands of a tree, not yet built. Comes out: closures over a scope, for `expression`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from .arithmetic import DECIMAL_FORMS, FORMS, RARE, answer
from .scope import BadTreeError, NotKnown, Scope, Sub, Thunk, Tree, as_number


def _binary(apply: Callable[[Any, Any], Any]) -> Callable[[list[Tree], Sub], Thunk]:
    def build_binary(operands: list[Tree], sub: Sub) -> Thunk:
        left, right = sub(operands[0]), sub(operands[1])
        return lambda scope: apply(as_number(left(scope)), as_number(right(scope)))

    return build_binary


def _unary(apply: Callable[[Any], Any]) -> Callable[[list[Tree], Sub], Thunk]:
    def build_unary(operands: list[Tree], sub: Sub) -> Thunk:
        only = sub(operands[0])
        return lambda scope: apply(as_number(only(scope)))

    return build_unary


def _round(operands: list[Tree], sub: Sub) -> Thunk:
    only, digits = sub(operands[0]), int(operands[1])
    return lambda scope: round(as_number(only(scope)), digits)


def _sign(operands: list[Tree], sub: Sub) -> Thunk:
    only = sub(operands[0])

    def run(scope: Scope) -> Any:
        value = round(as_number(only(scope)), 6)
        return (value > 0) - (value < 0)

    return run


def _less(operands: list[Tree], sub: Sub) -> Thunk:
    left, right = sub(operands[0]), sub(operands[1])
    return lambda scope: as_number(left(scope)) <= as_number(right(scope)) + 1e-9


def _calculated(operands: list[Tree], sub: Sub) -> Thunk:
    only = sub(operands[0])
    forms = [operands[1]] if isinstance(operands[1], str) else list(operands[1])
    if not forms or any(form not in FORMS and form not in DECIMAL_FORMS for form in forms):
        raise BadTreeError("a calculation names a number form that this version does not have")
    unseen = [sign for sign in RARE if sign not in operands[2:]]

    def run(scope: Scope) -> Any:
        text = only(scope)
        if isinstance(text, str) and any(sign in text for sign in unseen):
            raise NotKnown("no calculation with such a sign was ever seen to succeed")
        results = {answer(text, form) for form in forms}
        if len(results) != 1 or None in results:
            # Forms that agree on every recorded example part ways here: no example says which is right.
            raise NotKnown("not safe arithmetic, or how it is rounded is not known")
        return results.pop()

    return run


NUMBERS: Final[Mapping[str, Callable[[list[Tree], Sub], Thunk]]] = {
    "add": _binary(lambda a, b: a + b),
    "sub": _binary(lambda a, b: a - b),
    "mul": _binary(lambda a, b: a * b),
    "max": _binary(max),
    "neg": _unary(lambda a: -a),
    "abs": _unary(abs),
    "round": _round,
    "sign": _sign,
    "le": _less,
    "calc": _calculated,
}
"""Operations by name."""
