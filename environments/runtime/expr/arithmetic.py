"""Arithmetic in text: a bounded parser of its own, and the ways tools were seen to write the result.

Goes in: `"(2 + 3) * 4.5"`. Comes out: a number, or None for anything that is not plain arithmetic. Values, powers and
length are bounded; nothing is ever evaluated as code.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from fractions import Fraction
from functools import partial
from math import isfinite
from typing import Final

Number = int | float | Fraction

MAX_LENGTH: Final = 2_000
MAX_VALUE: Final = 1e15
MAX_POWER: Final = 64
MAX_NESTING: Final = 40
RARE: Final = ("%", "//", "**")
"""Signs that many calculators refuse, or mean otherwise: answered only where examples have them."""


class _NotArithmeticError(ValueError):
    """Not plain arithmetic, or too large."""


def calculate(text: object, *, exact: bool = False) -> Number | None:
    """The value of an arithmetic expression, in floats or exact; None when it is not one."""
    if not isinstance(text, str) or len(text) > MAX_LENGTH:
        return None
    try:
        reader = _Reader(text, exact=exact)
        value = reader.sum(0)
        reader.skip()
        return value if reader.at == len(text) else None
    except (_NotArithmeticError, ArithmeticError, ValueError):
        return None


def _check_size(value: Number) -> Number:
    if isinstance(value, complex) or not isfinite(value) or _size(value) > MAX_VALUE:
        raise _NotArithmeticError
    return value


def _size(value: Number) -> float:
    return float(value if value >= 0 else -value)


class _Reader:
    """A cursor over one expression."""

    def __init__(self, text: str, *, exact: bool) -> None:
        self.text = text
        self.exact = exact
        self.at = 0

    def skip(self) -> None:
        while self.text[self.at : self.at + 1] == " ":
            self.at += 1

    def take(self, *signs: str) -> str:
        self.skip()
        for sign in signs:
            if self.text.startswith(sign, self.at):
                self.at += len(sign)
                return sign
        return ""

    def sum(self, depth: int) -> Number:
        value = self.product(depth)
        while sign := self.take("+", "-"):
            other = self.product(depth)
            value = _check_size(value + other if sign == "+" else value - other)
        return value

    def product(self, depth: int) -> Number:
        value = self.signed(depth)
        while sign := self._product_sign():
            other = self.signed(depth)
            value = _check_size(_PRODUCTS[sign](value, other))
        return value

    def _product_sign(self) -> str:
        self.skip()
        return "" if self.text.startswith("**", self.at) else self.take("//", "*", "/", "%")

    def signed(self, depth: int) -> Number:
        if depth > MAX_NESTING:
            raise _NotArithmeticError
        if self.take("-"):
            return -self.signed(depth + 1)
        if self.take("+"):
            return self.signed(depth + 1)
        return self.power(depth)

    def power(self, depth: int) -> Number:
        value = self.atom(depth)
        if not self.take("**"):
            return value
        exponent = self.signed(depth + 1)
        if _size(exponent) > MAX_POWER or _size(value) > MAX_VALUE:
            raise _NotArithmeticError
        if self.exact and exponent != int(exponent):
            raise _NotArithmeticError
        return _check_size(value**exponent)

    def atom(self, depth: int) -> Number:
        if self.take("("):
            value = self.sum(depth + 1)
            if not self.take(")"):
                raise _NotArithmeticError
            return value
        self.skip()
        start = self.at
        while self.text[self.at : self.at + 1] in _DIGITS:
            self.at += 1
        word = self.text[start : self.at]
        if not word or (len(word) > 1 and word[0] == "0" and word[1].isdigit()):
            raise _NotArithmeticError
        if self.exact:
            return Fraction(word)
        return float(word) if "." in word else int(word)


_DIGITS: Final = frozenset("0123456789.")
_PRODUCTS: Final[dict[str, Callable[[Number, Number], Number]]] = {
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "//": lambda a, b: a // b,
    "%": lambda a, b: a % b,
}


def _stripped(value: Number, digits: int) -> str:
    text = f"{round(float(value), digits):.{digits}f}"
    text = text.rstrip("0").rstrip(".") if digits else text
    return "0" if text == "-0" else text


def _rounded_forms(digits: int) -> dict[str, Callable[[Number], str]]:
    return {
        f"float_round_{digits}": lambda v: str(round(float(v), digits)),
        f"round_{digits}": lambda v: str(round(v, digits)),
        f"whole_else_round_{digits}": lambda v: (
            str(int(v)) if float(v).is_integer() else str(round(v, digits))
        ),
        f"stripped_{digits}": lambda v: _stripped(v, digits),
        f"fixed_{digits}": lambda v: f"{v:.{digits}f}",
    }


FORMS: Final[dict[str, Callable[[Number], str]]] = {
    **_rounded_forms(2),
    "plain": str,
    "float": lambda v: str(float(v)),
    "whole_if_whole": lambda v: str(int(v)) if float(v).is_integer() else str(v),
    "general": lambda v: f"{v:g}",
    **{
        name: form for digits in (0, 1, 3, 4, 5, 6) for name, form in _rounded_forms(digits).items()
    },
}
"""How a result may be written; which one a tool uses is learnt from its examples."""


def _decimal(value: Number, digits: int, rounding: str, *, strip: bool) -> str:
    ratio = Fraction(value)
    exact = Decimal(ratio.numerator) / Decimal(ratio.denominator)
    text = f"{exact.quantize(Decimal(1).scaleb(-digits), rounding=rounding):f}"
    if strip and "." in text:
        text = text.rstrip("0").rstrip(".")
    return text.removeprefix("-") if not text.strip("-0.") else text


def _decimal_forms(digits: int) -> dict[str, Callable[[Number], str]]:
    """As a tool writes that computes in decimal numbers, not in binary ones."""
    out: dict[str, Callable[[Number], str]] = {}
    for name, rounding in (("even", ROUND_HALF_EVEN), ("up", ROUND_HALF_UP)):
        for strip in (True, False):
            out[f"decimal_{name}_{digits}{'_stripped' if strip else ''}"] = partial(
                _decimal, digits=digits, rounding=rounding, strip=strip
            )
    return out


DECIMAL_FORMS: Final[dict[str, Callable[[Number], str]]] = {
    name: form for digits in (2, 0, 1, 3, 4, 5, 6) for name, form in _decimal_forms(digits).items()
}
"""Forms whose value has to be exact."""


def answer(text: object, form: str) -> str | None:
    """The result of an expression as a tool with this form writes it; None where there is none."""
    exact = form in DECIMAL_FORMS
    value = calculate(text, exact=exact)
    if value is None:
        return None
    try:
        return (DECIMAL_FORMS if exact else FORMS)[form](value)
    except ArithmeticError:
        return None
