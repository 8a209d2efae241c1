"""Literals on lists: what every element of an argument's list had in all successes.

Comes from the cases of one tool; goes to `literals`. Not here: literals on the call as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from environments.runtime.expr.gaps import MISSING
from environments.runtime.expr.scope import Tree
from environments.runtime.expr.trees import looks_at
from environments.runtime.values.normal import is_number, stable
from synth.world.actions.examples import evaluate, has_value
from synth.world.refusals.cases import RARE, Source
from synth.world.search.fit import Fitter
from synth.world.search.numbers import element_scopes
from synth.world.search.terms import MOST_CATEGORIES, Term, is_text

MAX_ELEMENTS: Final = 800
"""Elements of a list, over all cases, up to which literals on them are searched."""
MAX_LENGTHS: Final = 6
"""Lists whose lengths are compared with numbers of elements."""
TRUE: Final[Tree] = ["eq", ["it"], ["const", True]]
"""What every pair of two lists has to give."""


def of_elements(source: Source) -> Iterator[tuple[Tree, int]]:
    """Literals on every element of an argument's list."""
    cases = source.cases
    for container in source.fitter.terms.containers:
        if container.tree[0] != "arg" or not any(isinstance(v, list) for v in container.values):
            continue
        inner, counts = element_scopes(cases.scopes, container.values)
        if not inner or len(inner) > MAX_ELEMENTS:
            continue
        good = sum(counts[: len(cases.good)])
        sub = Fitter(inner, ["it", "arg", "old"], source.fitter.tables, depth=1, mostly=RARE)
        for tree, rank in _element_trees(sub, good):
            yield ["every", container.tree, tree], rank + container.rank


def _element_trees(sub: Fitter, good: int) -> Iterator[tuple[Tree, int]]:
    about = [t for t in sub.terms.scalars if looks_at(t.tree, "it")]
    for term in about:
        values = list(filter(has_value, term.values[:good]))
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
            if is_text(term) and term.tree[: len(container.tree)] != container.tree:
                yield ["member", term.tree, container.tree], term.rank + container.rank
    numeric = [t for t in sub.terms.scalars if any(is_number(v) for v in t.values)][:30]
    for left in [*numeric, *_lengths(sub)]:
        for right in numeric:
            if left is not right and (looks_at(left.tree, "it") or looks_at(right.tree, "it")):
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
