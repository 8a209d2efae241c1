"""Messages: what a tool says when it refuses, as trees over the call and the state.

Comes from the refusals of one class; goes to `guards`. Numbers in a message also say what is compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from environments.runtime.expression_scope import Scope, Tree
from environments.runtime.normal import HOLE, stable
from synth.world.conditions import Condition
from synth.world.examples import DARK, GONE, Example, evaluate
from synth.world.fit import Fitter
from synth.world.numbers import fit_number, numeric_terms
from synth.world.terms import Tables, Term


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """All refusals of one class."""

    name: str
    """The message with its changing words replaced by holes."""
    group: Sequence[Example]
    scopes: list[Scope]
    tables: Tables
    roots: Sequence[str]


def hole_terms(refusal: Refusal) -> list[Tree]:
    """The numbers in a message as trees."""
    if HOLE not in refusal.name:
        return []
    out: list[Tree] = []
    fitter = Fitter(refusal.scopes, refusal.roots, refusal.tables)
    for numbers in _holes(refusal):
        tree = fitter.fit(numbers, cases=False)
        if tree is None:
            terms = numeric_terms(fitter.terms, refusal.tables, totals=True)
            tree = fit_number(refusal.scopes, numbers, terms)
        if tree is not None:
            out.append(tree)
    return out


def _holes(refusal: Refusal) -> list[list[Any]]:
    """The numbers that fill each hole of a class of message, one list per hole."""
    words = [i for i, word in enumerate(refusal.name.split(" ")) if HOLE in word]
    out: list[list[Any]] = []
    for at in words:
        values: list[Any] = []
        for example in refusal.group:
            pieces = example.seen.content.split(" ")
            text = pieces[at].strip(".,;:!?()\"'") if at < len(pieces) else ""
            values.append(_as_number(text))
        if all(v is not None for v in values):
            out.append(values)
    return out


def _as_number(text: str) -> int | float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return int(number) if number.is_integer() and "." not in text else number


def message_of(refusal: Refusal, culprits: Sequence[Tree]) -> Tree | None:
    """What the tool says, as a tree: fixed, or text whose holes are terms or the element that broke a condition."""
    contents = [e.seen.value if e.seen.is_json else e.seen.content for e in refusal.group]
    if len({stable(c) for c in contents}) == 1 and HOLE not in refusal.name:
        return ["const", contents[0]]
    scopes = refusal.scopes
    for tree in culprits:
        lit = [i for i, v in enumerate(evaluate(tree, scopes)) if v is not DARK and v is not GONE]
        if lit:
            scopes, contents = [scopes[i] for i in lit], [contents[i] for i in lit]
    fitter = Fitter(scopes, refusal.roots, refusal.tables)
    for tree in culprits:
        values = evaluate(tree, scopes)
        if any(isinstance(v, str) for v in values):
            fitter.terms.scalars.append(Term(tree=tree, values=values, rank=0))
        for field in sorted({n for v in values if isinstance(v, dict) for n in v}):
            inner = evaluate([*tree, field], scopes)
            fitter.terms.scalars.append(Term(tree=[*tree, field], values=inner, rank=0))
    tree = fitter.fit(contents, cases=False)
    if tree is not None and tree[0] == "const" and HOLE in refusal.name:
        # One recorded value of a message that changes: only a term that gives it may fill the hole.
        return fitter.fit_text(contents)
    return tree


def culprits_of(best: Sequence[Condition]) -> list[Tree]:
    """The first element that breaks a condition on every element: what a message is likely to name."""
    return [
        ["at", ["filter", c.tree[1], ["not", c.tree[2]]], ["const", 0]]
        for c in best
        if c.tree[0] == "every"
    ]
