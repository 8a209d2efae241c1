"""Answers that a tool computes from its arguments alone, whatever was done before.

Goes in: a call's arguments as they were sent. Comes out: the text of the answer, or None where nobody knows. Several formulas may
have fitted every example: where they part ways nobody knows. Not here: how they were found (`synth.world.search.computed`).
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Final

from ..document.tools import CasePart, ComputedPart
from ..expr.arithmetic import FORMS
from ..expr.formulas import Formula, NoResultError, is_finite_number, is_numbers, result_of, valid
from ..expr.language import BadTreeError
from ..task.attempt import Json
from ..values.normal import coerce, stable

LIST: Final = "list"
NUMBER: Final = "number"

Way = tuple[Formula, str]
"""A formula, and the form that its result is written in."""


def shape_of(value: Json) -> str | None:
    """Whether an argument is a number or a list of them; None: neither."""
    return NUMBER if is_finite_number(value) else LIST if is_numbers(value) else None


def as_sent(
    arguments: Mapping[str, Json],
    forms: Mapping[str, str],
    ignore: Container[str],
) -> dict[str, Json]:
    """The arguments that matter, numbers as they were sent: `2 * 3.0` is no whole number."""
    return {n: coerce(v, forms.get(n, "")) for n, v in arguments.items() if n not in ignore}


def compute(computed: ComputedPart, arguments: Mapping[str, Json]) -> tuple[str, bool] | None:
    """The answer and whether it is a refusal; None where no case holds, or nobody knows."""
    for case in computed.cases:
        if _holds(case, arguments):
            return _answer(case, arguments)
    return None


def _holds(case: CasePart, arguments: Mapping[str, Json]) -> bool:
    if arguments.keys() != {*case.takes, *case.words, *case.given}:
        return False
    return (
        all(shape_of(arguments[name]) == shape for name, shape in case.takes.items())
        and all(isinstance(arguments[name], str) for name in case.words)
        and all(stable(arguments[name]) == value for name, value in case.given.items())
    )


def _answer(case: CasePart, arguments: Mapping[str, Json]) -> tuple[str, bool] | None:
    told: list[str] = []
    for ways in case.slots:
        try:
            texts = {write_result(way, arguments) for way in ways}
        except NoResultError as fault:
            reasons = {_reason(way[0], arguments) for ways in case.slots for way in ways}
            text = case.refusals.get(str(fault))
            return None if text is None or reasons - {str(fault), None} else (text, True)
        if len(texts) != 1:
            return None
        told.append(texts.pop())
    out: list[str] = []
    for part in case.text:
        if isinstance(part, tuple):
            words = {str(arguments[name]) for name in part}
            if len(words) != 1:
                return None
            out.append(words.pop())
        else:
            out.append(part if isinstance(part, str) else told[part])
    return "".join(out), False


def _reason(formula: Formula, arguments: Mapping[str, Json]) -> str | None:
    try:
        result_of(formula, arguments)
    except NoResultError as fault:
        return str(fault)
    return None


def write_result(way: Way, arguments: Mapping[str, Json]) -> str:
    """A result as the tool writes it; raises `NoResultError`."""
    try:
        return FORMS[way[1]](result_of(way[0], arguments))
    except (ArithmeticError, TypeError) as fault:
        raise NoResultError from fault


def check_computed(part: ComputedPart) -> ComputedPart:
    """The same; raises `BadTreeError` where a formula is not in the language, or an answer cannot be put together."""
    for case in part.cases:
        for ways in case.slots:
            if not ways or not all(form in FORMS and valid(formula) for formula, form in ways):
                raise BadTreeError("a computed number is not in the language")
        for piece in case.text:
            if isinstance(piece, tuple) and not set(case.words).issuperset(piece):
                raise BadTreeError(
                    "an answer is put together from an argument that it does not have"
                )
            if isinstance(piece, int) and not 0 <= piece < len(case.slots):
                raise BadTreeError("an answer has a place for a number that is not computed")
    return part
