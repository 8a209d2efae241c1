"""The closed language of learnt behaviours: what its operations do with values.

A behaviour is a tree of JSON lists, `[operation, operand, ...]`. It cannot loop but over lists that are there, cannot recurse,
and every list step costs fuel. Here stand the operations that need values alone, by name; those that look at the call, at
rows or at the elements of lists, and the table of all, stand in `evaluate`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from operator import add, mul, neg, sub
from string import ascii_lowercase, ascii_uppercase, digits
from typing import Any, Final

from ..values.normal import same_json, stable
from .gaps import MISSING

MAX_SHAPED: Final = 200
"""Characters of a text whose pattern is looked at."""
COMPARED_SINGLY: Final = 8
"""Values that are compared one by one: texts that differ are told apart sooner than written."""
NUMBERS: Final = frozenset({int, float})
"""Types of numbers: a truth value is none."""


class BadTreeError(ValueError):
    """The world file holds a tree that is not in the language."""


def equal(left: Any, right: Any) -> bool:
    """Equality as JSON sees it."""
    return bool(left == right) if type(left) is str else same_json(left, right)


def membership_in(values: Iterable[Any]) -> Callable[[Any], bool]:
    """Whether a value is one of these, as JSON sees it."""
    values = list(values)
    texts, words = {stable(v) for v in values}, {v for v in values if isinstance(v, str)}
    empty = None in values

    def holds(value: Any) -> bool:
        if type(value) is str:
            return value in words
        return empty if value is None else stable(value) in texts

    return holds


def distinct(values: list[Any]) -> bool:
    """Whether no value is there twice, as JSON sees it."""
    if len(values) <= COMPARED_SINGLY and all(
        values[at] not in values[:at] for at in range(1, len(values))
    ):
        return True
    return len({stable(v) for v in values}) == len(values)


_CLASSES: Final = {
    **dict.fromkeys(map(ord, digits), "9"),
    **dict.fromkeys(map(ord, ascii_uppercase), "A"),
    **dict.fromkeys(map(ord, ascii_lowercase), "a"),
}
_RUNS: Final = ("99", "AA", "aa")
_DIGIT: Final = re.compile("[0-9]")


def shape(value: Any) -> str:
    """The pattern of a text: runs of digits as `9`, of letters as `a` or `A`, all else as it is."""
    if not isinstance(value, str):
        return type(value).__name__
    if value.isascii():
        text = value[:MAX_SHAPED].translate(_CLASSES)
        for run in _RUNS:
            while run in text:
                text = text.replace(run, run[0])
        return text
    out: list[str] = []
    for char in value[:MAX_SHAPED]:
        kind = "9" if char.isdigit() else "A" if char.isupper() else "a" if char.isalpha() else char
        if not out or out[-1] != kind or kind not in "9Aa":
            out.append(kind)
    return "".join(out)


def prefix(value: Any) -> Any:
    """What stands before the first digit of a text: the kind of thing that many ids spell out."""
    if not isinstance(value, str):
        return MISSING
    if value.isascii():
        found = _DIGIT.search(value)
        return value[: found.start()] if found else value
    return next((value[:at] for at, char in enumerate(value) if char.isdigit()), value)


def keys(value: Any) -> Any:
    """The names of an object's fields."""
    return list(value) if isinstance(value, dict) else MISSING


def text_of(value: Any) -> Any:
    """A value as it stands inside a message."""
    if isinstance(value, str):
        return value
    return MISSING if value is None or isinstance(value, dict | list) else str(value)


def total(values: list[Any]) -> Any:
    """The sum of numbers."""
    # Not the built-in: since Python 3.12 it adds floats another way than a program's loop does.
    out: Any = 0
    for value in values:
        if type(value) not in NUMBERS:
            return MISSING
        out += value
    return out


def in_order(values: list[Any]) -> Any:
    """Texts, or numbers, sorted."""
    for kind in (str, int | float):
        if all(isinstance(v, kind) for v in values):
            return sorted(values)
    return MISSING


def sign(value: float) -> int:
    """1, 0 or -1; what is smaller than a millionth counts as nothing."""
    whole = round(value, 6)
    return (whole > 0) - (whole < 0)


def at_most(left: Any, right: Any) -> bool:
    """Whether one number is not above another, but for what floats get wrong."""
    return bool(left <= right + 1e-9)


OF_VALUE: Final[Mapping[str, Callable[[Any], Any]]] = {
    "not": lambda value: not value,
    "shape": shape,
    "prefix": prefix,
    "keys": keys,
}
"""Operations on one value of any kind."""
OF_LIST: Final[Mapping[str, Callable[[list[Any]], Any]]] = {
    "len": len,
    "distinct": distinct,
    "sort": in_order,
}
"""Operations on a list, or on the values of a dictionary."""
OF_NUMBER: Final[Mapping[str, Callable[[Any], Any]]] = {"neg": neg, "abs": abs, "sign": sign}
OF_NUMBERS: Final[Mapping[str, Callable[[Any, Any], Any]]] = {
    "add": add,
    "sub": sub,
    "mul": mul,
    "max": max,
    "le": at_most,
}
"""Operations on two numbers."""
