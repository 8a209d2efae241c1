"""Two values that no success had in common: what is moved to where it is, given to whose it is, paid from an account to itself.

Comes from the examples of one tool; goes to `conditions`, beside what held in every success. Not here: what explains a
refusal (`explain`).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Final

from environments.runtime.expr.gaps import MISSING, UNKNOWN
from environments.runtime.expr.scope import Scope, Tree
from environments.runtime.values.normal import is_name
from synth.world.actions.examples import evaluate
from synth.world.search.fit import Fitter
from synth.world.search.terms import Term

MAX_TERMS: Final = 24
"""Texts of the call and of its record that are held beside each other."""


def unequal(fitter: Fitter) -> Iterator[tuple[Tree, int]]:
    """Pairs of an argument and a field of the record, or of two arguments, that take the same values at other times."""
    asked = [term for term in fitter.terms.scalars if term.tree[0] in {"arg", "old"}]
    texts = [term for term in asked if term.tree[1:] and _texts(term)][:MAX_TERMS]
    for left, right in combinations(texts, 2):
        if "arg" in (left.tree[0], right.tree[0]) and not _texts(left).isdisjoint(_texts(right)):
            yield ["not", ["eq", left.tree, right.tree]], left.rank + right.rank


def between_names(tree: Tree, scopes: list[Scope]) -> bool:
    """Whether a condition is that two names of records differ, not two words of few."""
    values = [v for part in tree[1][1:] for v in evaluate(part, scopes)]
    return all(is_name(v) for v in values if v is not MISSING and v is not UNKNOWN)


def _texts(term: Term) -> set[str]:
    return {value for value in term.values if isinstance(value, str)}
