"""What the fixed words of a refusal say of its calls: a value that the record had, a number that the amounts were below or above.

Comes from the refusals of one class; goes to `specific` as conditions, and to `success`, where amounts beyond those taken withhold it. Not
here: how words are fitted (`messages`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from math import isfinite
from typing import Any, Final

from environments.runtime.expr.gaps import MISSING, UNKNOWN
from environments.runtime.expr.scope import Tree
from environments.runtime.values.normal import is_number, stable
from synth.world.refusals.cases import Source
from synth.world.refusals.version_space import RefusalSpace
from synth.world.search.constant_arguments import MIN_LENGTH, unbound, words_of
from synth.world.support import SEEN_TWICE

MIN_TAKEN: Final = SEEN_TWICE
"""Different amounts that were taken before nobody is told of one beyond them."""

_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w])")


def said_of_calls(source: Source, space: RefusalSpace) -> Iterator[Tree]:
    """That what said the fixed words says them again, and that amounts are on the side of a fixed number where all refused ones were.

    `price_archive is sold from 10 on`, told of one subscription only, says its own price: another one has other words. Who
    asked for four was refused so: of who asks for twelve it says nothing.
    """
    words = _fixed(space.message)
    yield from _values_said(source, words, space.name)
    yield from (tree for tree, _ in _sides(source, words, space.name))


def amounts_taken(source: Source) -> Iterator[Tree]:
    """Where refusals name a number and all refused amounts were on one side of it, that none lies beyond those that were taken.

    `sold from 10 on`, told to four and six of one plan: two of another one may be too few as well.
    """
    cases = source.cases
    given = [scope.arg for scope in cases.scopes[: len(cases.good)]]
    for name in sorted(cases.index):
        words = " ".join({e.seen.content for e in cases.bad[name]})
        for tree, argument in _sides(source, words, name):
            taken = _amounts(given, argument)
            if taken is not None and len(set(taken)) >= MIN_TAKEN:
                amount: Tree = ["arg", argument]
                below = tree[1][1][0] == "const"
                limit: Tree = ["const", min(taken) if below else max(taken)]
                yield ["le", limit, amount] if below else ["le", amount, limit]


def _fixed(message: Tree) -> str:
    """The fixed words of a message, numbers that never varied among them."""
    tree = unbound(message)
    if tree[0] != "text":
        return " ".join(words_of(tree)).casefold()
    parts = (str(p[1]) if isinstance(p, list) and p[0] == "const" else p for p in tree[1:])
    return "".join(p if isinstance(p, str) else " " for p in parts).casefold()


def _values_said(source: Source, words: str, name: str) -> Iterator[Tree]:
    """That a value which stands in the words is what it was in every refusal."""
    for term in source.fitter.terms.scalars:
        if term.tree[0] not in {"old", "row"}:
            continue
        values = [term.values[at] for at in source.cases.index[name]]
        known = [value for value in values if value is not UNKNOWN]
        if not known or any(v is MISSING for v in known) or len(set(map(stable, known))) > 1:
            continue
        if isinstance(known[0], str) and _stands(known[0], words):
            yield ["eq", term.tree, ["const", known[0]]]


def _stands(value: str, words: str) -> bool:
    if len(value) < MIN_LENGTH:
        return False
    return bool(re.search(rf"(?<![^\W_]){re.escape(value.casefold())}(?![^\W_])", words))


def _sides(source: Source, words: str, name: str) -> Iterator[tuple[Tree, str]]:
    """That an amount in the call is on the side of a number in the words on which it was in every refusal; and its argument."""
    numbers = {number for found in _NUMBER.findall(words) if isfinite(number := float(found))}
    given = [scope.arg for scope in source.cases.scopes_of(name)]
    for argument in sorted({n for a in given if isinstance(a, dict) for n in a}):
        values = _amounts(given, argument)
        for number in sorted(numbers) if values else ():
            bound: Tree = ["const", int(number) if number.is_integer() else number]
            if all(v < number for v in values or ()):
                yield ["not", ["le", bound, ["arg", argument]]], argument
            elif all(v > number for v in values or ()):
                yield ["not", ["le", ["arg", argument], bound]], argument


def _amounts(calls: Sequence[Any], name: str) -> list[float] | None:
    """The numbers that calls gave as an argument; None where one gave none."""
    values: list[Any] = [call.get(name) if isinstance(call, dict) else None for call in calls]
    return values if all(map(is_number, values)) else None
