"""Messages: what a tool says when it refuses, as trees over the call and the state.

Comes from the refusals of one class; goes to `explain`. Numbers in a message also say what is compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, Final

from environments.runtime.expr.scope import Scope, Tree
from environments.runtime.expr.trees import with_operands
from environments.runtime.values.normal import HOLE, is_number, stable
from synth.world.actions.examples import Example, evaluate, has_value
from synth.world.refusals.cases import Literal
from synth.world.search.constant_arguments import bound, unbound
from synth.world.search.fit import Fitter
from synth.world.search.fit_text import holed_text
from synth.world.search.numbers import fit_number, numeric_terms
from synth.world.search.terms import Tables, Term, Terms
from synth.world.support import SEEN_FOUR_TIMES, SEEN_THRICE

MIN_ALLOWED: Final = SEEN_FOUR_TIMES
"""Different successes that must have met an equality before a refusal's numbers are fitted with them."""

MIN_FIXED: Final = SEEN_THRICE
"""Tasks whose refusals say the same number before it counts as part of the words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """All refusals of one class."""

    name: str
    """The message with its changing words replaced by holes."""
    group: Sequence[Example]
    scopes: list[Scope]
    tables: Tables
    roots: Sequence[str]


def hole_terms(refusal: Refusal, allowed: Sequence[Scope]) -> list[Tree]:
    """The numbers in a message as trees; `allowed` are the scopes of different calls that succeeded."""
    if HOLE not in refusal.name:
        return []
    fitter = Fitter(refusal.scopes, refusal.roots, refusal.tables)
    holes = _holes(refusal)
    found = [_hole_tree(fitter, refusal, numbers) for numbers in holes]
    if sum(tree is not None for tree in found) == 1 and len(found) == 2:
        told = found[0] if found[0] is not None else found[1]
        other = _balanced(refusal, told, holes[0 if found[0] is None else 1], allowed)
        found.append(other)
    return [tree for tree in found if tree is not None]


def _hole_tree(fitter: Fitter, refusal: Refusal, numbers: list[Any]) -> Tree | None:
    tree = fitter.fit(numbers, cases=False)
    if tree is not None:
        return tree
    terms = numeric_terms(fitter.terms, refusal.tables, totals=True)
    return fit_number(refusal.scopes, numbers, terms)


def _balanced(
    refusal: Refusal, told: Tree, numbers: list[Any], allowed: Sequence[Scope]
) -> Tree | None:
    """The other number of a message such as "is A, but paid B", where every success had A equal to B.

    The successes then are examples of A as well: few refusals are recorded, and sums need many examples.
    """
    paid = evaluate(told, list(allowed))
    rows = [i for i, value in enumerate(paid) if is_number(value)]
    if len(rows) < MIN_ALLOWED or len(rows) < len(paid):
        return None
    first = {stable([e.seen.arguments]): i for i, e in reversed([*enumerate(refusal.group)])}
    scopes = [*(refusal.scopes[i] for i in sorted(first.values())), *allowed]
    target = [*(numbers[i] for i in sorted(first.values())), *paid]
    fitter = Fitter(scopes, refusal.roots, refusal.tables)
    terms = numeric_terms(fitter.terms, refusal.tables, totals=True)
    return fit_number(scopes, target, terms)


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


def hole_words(name: str, group: Sequence[Example]) -> list[list[str]]:
    """The text in each hole of a class of message, one list per hole; none where the message does not split so."""
    out: list[list[str]] = [[] for _ in range(name.count(HOLE))]
    pieces = name.split(HOLE)
    for example in group:
        rest = example.seen.content
        for at, piece in enumerate(pieces):
            where = rest.find(piece) if piece else len(rest) if at == len(pieces) - 1 else 0
            if where < 0 or (at == 0 and where > 0):
                return []
            if at > 0:
                out[at - 1].append(rest[:where])
            rest = rest[where + len(piece) :]
    return out


def _as_number(text: str) -> int | float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    if not isfinite(number):
        return None  # "nan" and "inf" are words, and so is what has too many digits
    return int(number) if number.is_integer() and "." not in text else number


def message_of(
    refusal: Refusal, culprits: Sequence[Tree], amounts: Sequence[Tree] = ()
) -> Tree | None:
    """What the tool says, as a tree: fixed, or text whose holes are terms, amounts, or the element that broke a condition."""
    contents = [e.seen.value if e.seen.is_json else e.seen.content for e in refusal.group]
    if len({stable(c) for c in contents}) == 1 and HOLE not in refusal.name:
        return bound(["const", contents[0]], refusal.scopes)
    scopes = refusal.scopes
    for tree in [*culprits, *amounts]:
        lit = [i for i, v in enumerate(evaluate(tree, scopes)) if has_value(v)]
        if lit:
            scopes, contents = [scopes[i] for i in lit], [contents[i] for i in lit]
    fitter = Fitter(scopes, refusal.roots, refusal.tables)
    for tree in [*culprits, *amounts]:
        values = evaluate(tree, scopes)
        if any(isinstance(v, str) or is_number(v) for v in values):
            fitter.terms.scalars.append(Term(tree=tree, values=values, rank=0))
        for field in sorted({n for v in values if isinstance(v, dict) for n in v}):
            inner = evaluate([*tree, field], scopes)
            fitter.terms.scalars.append(Term(tree=[*tree, field], values=inner, rank=0))
    tree = _of_culprit(fitter, culprits, contents) or fitter.fit(contents, cases=False)
    if tree is not None and unbound(tree)[0] == "const" and HOLE in refusal.name:
        # One recorded value of a message that changes: only a term that gives it may fill the hole.
        tree = fitter.fit_text(contents)
    said = None if tree is None else unbound(tree)
    if said is None or (
        said[0] == "text" and not (_fixed(said, refusal) and _has_distinct_holes(said, refusal))
    ):
        return None
    return _with_alternatives(tree, fitter.terms)


def _with_alternatives(tree: Any, terms: Terms) -> Any:
    """A message whose words are arguments or, as well, what a record said in every refusal: where they differ, nobody knows.

    `voucher SPRING10 already applied` was only told to who asked for it again: it may be what is asked for or what is there.
    """
    if tree[0] != "arg":
        return with_operands(tree, lambda part: _with_alternatives(part, terms))
    mine = next((t.values for t in terms.scalars if t.tree == tree), None)
    rivals = [t.tree for t in terms.scalars if t.tree[0] != "arg" and t.values == mine]
    return ["either", tree, *rivals] if rivals else tree


def _of_culprit(fitter: Fitter, culprits: Sequence[Tree], contents: Sequence[Any]) -> Tree | None:
    """The text with the element in it that broke the condition, where that gives every message."""
    if not culprits or not all(isinstance(c, str) for c in contents):
        return None
    about = [t for t in fitter.terms.scalars if any(t.tree[:3] == c for c in culprits)]
    own = Terms(scopes=fitter.scopes, scalars=about, containers=[])
    return holed_text(own, contents) if about else None


def _fixed(tree: Tree, refusal: Refusal) -> bool:
    """Whether numbers in a message's fixed text stand in all its refusals: one task's total is no part of the words."""
    words = [str(p[1]) if p[0] == "const" else p for p in tree[1:] if p]
    numbers = [p for p in words if isinstance(p, str) and any(c.isdigit() for c in p)]
    tasks = {e.task or str(e.seen.episode) for e in refusal.group}
    texts = [e.seen.content for e in refusal.group]
    return not numbers or (
        len(tasks) >= MIN_FIXED and all(p in text for p in numbers for text in texts)
    )


def _has_distinct_holes(tree: Tree, refusal: Refusal) -> bool:
    """Whether no two holes are one and the same argument, unless many of its values were told so.

    `Cannot move from won to won` was said to who repeated a call: the first word is another thing that was the same then.
    """
    holes = [stable(part) for part in tree[1:] if isinstance(part, list) and part[0] == "arg"]
    twice = {hole for hole in holes if holes.count(hole) > 1}
    return all(len({e.seen.content for e in refusal.group}) >= MIN_ALLOWED for _ in twice)


def culprits_of(best: Sequence[Literal]) -> list[Tree]:
    """The first element that breaks a condition on every element: what a message is likely to name."""
    return [
        ["at", ["filter", c.tree[1], ["not", c.tree[2]]], ["const", 0]]
        for c in best
        if c.tree[0] == "every"
    ]
