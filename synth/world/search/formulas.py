"""Formulas that give recorded numbers: a small space over a call's arguments, all that fit are kept.

Comes from calls of one kind and the number in each answer; goes to `computed`. A formula fits where it gives every number to the
letter. Not here: what else stands in an answer, and whether the tool looks at anything but its arguments.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Final

from environments.runtime.answers.computed import Way, write_result
from environments.runtime.expr.arithmetic import FORMS
from environments.runtime.expr.formulas import (
    BINARY,
    LISTS,
    UNARY,
    Formula,
    NoResultError,
    Number,
    result_of,
)
from environments.runtime.task.attempt import Json

PLAIN: Final = ("plain", "float", "whole_if_whole")
NEAR: Final = 0.51
NEAR_SHARE: Final = 1e-5
"""How far a value may be from what it is written as: as a whole number, or with six digits."""
MAX_ARGUMENTS: Final = 4
MAX_DIGITS: Final = 10
"""Digits of a factor: one with more is noise, or a number that the tool works out otherwise."""
INSIDE: Final = 0.001
"""How far inside the room that rounded numbers leave the outermost factors lie."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenCall:
    """One call's arguments, and a number as its answer has it."""

    arguments: dict[str, Json]
    text: str


def is_echo(way: Way) -> bool:
    """Whether an argument is only said again."""
    return bool(way[0][0] == "arg")


def is_factor(way: Way) -> bool:
    """Whether a number that the tool keeps is in it: a price or a rate may become another."""
    operation, *operands = way[0]
    return operation in {"*", "/"} and operands[1][0] == "number" and operands[0][0] == "arg"


def ways_of(
    given: Sequence[GivenCall], numbers: Sequence[str], lists: Sequence[str], *, factors: bool
) -> list[Way]:
    """All formulas with their forms that give every number, simplest first."""
    if len(numbers) > MAX_ARGUMENTS or len(lists) > MAX_ARGUMENTS:
        return []
    out = [way for formula in _space(numbers, lists) for way in _fitting(formula, given)]
    if factors:
        for name in numbers:
            out += _factors(given, name)
    return out


def _space(numbers: Sequence[str], lists: Sequence[str]) -> Iterator[Formula]:
    """Every formula without a number of its own, then each rounded to an argument."""
    plain = list(_unrounded(numbers, lists))
    yield from plain
    for places in numbers:
        for formula in plain:
            if not _uses(formula, places):
                yield ["round", formula, ["arg", places]]


def _unrounded(numbers: Sequence[str], lists: Sequence[str]) -> Iterator[Formula]:
    args: list[Formula] = [["arg", name] for name in numbers]
    totals: list[Formula] = [[name, ["arg", of]] for of in lists for name in LISTS]
    yield from args
    yield from totals
    yield from ([name, arg] for arg in args for name in UNARY)
    for left, right in permutations(args, 2):
        yield from ([name, left, right] for name in BINARY)
        yield ["abs", ["-", left, right]]
        yield from _hundredths(left, right)
        yield from _multiples(left, right)
    for total in totals:
        for arg in args:
            yield from ([name, total, arg] for name in ("+", "-", "*", "/"))
    for one, two, three in permutations(args, 3):
        yield from ([name, [name, one, two], three] for name in ("+", "*"))


def _hundredths(left: Formula, right: Formula) -> Iterator[Formula]:
    """A share as a percentage, a percentage of something, and what is more or less by one, as they are worked out."""
    hundred: Formula = ["number", 100]
    yield ["*", ["/", left, right], hundred]
    yield ["/", ["*", left, hundred], right]
    parts: tuple[Formula, ...] = (
        ["/", ["*", left, right], hundred],
        ["*", left, ["/", right, hundred]],
    )
    yield from parts
    for sign in ("+", "-"):
        yield ["*", left, [sign, ["number", 1], ["/", right, hundred]]]
        yield from ([sign, left, part] for part in parts)


def _multiples(value: Formula, unit: Formula) -> Iterator[Formula]:
    """The multiple of a unit that is nearest, next below or next above."""
    times: Formula = ["/", value, unit]
    for whole in (["round", times, ["number", 0]], ["floor", times], ["ceil", times]):
        yield ["*", whole, unit]


def _uses(formula: Formula, name: str) -> bool:
    if formula[0] == "arg":
        return bool(formula[1] == name)
    return any(isinstance(part, list) and _uses(part, name) for part in formula[1:])


def _fitting(formula: Formula, given: Sequence[GivenCall]) -> Iterator[Way]:
    first = given[0]
    try:
        told = float(first.text)
        if abs(result_of(formula, first.arguments) - told) > max(NEAR, NEAR_SHARE * abs(told)):
            return
    except (NoResultError, OverflowError):
        return
    yield from ((formula, form) for form in FORMS if _gives((formula, form), given))


def _gives(way: Way, given: Iterable[GivenCall]) -> bool:
    try:
        return all(write_result(way, one.arguments) == one.text for one in given)
    except NoResultError:
        return False


def _factors(given: Sequence[GivenCall], name: str) -> list[Way]:
    """What one argument is multiplied or divided by; of rounded numbers the room that they leave."""
    pairs = [
        (value, float(one.text))
        for one in given
        if isinstance(value := one.arguments[name], int | float) and value
    ]
    if len(pairs) < len(given) or len({x for x, _ in pairs}) < 2:
        return []
    arg: Formula = ["arg", name]
    top, told = max(pairs, key=lambda pair: abs(pair[1]))
    ratio = told / top
    if not ratio or all(x == y for x, y in pairs):
        return []
    exact: list[Way] = []
    for formula in _short(arg, ratio):
        exact += [(formula, form) for form in PLAIN if _gives((formula, form), given)]
        if exact:
            return exact + [w for w in _fitting(formula, given) if w not in exact]
    return list(_rounded(given, pairs, arg))


def _short(arg: Formula, ratio: float) -> Iterator[Formula]:
    """Multiplied or divided by a number of few digits, the fewest first."""
    for digits in range(1, MAX_DIGITS + 1):
        for operation, value in (("*", ratio), ("/", 1 / ratio)):
            number = float(f"{value:.{digits}g}")
            whole: list[Number] = [int(number)] if number.is_integer() else []
            for factor in (*whole, number):
                if factor:
                    yield [operation, arg, ["number", factor]]


def _rounded(
    given: Sequence[GivenCall], pairs: Sequence[tuple[float, float]], arg: Formula
) -> Iterator[Way]:
    """The shortest factor that fits, and the outermost ones: a call that tells them apart is unknown."""
    for places in range(7):
        half = 0.5 * 10.0**-places
        ends = [sorted(((y - half) / x, (y + half) / x)) for x, y in pairs]
        low, high = max(e[0] for e in ends), min(e[1] for e in ends)
        if low >= high:
            continue
        room, middle = (high - low) * INSIDE, (low + high) / 2
        tried = (float(f"{middle:.{digits}g}") for digits in range(1, MAX_DIGITS + 1))
        short = next((f for f in tried if low < f < high), middle)
        factors = (short, low + room, high - room)
        found = False
        for form in (f for f in FORMS if f.endswith(f"_{places}")):
            ways: list[Way] = [(["*", arg, ["number", f]], form) for f in factors]
            if all(_gives(way, given) for way in ways):
                found = True
                yield from ways
        if found:
            return
