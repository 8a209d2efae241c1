"""Conditions: what held in every success of a tool, as trees that a guard may use.

Comes from the examples of one tool, successes first; goes to `guards`. Categories, comparisons, memberships, and all
of these for every element of an argument's list. Not here: which of them explains a refusal.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from environments.runtime.expr.gaps import MISSING, UNKNOWN
from environments.runtime.expr.language import prefix, shape
from environments.runtime.expr.scope import Scope, Tree
from environments.runtime.values.normal import stable
from synth.world.actions.disequalities import unequal
from synth.world.actions.examples import Example, evaluate, holding_values
from synth.world.search.fit import Fitter
from synth.world.search.numbers import element_scopes, is_number, mentions, numeric_terms
from synth.world.search.terms import Tables, Term, Terms
from synth.world.support import SEEN_TWICE, SELDOM

RARE: Final = SELDOM
"""Share of examples in which a path must be there to be part of a condition."""
MOST_CATEGORIES: Final = 8
"""Different values up to which a term is a category."""
MAX_NUMBERS: Final = 16
"""Numbers of the state that amounts are compared with."""
MAX_ELEMENTS: Final = 800
"""Elements of a list, over all examples, up to which conditions on them are searched."""
TRUE: Final[Tree] = ["eq", ["it"], ["const", True]]
"""What every pair of two lists has to give."""
MAX_LENGTHS: Final = 6
"""Lists whose lengths are compared with numbers of elements."""
MIN_MET: Final = SEEN_TWICE
"""Different successes that must have met a limit which nothing recorded broke."""


@dataclass(slots=True, kw_only=True)
class Condition:
    """Something that held in every success."""

    tree: Tree
    held: int
    """Different successes in which it was seen to hold."""
    rank: int
    values: list[Any]
    """Per example, successes first."""
    limit: bool = False
    """It holds what the call charges under a number of the state, and nothing recorded broke it."""


@dataclass(slots=True, kw_only=True)
class Cases:
    """A tool's examples, successes first."""

    good: list[Example]
    bad: dict[str, list[Example]]
    scopes: list[Scope]
    index: dict[str, range]


def conditions(cases: Cases, fitter: Fitter, tables: Tables) -> Iterator[Condition]:
    """Every condition that held in all successes, of the forms that guards have."""
    yield from holding(cases, _simple(cases, fitter.terms), 0)
    yield from holding(cases, unequal(fitter), 8)
    yield from holding(cases, _comparisons(cases, fitter, tables), 20)
    yield from holding(cases, _memberships(cases, fitter.terms), 10)
    yield from holding(cases, _elements(cases, fitter, tables), 30)
    yield from holding(cases, _pairs(cases, fitter, tables), 30)
    yield from _unbroken_limits(cases, fitter)


def holding(cases: Cases, trees: Iterator[tuple[Tree, int]], rank: int) -> Iterator[Condition]:
    """Those of the trees that no success breaks."""
    n = len(cases.good)
    for tree, cost in trees:
        values = holding_values(tree, cases.scopes, n)
        if values is None:
            continue
        held = {cases.good[i].seen.key for i in range(n) if values[i] is True}
        if not held:
            continue
        unbroken = all(v is True or v is UNKNOWN for v in values[n:])
        if unbroken and (tree[0] == "or" or (tree[0] == "le" and not bounds(tree))):
            continue  # a comparison that no refusal breaks says little
        yield Condition(tree=tree, held=len(held), rank=rank + cost, values=values)


def bounds(tree: Tree) -> bool:
    """Whether a comparison holds an argument under an amount of the state: such limits exist, seen broken or not."""
    left, right = tree[1], tree[2]
    return (
        left[0] == "arg"
        and not mentions(right, "const")
        and right[0] in {"row", "old", "sum", "at", "pick"}
    )


def _simple(cases: Cases, terms: Terms) -> Iterator[tuple[Tree, int]]:
    n = len(cases.good)
    for term in terms.scalars:
        good = [v for v in term.values[:n] if v is not MISSING and v is not UNKNOWN]
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


def _comparisons(cases: Cases, fitter: Fitter, tables: Tables) -> Iterator[tuple[Tree, int]]:
    numeric = [*fitter.extra, *numeric_terms(fitter.terms, tables, totals=True)[:45]]
    n = len(cases.good)
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


def _unbroken_limits(cases: Cases, fitter: Fitter) -> Iterator[Condition]:
    """What the call charges, held under a number of what it names (a balance), though no refusal says so.

    Such limits exist and are rarely hit: success beyond what was seen would be a guess.
    """
    n = len(cases.good)
    numbers = [t for t in fitter.terms.scalars if _of_state(t, n)][:MAX_NUMBERS]
    # What is refused for another reason may break a limit that is seldom met: successes tell.
    asked = [*((t, None) for t in numbers), *((t, n) for t in _rare_numbers(fitter.terms))]
    turned = [replace(t, tree=["neg", t.tree], rank=t.rank + 1) for t in fitter.extra]
    for right, last in asked:
        partial = any(v is MISSING for v in right.values)
        for left in fitter.extra if last is None else (*fitter.extra, *turned):
            tree: Tree = ["le", left.tree, right.tree]
            held = _count_met(cases, evaluate(tree, cases.scopes))
            if partial:
                tree = ["or", ["not", ["exists", right.tree]], tree]
            values = evaluate(tree, cases.scopes)
            broken = any(v is False or v is MISSING for v in values[:last])
            if held >= MIN_MET and not broken:
                rank = left.rank + right.rank
                yield Condition(tree=tree, held=held, rank=rank, values=values, limit=True)


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


