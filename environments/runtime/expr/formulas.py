"""Formulas over a call's arguments: small trees of JSON lists, evaluated in bounded steps, nothing as code.

Goes in: `["/", ["arg", "part"], ["arg", "whole"]]` and arguments as they were sent (`5.0` is not `5`). Comes out: a finite
number, or the reason why there is none. Not here: where a result stands in an answer (`answers.computed`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import ceil, floor, isfinite, sqrt
from typing import Any, Final, TypeGuard

from ..task.attempt import Json

MAX_LIST: Final = 10_000
MAX_BITS: Final = 4_096
"""Of a whole number: powers grow fast."""
MAX_PLACES: Final = 12
ZERO: Final = "zero"
NEGATIVE: Final = "negative"
EMPTY: Final = "empty"
REASONS: Final = (ZERO, NEGATIVE, EMPTY)
"""Divided by nothing, the root of less than nothing, and a list without numbers."""

Formula = Any
"""JSON: `[operation, operand, ...]`."""
Number = int | float


class NoResultError(ValueError):
    """No number comes out; the reason is one of `REASONS`, or empty where the arguments are no numbers."""


def is_finite_number(value: object) -> bool:
    """Whether a value counts: a truth value does not, nor does what is not finite."""
    return type(value) is int or (type(value) is float and isfinite(value))


def is_numbers(value: object) -> TypeGuard[list[Number]]:
    """Whether a value is a list of numbers; an empty one is."""
    return isinstance(value, list) and len(value) <= MAX_LIST and all(map(is_finite_number, value))


def valid(formula: Formula) -> bool:
    """Whether a formula of a world file is in the language."""
    if not isinstance(formula, list) or not formula:
        return False
    operation, operands = formula[0], formula[1:]
    if operation == "arg":
        return len(operands) == 1 and isinstance(operands[0], str)
    if operation == "number":
        return len(operands) == 1 and is_finite_number(operands[0])
    count = 2 if operation in _BINARY else 1 if operation in _UNARY or operation in _LISTS else 0
    return count == len(operands) > 0 and all(map(valid, operands))


def result_of(formula: Formula, arguments: Mapping[str, Json]) -> Number:
    """The value of a formula; raises `NoResultError`."""
    try:
        return _check_number(_value(formula, arguments))
    except ZeroDivisionError as fault:
        raise NoResultError(ZERO) from fault
    except (ArithmeticError, TypeError) as fault:
        raise NoResultError from fault


def _check_number(value: object) -> Number:
    if type(value) is int and value.bit_length() <= MAX_BITS:
        return value
    if type(value) is float and isfinite(value):
        return value
    raise NoResultError


def _value(formula: Formula, arguments: Mapping[str, Json]) -> Number:
    operation = formula[0]
    if operation == "number":
        return _check_number(formula[1])
    if operation == "arg":
        return _check_number(arguments.get(formula[1]))
    if operation in _LISTS:
        numbers = arguments.get(formula[1][1])
        if not is_numbers(numbers):
            raise NoResultError
        return _check_number(_LISTS[operation](numbers))
    if operation in _UNARY:
        return _check_number(_UNARY[operation](_value(formula[1], arguments)))
    left, right = _value(formula[1], arguments), _value(formula[2], arguments)
    return _check_number(_BINARY[operation](left, right))


def _of_nonempty(apply: Callable[[list[Number]], Number]) -> Callable[[list[Number]], Number]:
    def run(numbers: list[Number]) -> Number:
        if not numbers:
            raise NoResultError(EMPTY)
        return apply(numbers)

    return run


def _root(value: Number) -> Number:
    if value < 0:
        raise NoResultError(NEGATIVE)
    return sqrt(value)


def _power(base: Number, exponent: Number) -> Any:
    if type(base) is int and base.bit_length() * abs(exponent) > 2 * MAX_BITS:
        raise NoResultError
    return base**exponent


def _rounded(value: Number, places: Number) -> Number:
    if type(places) is not int or abs(places) > MAX_PLACES:
        raise NoResultError
    return round(value, places)


_LISTS: Final[Mapping[str, Callable[[list[Number]], Number]]] = {
    "sum": sum,
    "len": len,
    "mean": _of_nonempty(lambda numbers: sum(numbers) / len(numbers)),
    "min": _of_nonempty(min),
    "max": _of_nonempty(max),
}
_UNARY: Final[Mapping[str, Callable[[Number], Number]]] = {
    "neg": lambda a: -a,
    "abs": abs,
    "floor": floor,
    "ceil": ceil,
    "sqrt": _root,
}
_BINARY: Final[Mapping[str, Callable[[Number, Number], Any]]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "//": lambda a, b: a // b,
    "%": lambda a, b: a % b,
    "**": _power,
    "least": min,
    "most": max,
    "round": _rounded,
}
LISTS: Final = tuple(_LISTS)
UNARY: Final = tuple(_UNARY)
BINARY: Final = tuple(name for name in _BINARY if name != "round")
"""What two numbers may become; `round` takes a number of places."""
