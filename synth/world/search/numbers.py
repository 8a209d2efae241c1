"""Numbers: arithmetic over terms that reproduces recorded amounts exactly.

Comes from numeric terms (totals over lists included); goes to `fit`. Tries the simplest form first: a term, its
negative, a sum or difference of two, a multiple, a product, a product plus a multiple.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from environments.runtime.expr.gaps import UNKNOWN
from environments.runtime.expr.scope import Scope, Tree
from environments.runtime.expr.trees import about_partner, looks_at
from environments.runtime.values.normal import is_number
from synth.world.actions.examples import evaluate, has_value
from synth.world.search.terms import Tables, Term, Terms, agree, gather, sliced
from synth.world.support import SEEN_FOUR_TIMES, SEEN_TWICE

MAX_TERMS: Final = 70
DIGITS: Final = 6
MIN_EXAMPLES: Final = SEEN_FOUR_TIMES
"""Different examples that arithmetic must reproduce: fewer fit too many formulas."""

MIN_TOLD: Final = SEEN_TWICE
"""Different amounts that must show one price per piece."""
MAX_RIVALS: Final = 4


def numeric_terms(terms: Terms, tables: Tables, *, totals: bool) -> list[Term]:
    """Numeric terms, with totals and lengths of lists where asked."""
    found = [t for t in terms.scalars if _numeric(t.values)]
    if totals:
        for container in terms.containers:
            if sum(isinstance(v, list) for v in container.values) * 2 > len(container.values):
                found.extend(_totals(terms.scopes, container, tables))
    seen: dict[tuple[Any, ...], Term] = {}
    for term in sorted(found, key=lambda t: t.rank):
        seen.setdefault(tuple(map(repr, term.values)), term)
    varied = list(seen.values())
    return varied[:MAX_TERMS]


def _numeric(values: Sequence[Any]) -> bool:
    known = [v for v in values if v is not UNKNOWN]
    return len(known) * 2 > len(values) and all(is_number(v) for v in known)


def _totals(scopes: list[Scope], container: Term, tables: Tables) -> Iterator[Term]:
    inner, _ = element_scopes(scopes, container.values)
    length: Tree = ["len", container.tree]
    yield Term(tree=length, values=evaluate(length, scopes), rank=container.rank + 5)
    if not inner or len(inner) > 600:
        return
    for term in gather(inner, ["it", "arg", "old"], tables).scalars:
        if looks_at(term.tree, "it") and _numeric(term.values):
            tree: Tree = ["sum", container.tree, term.tree]
            values = evaluate(tree, scopes)
            if _numeric(values):
                yield Term(tree=tree, values=values, rank=container.rank + term.rank + 6)


def element_scope(scope: Scope, it: Any, by: Any) -> Scope:
    """The same call, looking at an element of a list and at its partner in another one."""
    inner = Scope(scope.arg, scope.old, row=scope.row)
    inner.it, inner.by, inner.sent = it, by, scope.sent
    return inner


def element_scopes(
    scopes: Sequence[Scope], lists: Sequence[Any], partners: Sequence[Any] | None = None
) -> tuple[list[Scope], list[int]]:
    """One scope per list element, and how many each scope gave."""
    out: list[Scope] = []
    counts: list[int] = []
    for at, (scope, given) in enumerate(zip(scopes, lists, strict=True)):
        items = list(given.values()) if isinstance(given, dict) else given
        if not isinstance(items, list):
            counts.append(0)
            continue
        counts.append(len(items))
        for index, item in enumerate(items):
            by = scope.by if partners is None else partners[at][index]
            out.append(element_scope(scope, item, by))
    return out, counts


def fit_number(scopes: list[Scope], target: Sequence[Any], terms: Sequence[Term]) -> Tree | None:
    """The simplest arithmetic that gives the target."""
    if len({repr(t) for t in target}) < 2:
        return None
    known = [t for t in terms if t.is_known()]
    for tree in _candidates(known, target):
        shaped = _settled_shape(tree, scopes, target)
        if shaped is not None:
            return shaped
    dark = [t for t in terms if any(v is UNKNOWN for v in t.values)]
    return _with_dark(scopes, target, known, dark)


def _with_dark(
    scopes: list[Scope], target: Sequence[Any], known: Sequence[Term], dark: Sequence[Term]
) -> Tree | None:
    """Once more over the examples in which every term has a value."""
    for term in sorted(dark, key=lambda t: sum(v is UNKNOWN for v in t.values))[:14]:
        rows = [i for i, v in enumerate(term.values) if has_value(v)]
        if len(rows) < max(MIN_EXAMPLES, len(target) // 2):
            continue
        some = [sliced(t, rows) for t in [term, *known, *(d for d in dark if d is not term)]]
        whole = [t for t in some if t.is_known()]
        inner = [target[i] for i in rows]
        for tree in _candidates(whole, inner):
            shaped = _settled_shape(tree, scopes, target)
            if shaped is not None:
                return shaped
    return None


def fit_allowance(scopes: list[Scope], target: Sequence[Any], terms: Sequence[Term]) -> Tree | None:
    """A price per piece that is often zero: `k * a`, or what a number rose by, never below zero.

    Which of them it is shows only where the number was not zero before: all that fit are kept side by side.
    """
    known = [t for t in terms if t.is_known()]
    found: list[Tree] = []
    for term in [*known, *_rises(known)]:
        factor = _per_piece(term.values, target)
        if factor is not None:
            found.append(["mul", ["const", _plain_number(factor)], term.tree])
    found = [t for t in found if agree(evaluate(t, scopes), target)][:MAX_RIVALS]
    if not found:
        return None
    return ["either", *found] if len(found) > 1 else found[0]


def _rises(terms: Sequence[Term]) -> Iterator[Term]:
    """`max(0, now - before)` for an argument and the field of the same name."""
    for now in terms:
        for before in terms:
            if now.tree[0] != "arg" or before.tree[0] != "old" or now.tree[1:] != before.tree[1:]:
                continue
            yield Term(
                tree=["max", ["const", 0], ["sub", now.tree, before.tree]],
                values=[max(0, a - b) for a, b in zip(now.values, before.values, strict=True)],
                rank=now.rank + before.rank,
            )


def _per_piece(pieces: Sequence[Any], target: Sequence[Any]) -> float | None:
    """The one factor between two columns that are zero together; two different amounts must show it."""
    factors: set[float] = set()
    for piece, amount in zip(pieces, target, strict=True):
        if piece == 0:
            if amount:
                return None
            continue
        factors.add(round(amount / piece, 2))
    told = {t for t in target if t}
    return factors.pop() if len(factors) == 1 and len(told) >= MIN_TOLD and 0 in target else None


def _settled_shape(tree: Tree, scopes: list[Scope], target: Sequence[Any]) -> Tree | None:
    """The rounding that reproduces the target; several that do are kept side by side."""
    fitting = [s for s in _shapes(tree) if agree(evaluate(s, scopes), target)]
    if len(fitting) > 1:
        return ["either", *fitting]
    return fitting[0] if fitting else None


def _shapes(tree: Tree) -> Iterator[Tree]:
    """The same amount with the roundings that programs make: none, to cents, differences added up one by one."""
    yield tree
    yield ["round", tree, 2]
    stepwise = _stepwise(tree)
    if stepwise is not None:
        yield stepwise
        yield ["round", stepwise, 2]


def _stepwise(tree: Tree) -> Tree | None:
    """A difference of two totals as the total of differences, which floats tell apart."""
    if tree[0] in {"abs", "neg"}:
        inner = _stepwise(tree[1])
        return [tree[0], inner] if inner is not None else None
    if tree[0] != "sub" or tree[1][0] != "sum" or tree[2][0] != "sum":
        return None
    (_, left, one), (_, right, other) = tree[1], tree[2]
    return ["sum", ["zip", left, right, ["sub", one, about_partner(other)]], ["it"]]


def _is_near(left: float, right: float) -> bool:
    return abs(left - right) < 0.0051


def _candidates(terms: Sequence[Term], target: Sequence[Any]) -> Iterator[Tree]:
    """Forms that come close in every example, simplest first."""
    if len(target) < MIN_EXAMPLES:
        return
    for term in terms:
        if all(_is_near(a, t) for a, t in zip(term.values, target, strict=True)):
            yield term.tree
        if all(_is_near(-a, t) for a, t in zip(term.values, target, strict=True)):
            yield ["neg", term.tree]
        if all(_is_near(abs(a), t) for a, t in zip(term.values, target, strict=True)):
            yield ["abs", term.tree]
    yield from _multiples(terms, target)
    yield from _pairs(terms, target)
    products = list(_products(terms))
    for term in products:
        if all(_is_near(a, t) for a, t in zip(term.values, target, strict=True)):
            yield term.tree
    yield from _scaled_pairs([*terms, *products], terms, target)


def _multiples(terms: Sequence[Term], target: Sequence[Any]) -> Iterator[Tree]:
    """`a * k` and `a + k` with one constant."""
    for term in terms:
        if len({repr(v) for v in term.values}) < 3:
            continue
        offsets = {round(t - a, DIGITS) for a, t in zip(term.values, target, strict=True)}
        if len(offsets) == 1:
            yield ["add", term.tree, ["const", _plain_number(offsets.pop())]]
        if all(term.values):
            factors = {round(t / a, 4) for a, t in zip(term.values, target, strict=True)}
            if len(factors) == 1:
                yield ["mul", term.tree, ["const", _plain_number(factors.pop())]]


def _plain_number(value: float) -> int | float:
    return int(value) if float(value).is_integer() else value


def _pairs(terms: Sequence[Term], target: Sequence[Any]) -> Iterator[Tree]:
    """`a + b`, `a - b` and `|a - b|`, each also times a small count."""
    yield from _plain_pairs(terms, target)
    for scale in terms:
        if scale.tree[0] != "len" or all(v == 1 for v in scale.values) or not all(scale.values):
            continue
        inner = [t / c for t, c in zip(target, scale.values, strict=True)]
        for tree in _plain_pairs(terms, inner):
            yield ["mul", tree, scale.tree]


def _plain_pairs(terms: Sequence[Term], target: Sequence[Any]) -> Iterator[Tree]:
    n = len(target)
    # The largest target tells most pairs apart at once.
    probe = max(range(n), key=lambda i: abs(target[i]))
    for at, left in enumerate(terms):
        a = left.values
        for right in terms[at + 1 :]:
            b = right.values
            if _is_near(a[probe] + b[probe], target[probe]) and all(
                _is_near(a[i] + b[i], target[i]) for i in range(n)
            ):
                yield ["add", left.tree, right.tree]
            if not _is_near(abs(a[probe] - b[probe]), abs(target[probe])):
                continue
            if all(_is_near(a[i] - b[i], target[i]) for i in range(n)):
                yield ["sub", left.tree, right.tree]
            elif all(_is_near(b[i] - a[i], target[i]) for i in range(n)):
                yield ["sub", right.tree, left.tree]
            elif all(_is_near(abs(a[i] - b[i]), target[i]) for i in range(n)):
                yield ["abs", ["sub", left.tree, right.tree]]


def _products(terms: Sequence[Term]) -> Iterator[Term]:
    for at, left in enumerate(terms[:40]):
        for right in terms[at + 1 : 40]:
            if any(v not in {0, 1} for v in left.values) and any(
                v not in {0, 1} for v in right.values
            ):
                yield Term(
                    tree=["mul", left.tree, right.tree],
                    values=[a * b for a, b in zip(left.values, right.values, strict=True)],
                    rank=left.rank + right.rank,
                )


def _scaled_pairs(
    left: Sequence[Term], right: Sequence[Term], target: Sequence[Any]
) -> Iterator[Tree]:
    """`a + k * b`: the constant is solved from two examples and must hold in all."""
    for one in left:
        rest = [t - a for a, t in zip(one.values, target, strict=True)]
        for two in right:
            factor = _factor(rest, two.values)
            if factor is not None and two is not one:
                scaled = ["mul", ["const", _plain_number(factor)], two.tree]
                yield ["add", one.tree, scaled if factor != 1 else two.tree]


def _factor(rest: Sequence[float], values: Sequence[float]) -> float | None:
    factor: float | None = None
    uses = 0
    for r, v in zip(rest, values, strict=True):
        if v == 0:
            if abs(r) > 0.006:
                return None
            continue
        ratio = r / v
        if factor is None:
            factor = round(ratio, 2)
        if abs(r - factor * v) > 0.006:
            return None
        uses += 1
    return factor if factor and uses >= 2 and len(values) >= MIN_EXAMPLES + 2 else None
