"""Literals: what held in every success of a tool, as trees: the pool from which its version spaces are made.

Comes from the cases of one tool; goes to `explain`, which takes those that a class of refusals breaks, and to `success`, which withholds
success where others are broken. A new reason for refusals is one generator, of trees with their ranks, and its line in `GENERATORS`. Limits
that no refusal broke are taken besides, by their own test (`_unbroken_limits`). Not here: literals on the elements of lists (`element_literals`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Final

from environments.runtime.expr.gaps import MISSING
from environments.runtime.expr.language import prefix, shape
from environments.runtime.expr.scope import Tree
from environments.runtime.expr.trees import looks_at, operands_of
from environments.runtime.values.normal import is_number, stable
from environments.runtime.views.implicit_subject import SUBJECT
from synth.world.actions.examples import (
    evaluate,
    has_value,
    held_if_known,
    holding_values,
    is_broken,
)
from synth.world.refusals.cases import Literal, Source
from synth.world.refusals.element_literals import of_elements
from synth.world.search.fit import Fitter
from synth.world.search.numbers import numeric_terms
from synth.world.search.terms import MOST_CATEGORIES, Term, Terms, is_text
from synth.world.support import SEEN_TWICE

MAX_NUMBERS: Final = 16
"""Numbers of the state that amounts are compared with."""
MAX_TERMS: Final = 24
"""Texts of the call and of its record that are held beside each other."""
MAX_COMPARED: Final = 45
"""Numbers of which each is held under each other one."""
MAX_EQUAL: Final = 40
"""Texts of which each is asked whether it equals another."""
MAX_PARTIAL: Final = 12
"""Numbers that only some examples have, under which amounts are held."""
MIN_MET: Final = SEEN_TWICE
"""Different successes that must have met a limit which nothing recorded broke."""


def literals(source: Source) -> list[Literal]:
    """Every literal that held in all successes, the simplest first."""
    found = [
        literal
        for generate, rank in GENERATORS
        for tree, cost in generate(source)
        if not _is_of_subject(tree) and (literal := _holding(source, tree, rank + cost)) is not None
    ]
    return sorted([*found, *_unbroken_limits(source)], key=lambda literal: literal.rank)


def _is_of_subject(tree: Tree) -> bool:
    """Whether a literal is about who is signed in, not about a record of theirs: who it was explains anything."""
    if tree[0] == "row":
        return False
    return tree == ["arg", SUBJECT] or any(map(_is_of_subject, operands_of(tree)))


def _holding(source: Source, tree: Tree, rank: int) -> Literal | None:
    """The literal of a tree that no success breaks, and some success met."""
    cases = source.cases
    n = len(cases.good)
    values = holding_values(tree, cases.scopes, n)
    held = 0 if values is None else cases.count_met(values)
    if values is None or not held:
        return None
    unbroken = held_if_known(values[n:])
    if unbroken and (tree[0] == "or" or (tree[0] == "le" and not bounds(tree))):
        return None  # a comparison that no refusal breaks says little
    return Literal(tree=tree, held=held, rank=rank, values=values)


def bounds(tree: Tree) -> bool:
    """Whether a comparison holds an argument under an amount of the state: such limits exist, seen broken or not."""
    left, right = tree[1], tree[2]
    return (
        left[0] == "arg"
        and not looks_at(right, "const")
        and right[0] in {"row", "old", "sum", "at", "pick"}
    )


def _categories(source: Source) -> Iterator[tuple[Tree, int]]:
    """That a term is one of the few values it had, that its text looks as it did, or that it is there."""
    n = len(source.cases.good)
    for term in source.fitter.terms.scalars:
        good = list(filter(has_value, term.values[:n]))
        if not good:
            continue
        if all(isinstance(v, str | bool) or v is None for v in good):
            values = {stable(v): v for v in good}
            if len(values) <= MOST_CATEGORIES and len(values) * 2 <= max(len(good), 2):
                yield ["among", term.tree, list(values.values())], term.rank
        if all(isinstance(v, str) for v in good):
            yield from _textual(term, good)
        if len(good) == n:
            yield ["exists", term.tree], term.rank + 5


def _textual(term: Term, good: Sequence[str]) -> Iterator[tuple[Tree, int]]:
    shapes = {shape(v) for v in good}
    if any(" " in v for v in good):
        return  # a sentence, not an id
    if len(shapes) <= 3 and any(c.isdigit() for c in good[0]):
        yield ["among", ["shape", term.tree], sorted(shapes)], term.rank + 3
        prefixes = {prefix(v) for v in good}
        if len(prefixes) <= 6:
            yield ["among", ["prefix", term.tree], sorted(prefixes)], term.rank + 2


def _unequal(source: Source) -> Iterator[tuple[Tree, int]]:
    """Two texts that no success had in common, though they take the same values at other times: who gives, and who is given."""
    asked = [term for term in source.fitter.terms.scalars if term.tree[0] in {"arg", "old"}]
    texts = [(term, _texts(term)) for term in asked if term.tree[1:] and _texts(term)][:MAX_TERMS]
    for (left, mine), (right, other) in combinations(texts, 2):
        if "arg" in (left.tree[0], right.tree[0]) and not mine.isdisjoint(other):
            yield ["not", ["eq", left.tree, right.tree]], left.rank + right.rank


def _texts(term: Term) -> set[str]:
    return {value for value in term.values if isinstance(value, str)}


def _comparisons(source: Source) -> Iterator[tuple[Tree, int]]:
    """One number under another one, two equal texts, lists of one length."""
    fitter, n = source.fitter, len(source.cases.good)
    numeric = [
        *fitter.extra,
        *numeric_terms(fitter.terms, fitter.tables, totals=True)[:MAX_COMPARED],
    ]
    for left in numeric:
        for right in numeric:
            if left is not right:
                tree: Tree = ["le", left.tree, right.tree]
                yield tree, left.rank + right.rank + (0 if left in fitter.extra else 20)
        low = min((v for v in left.values[:n] if is_number(v)), default=None)
        if low is not None:
            yield ["le", ["const", min(0, low)], left.tree], left.rank + 8
    yield from _balances(fitter, numeric)
    yield from _equalities(fitter)


def _balances(fitter: Fitter, numeric: Sequence[Term]) -> Iterator[tuple[Tree, int]]:
    """Amounts held under a number that only some examples have."""
    for right in _partial_numbers(fitter.terms):
        for left in [*fitter.extra, *(t for t in numeric if t.tree[0] == "arg")]:
            test: Tree = ["or", ["not", ["exists", right.tree]], ["le", left.tree, right.tree]]
            yield test, left.rank + right.rank - 10


def _unbroken_limits(source: Source) -> Iterator[Literal]:
    """What the call charges, held under a number of what it names (a balance), though no refusal says so.

    Such limits exist and are rarely hit: success beyond what was seen would be a guess.
    """
    cases, fitter = source.cases, source.fitter
    n = len(cases.good)
    numbers = [t for t in fitter.terms.scalars if _of_state(t, n)][:MAX_NUMBERS]
    # What is refused for another reason may break a limit that is seldom met: successes tell.
    asked = [*((t, None) for t in numbers), *((t, n) for t in _rare_numbers(fitter.terms))]
    turned = [replace(t, tree=["neg", t.tree], rank=t.rank + 1) for t in fitter.extra]
    for right, last in asked:
        partial = any(v is MISSING for v in right.values)
        for left in fitter.extra if last is None else (*fitter.extra, *turned):
            tree: Tree = ["le", left.tree, right.tree]
            held = cases.count_met(evaluate(tree, cases.scopes))
            if partial:
                tree = ["or", ["not", ["exists", right.tree]], tree]
            values = evaluate(tree, cases.scopes)
            if held >= MIN_MET and not any(map(is_broken, values[:last])):
                rank = left.rank + right.rank
                yield Literal(tree=tree, held=held, rank=rank, values=values, limit=True)


def _rare_numbers(terms: Terms) -> Iterator[Term]:
    """Numbers that few of the rows have which arguments name: a balance, where most means of payment have none."""
    common = {stable(term.tree) for term in terms.scalars}
    for row in terms.containers:
        if row.tree[0] != "row" or any(key[0] != "arg" for key in row.tree[2]):
            continue
        records = [value for value in row.values if isinstance(value, dict)]
        for name in sorted({name for record in records for name in record}):
            tree = [*row.tree, name]
            there = [record[name] for record in records if name in record]
            if all(map(is_number, there)) and stable(tree) not in common:
                yield Term(tree=tree, values=evaluate(tree, terms.scopes), rank=row.rank + 2)


def _of_state(term: Term, n: int) -> bool:
    """Whether a term is a number, wherever it is there, of something that the arguments or the record name."""
    return (
        term.tree[0] in {"row", "at", "pick"}
        and any(is_number(v) for v in term.values[:n])
        and all(is_number(v) or not has_value(v) for v in term.values)
    )


def _equalities(fitter: Fitter) -> Iterator[tuple[Tree, int]]:
    scalars = [t for t in fitter.terms.scalars if is_text(t)][:MAX_EQUAL]
    for at, left in enumerate(scalars):
        for right in scalars[at + 1 :]:
            if left.tree[0] != right.tree[0] or left.tree[0] == "row":
                yield ["eq", left.tree, right.tree], left.rank + right.rank
    lists = [t for t in fitter.terms.containers if any(isinstance(v, list) for v in t.values)]
    for at, left in enumerate(lists):
        yield ["distinct", left.tree], left.rank + 6
        for right in lists[at + 1 :]:
            yield ["eq", ["len", left.tree], ["len", right.tree]], left.rank + right.rank


def _partial_numbers(terms: Terms) -> list[Term]:
    """Numbers that are there for some examples only: the balance of a gift card, not of a credit card."""
    return [
        t
        for t in terms.scalars
        if any(v is MISSING for v in t.values)
        and all(is_number(v) or not has_value(v) for v in t.values)
    ][:MAX_PARTIAL]


def _memberships(source: Source) -> Iterator[tuple[Tree, int]]:
    """A text that stands in a list or a record."""
    terms = source.fitter.terms
    for container in terms.containers:
        for term in terms.scalars:
            if term.tree[: len(container.tree)] != container.tree and is_text(term):
                yield ["member", term.tree, container.tree], term.rank + container.rank


GENERATORS: Final[tuple[tuple[Callable[[Source], Iterator[tuple[Tree, int]]], int], ...]] = (
    (_categories, 0),
    (_unequal, 8),
    (_comparisons, 20),
    (_memberships, 10),
    (of_elements, 30),
)
"""What may be a reason, each with the rank of its simplest form."""