def _count_met(cases: Cases, values: Sequence[Any]) -> int:
    """Different successes in which a comparison was true."""
    return len({e.seen.key for e, v in zip(cases.good, values, strict=False) if v is True})


def _of_state(term: Term, n: int) -> bool:
    """Whether a term is a number, wherever it is there, of something that the arguments or the record name."""
    return (
        term.tree[0] in {"row", "at", "pick"}
        and any(is_number(v) for v in term.values[:n])
        and all(is_number(v) or v is MISSING or v is UNKNOWN for v in term.values)
    )


def _equalities(fitter: Fitter) -> Iterator[tuple[Tree, int]]:
    scalars = [t for t in fitter.terms.scalars if texts(t)][:40]
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
        and all(is_number(v) or v is MISSING or v is UNKNOWN for v in t.values)
    ][:12]


def texts(term: Term) -> bool:
    """Whether a term is text wherever it has a value."""
    return all(isinstance(v, str) or v is MISSING or v is UNKNOWN for v in term.values)


def _memberships(cases: Cases, terms: Terms) -> Iterator[tuple[Tree, int]]:
    del cases
    for container in terms.containers:
        for term in terms.scalars:
            if term.tree[: len(container.tree)] == container.tree or not texts(term):
                continue
            yield ["member", term.tree, container.tree], term.rank + container.rank


def _elements(cases: Cases, fitter: Fitter, tables: Tables) -> Iterator[tuple[Tree, int]]:
    """Conditions on every element of an argument's list."""
    for container in fitter.terms.containers:
        if container.tree[0] != "arg" or not any(isinstance(v, list) for v in container.values):
            continue
        inner, counts = element_scopes(cases.scopes, container.values)
        if not inner or len(inner) > MAX_ELEMENTS:
            continue
        good = sum(counts[: len(cases.good)])
        sub = Fitter(inner, ["it", "arg", "old"], tables, depth=1, mostly=RARE)
        for tree, rank in _element_trees(sub, good):
            yield ["every", container.tree, tree], rank + container.rank


def _pairs(cases: Cases, fitter: Fitter, tables: Tables) -> Iterator[tuple[Tree, int]]:
    """That of two lists of the call, element by element, one names a part of what the other names."""
    lists = [
        c
        for c in fitter.terms.containers
        if c.tree[0] == "arg" and any(isinstance(v, list) for v in c.values)
    ]
    for left in lists:
        for right in lists:
            scopes = _paired_scopes(cases, left, right) if left is not right else []
            if not scopes or len(scopes) > MAX_ELEMENTS:
                continue
            sub = Fitter(scopes, ["it", "by"], tables, depth=1, mostly=RARE)
            for container in sub.terms.containers:
                if container.tree[0] == "row" and mentions(container.tree, "it"):
                    body: Tree = ["member", ["by"], container.tree]
                    paired: Tree = ["zip", list(left.tree), list(right.tree), body]
                    yield ["every", paired, TRUE], left.rank + right.rank + container.rank


def _paired_scopes(cases: Cases, left: Term, right: Term) -> list[Scope]:
    """A scope per pair of elements of all successes; none where two lists differ in length."""
    out: list[Scope] = []
    for at, scope in enumerate(cases.scopes[: len(cases.good)]):
        one, other = left.values[at], right.values[at]
        if not isinstance(one, list) or not isinstance(other, list) or len(one) != len(other):
            return []
        for item, beside in zip(one, other, strict=True):
            inner = Scope(scope.arg, scope.old, row=scope.row)
            inner.it, inner.by = item, beside
            out.append(inner)
    return out


def _element_trees(sub: Fitter, good: int) -> Iterator[tuple[Tree, int]]:
    about = [t for t in sub.terms.scalars if mentions(t.tree, "it")]
    for term in about:
        values = [v for v in term.values[:good] if v is not MISSING and v is not UNKNOWN]
        distinct = {stable(v): v for v in values}
        category = bool(values) and all(isinstance(v, str | bool) for v in values)
        if category and len(distinct) <= min(MOST_CATEGORIES, max(len(values), 2) // 2):
            yield ["among", term.tree, list(distinct.values())], term.rank
        if len(values) == good:
            yield ["exists", term.tree], term.rank + 5
    yield from _element_relations(sub, about)


def _element_relations(sub: Fitter, about: Sequence[Term]) -> Iterator[tuple[Tree, int]]:
    """Memberships and comparisons of one element."""
    for container in sub.terms.containers:
        for term in about:
            if texts(term) and term.tree[: len(container.tree)] != container.tree:
                yield ["member", term.tree, container.tree], term.rank + container.rank
    numeric = [t for t in sub.terms.scalars if any(is_number(v) for v in t.values)][:30]
    for left in [*numeric, *_lengths(sub)]:
        for right in numeric:
            if left is not right and (mentions(left.tree, "it") or mentions(right.tree, "it")):
                penalty = 0 if left.tree[0] == "len" else 10
                partial = any(v is MISSING for v in right.values)
                tree: Tree = ["le", left.tree, right.tree]
                if partial:
                    tree = ["or", ["not", ["exists", right.tree]], tree]
                yield tree, left.rank + right.rank + penalty


def _lengths(sub: Fitter) -> list[Term]:
    """How many elements the lists of the call and of its record have, to compare with a number of each element."""
    out: list[Term] = []
    for container in sub.terms.containers:
        if container.tree[0] in {"arg", "old"} and any(
            isinstance(v, list) for v in container.values
        ):
            tree: Tree = ["len", container.tree]
            out.append(Term(tree=tree, values=evaluate(tree, sub.scopes), rank=container.rank + 3))
    return out[:MAX_LENGTHS]
