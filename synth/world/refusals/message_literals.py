"""Words of a refusal that its record said as well: told where the record says so again.

Comes from the refusals of one tool that are told, and their cases; goes into its guards as `also` and `beside`. Not here: which
refusal comes first (`first_refusal`), arguments that words spell (`spelt`), how words are fitted (`messages`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from math import isfinite
from typing import Any, Final

from environments.runtime.expr.gaps import MISSING, UNKNOWN
from environments.runtime.expr.scope import Tree
from environments.runtime.values.normal import stable
from synth.world.actions.examples import evaluate
from synth.world.refusals.conditions import Cases
from synth.world.refusals.draft import GuardDraft, withheld_guard
from synth.world.search.constant_arguments import MIN_LENGTH, unbound, words_of
from synth.world.search.numbers import is_number
from synth.world.search.terms import Term
from synth.world.support import SEEN_TWICE

MIN_TAKEN: Final = SEEN_TWICE
"""Different amounts that were taken before nobody is told of one beyond them."""

_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w])")


def bind_words(guards: Iterable[GuardDraft], terms: Sequence[Term], cases: Cases) -> None:
    """Bind fixed words to what said them in every refusal, and fixed numbers to the side that every refused amount was on.

    `price_archive is sold from 10 on`, told of one subscription only, says its own price: another one has other words. Who
    asked for four was refused so: of who asks for twelve it says nothing.
    """
    for guard in guards:
        if not guard.message:
            continue
        words = _fixed(guard.message)
        rows = cases.index[guard.refusal]
        for tree in (*_value_literals(words, terms, rows), *_sides(words, cases, rows)):
            values = evaluate(tree, [cases.scopes[i] for i in rows])
            seen = UNKNOWN not in values
            if tree not in ((guard.also if seen else guard.beside) or ()):
                guard.bind([tree], seen=seen)


def _fixed(message: Tree) -> str:
    """The fixed words of a message, numbers that never varied among them."""
    tree = unbound(message)
    if tree[0] != "text":
        return " ".join(words_of(tree)).casefold()
    parts = (str(p[1]) if isinstance(p, list) and p[0] == "const" else p for p in tree[1:])
    return "".join(p if isinstance(p, str) else " " for p in parts).casefold()


def _value_literals(words: str, terms: Sequence[Term], rows: Sequence[int]) -> Iterator[Tree]:
    """That a value which stands in the words is what it was in every refusal."""
    for term in terms:
        if term.tree[0] not in {"old", "row"}:
            continue
        known = [term.values[i] for i in rows if term.values[i] is not UNKNOWN]
        if not known or any(v is MISSING for v in known) or len(set(map(stable, known))) > 1:
            continue
        if isinstance(known[0], str) and _stands(known[0], words):
            yield ["eq", term.tree, ["const", known[0]]]


def _stands(value: str, words: str) -> bool:
    if len(value) < MIN_LENGTH:
        return False
    return bool(re.search(rf"(?<![^\W_]){re.escape(value.casefold())}(?![^\W_])", words))


def _sides(words: str, cases: Cases, rows: Sequence[int]) -> Iterator[Tree]:
    """That an amount in the call is on the side of a number in the words on which it was in every refusal."""
    numbers = {number for found in _NUMBER.findall(words) if isfinite(number := float(found))}
    given = [cases.scopes[i].arg for i in rows]
    names = sorted({n for a in given if isinstance(a, dict) for n in a})
    for name in names:
        values = _amounts(given, name)
        if values is None:
            continue
        for number in sorted(numbers):
            bound: Tree = ["const", int(number) if number.is_integer() else number]
            if all(v < number for v in values):
                yield ["not", ["le", bound, ["arg", name]]]
            elif all(v > number for v in values):
                yield ["not", ["le", ["arg", name], bound]]


def unseen_amounts(cases: Cases) -> Iterator[GuardDraft]:
    """Guards: where refusals name a number and all refused amounts were on one side of it, none beyond those that were taken.

    `sold from 10 on`, told to four and six of one plan: two of another one may be too few as well.
    """
    given = [e.arg for e in cases.scopes[: len(cases.good)]]
    for name, rows in sorted(cases.index.items()):
        words = " ".join({e.seen.content for e in cases.bad[name]})
        for tree in _sides(words, cases, rows):
            below, (bound, asked) = tree[1][1][0] == "const", tree[1][1:]
            argument = (asked if below else bound)[1]
            taken = _amounts(given, argument)
            if taken is None or len(set(taken)) < MIN_TAKEN:
                continue
            limit: Tree = ["const", min(taken) if below else max(taken)]
            amount: Tree = ["arg", argument]
            holds: Tree = ["le", limit, amount] if below else ["le", amount, limit]
            yield withheld_guard(holds, len(taken), thin=True)


def _amounts(calls: Sequence[Any], name: str) -> list[float] | None:
    """The numbers that calls gave as an argument; None where one gave none."""
    values: list[Any] = [call.get(name) if isinstance(call, dict) else None for call in calls]
    return values if all(map(is_number, values)) else None
