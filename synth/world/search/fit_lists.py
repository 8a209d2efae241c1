"""Lists: the tree that makes one list of another, over all examples at once.

Comes in: a fitter and the lists recorded. Comes out: joined, edited, mapped, filtered or fixed lists, if every example is
reproduced. Not here: other values (`fit`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from environments.runtime.expr.gaps import UNKNOWN
from environments.runtime.expr.scope import Scope, Tree
from environments.runtime.values.normal import is_number, stable
from synth.world.actions.examples import evaluate
from synth.world.search.fit_parts import MAX_CASES, amounts_in, fields_of, places_of
from synth.world.search.numbers import element_scope, fit_allowance
from synth.world.search.terms import agree

if TYPE_CHECKING:
    from synth.world.search.fit import Fitter


def fit_list(fitter: Fitter, target: Sequence[list[Any]]) -> Tree | None:
    """The simplest list tree for the target; None where the language has none."""
    lists = [
        t
        for t in fitter.terms.containers
        if all(isinstance(v, list) or v is UNKNOWN for v in t.values) and t.is_known()
    ]
    for term in lists:
        tree: Tree = ["sort", list(term.tree)]
        if agree(evaluate(tree, fitter.scopes), target):
            return tree
    for fit in (_added_once, _appended, _edited, _mapped, _dropped, _single):
        found = fit(fitter, target, lists)
        if found is not None and agree(evaluate(found, fitter.scopes), target):
            return found
    return None


def _appended(fitter: Fitter, target: Sequence[list[Any]], lists: Sequence[Any]) -> Tree | None:
    for term in lists:
        pairs = list(zip(term.values, target, strict=True))
        if not any(before for before, _ in pairs):
            continue
        if any(after[: len(before)] != before for before, after in pairs):
            continue
        rest = [after[len(before) :] for before, after in pairs]
        if not any(rest):
            continue
        tail = (
            _single(fitter, rest, lists) or _mapped(fitter, rest, lists) or _optional(fitter, rest)
        )
        if tail is not None:
            joined: Tree = ["concat", list(term.tree), _seen_signs(fitter, tail)]
            if (
                len(tail) != 2
                or tail[0] != "list"
                or any(isinstance(r[0], dict | list) for r in rest)
            ):
                return joined
            # Whether a plain value comes twice is known only where it did.
            twice: Tree = ["member", tail[1], list(term.tree)]
            seen = True in evaluate(twice, fitter.scopes)
            return joined if seen else ["case", twice, [[False, joined]]]
    return None


def _added_once(fitter: Fitter, target: Sequence[list[Any]], lists: Sequence[Any]) -> Tree | None:
    """The old list with one value more, unless it was in it already: both were seen."""
    for term in lists:
        pairs = list(zip(term.values, target, strict=True))
        more = [i for i, (before, after) in enumerate(pairs) if len(after) > len(before)]
        grown = all(pairs[i][1][:-1] == pairs[i][0] for i in more)
        if not more or len(more) == len(pairs) or not grown:
            continue
        if any(pairs[i][0] != pairs[i][1] for i in range(len(pairs)) if i not in set(more)):
            continue
        value = fitter.rows(more).fit([pairs[i][1][-1] for i in more])
        if value is None or value[0] == "const":
            continue
        tree: Tree = [
            "if",
            ["member", value, list(term.tree)],
            list(term.tree),
            ["concat", list(term.tree), ["list", value]],
        ]
        if agree(evaluate(tree, fitter.scopes), target):
            return tree
    return None


def _seen_signs(fitter: Fitter, tail: Tree) -> Tree:
    """An entry for a difference was seen for the signs it had: whether one is made for none at all, nobody knows."""
    if tail[0] != "list":
        return tail
    for amount in amounts_in(tail):
        if amount[0] not in {"sub", "mul", "sum"}:
            continue
        signs = {s for s in evaluate(["sign", amount], fitter.scopes) if is_number(s)}
        if len(signs) > 1 and 0 not in signs:
            return ["case", ["sign", amount], [[sign, tail] for sign in sorted(signs)]]
    return tail


def _single(fitter: Fitter, target: Sequence[list[Any]], _: Sequence[Any]) -> Tree | None:
    """A list of a fixed, small number of elements."""
    sizes = {len(t) for t in target}
    if len(sizes) != 1 or not 1 <= len(target[0]) <= 3:
        return None
    parts = [fitter.sub().fit([t[i] for t in target]) for i in range(len(target[0]))]
    return None if any(p is None for p in parts) else ["list", *parts]


def _optional(fitter: Fitter, target: Sequence[list[Any]]) -> Tree | None:
    """One element or none: there where an amount in it is not zero, or by category."""
    rows = [i for i, t in enumerate(target) if t]
    if any(len(t) > 1 for t in target):
        return None
    charged = _charged(fitter, target, rows)
    if charged is not None or len(rows) < 3:
        return charged
    body = fitter.rows(rows).fit([target[i][0] for i in rows])
    if body is None or len(rows) == len(target):
        return None if body is None else _seen_signs(fitter, ["list", body])
    there = [bool(t) for t in target]
    for amount in amounts_in(body):
        test: Tree = ["not", ["eq", ["sign", amount], ["const", 0]]]
        if agree(evaluate(test, fitter.scopes), there):
            return ["if", test, ["list", body], ["list"]]
    for subject, values in fitter.categories():
        yes = {stable(v) for v, t in zip(values, there, strict=True) if t}
        no = {stable(v) for v, t in zip(values, there, strict=True) if not t}
        if yes and no and not yes & no and len(yes | no) <= MAX_CASES:
            kinds = {stable(v): v for v in values if stable(v) in yes}
            return ["if", ["among", subject, list(kinds.values())], ["list", body], ["list"]]
    return None


def _charged(fitter: Fitter, target: Sequence[list[Any]], rows: Sequence[int]) -> Tree | None:
    """An element that is there where its amount is not zero: the amount is fitted over all examples, as zero where none is."""
    records = [target[i][0] for i in rows]
    if not records or not all(isinstance(r, dict) and list(r) == list(records[0]) for r in records):
        return None
    amounts = [n for n in records[0] if all(is_number(r[n]) for r in records)]
    if len(amounts) != 1 or len(rows) == len(target):
        return None
    whole = [t[0][amounts[0]] if t else 0 for t in target]
    amount = fit_allowance(fitter.scopes, whole, fitter.numeric)
    if amount is None:
        return None
    inner = fitter.rows(rows)
    fields: list[Any] = []
    for name in records[0]:
        tree = amount if name == amounts[0] else inner.fit([r[name] for r in records], name=name)
        if tree is None:
            return None
        fields.append([name, tree])
    test: Tree = ["not", ["eq", amount, ["const", 0]]]
    return ["if", test, ["list", ["object", *fields]], ["list"]]


def _mapped(fitter: Fitter, target: Sequence[list[Any]], lists: Sequence[Any]) -> Tree | None:
    flat = [item for t in target for item in t]
    if not flat:
        return None
    same = [
        t for t in lists if all(len(v) == len(w) for v, w in zip(t.values, target, strict=True))
    ]
    for term in same:
        body = fitter.element_fitter(term).fit(flat)
        if body is not None:
            return ["map", list(term.tree), body]
    for left in same:
        for right in same:
            if right is left:
                continue
            body = fitter.element_fitter(left, right).fit(flat)
            if body is not None:
                return ["zip", list(left.tree), list(right.tree), body]
    return None


def _edited(fitter: Fitter, target: Sequence[list[Any]], lists: Sequence[Any]) -> Tree | None:
    """The old list with the elements that a list of keys names replaced."""
    for term in lists:
        if any(len(v) != len(w) for v, w in zip(term.values, target, strict=True)):
            continue
        for keys in lists:
            if keys is term:
                continue
            for field in fields_of(term.values):
                tree = _edit_by(fitter, target, term, (keys, field), lists)
                if tree is not None:
                    return tree
    return None


def _edit_by(
    fitter: Fitter,
    target: Sequence[list[Any]],
    term: Any,
    by: tuple[Any, str],
    lists: Sequence[Any],
) -> Tree | None:
    keys, field = by
    places = places_of(term.values, target, keys.values, field)
    if places is None:
        return None
    partners = [
        t
        for t in lists
        if all(len(a) == len(b) for a, b in zip(t.values, keys.values, strict=True))
    ]
    for partner in partners:
        scopes: list[Scope] = []
        wanted: list[Any] = []
        for at, indexes in enumerate(places):
            for order, index in enumerate(indexes):
                element, by = term.values[at][index], partner.values[at][order]
                scopes.append(element_scope(fitter.scopes[at], element, by))
                wanted.append(target[at][index])
        body = fitter.inner(scopes, paired=True).fit(wanted)
        if body is not None:
            return ["edit", list(term.tree), field, list(keys.tree), list(partner.tree), body]
    return None


def _dropped(fitter: Fitter, target: Sequence[list[Any]], lists: Sequence[Any]) -> Tree | None:
    """The old list without the elements that an argument names."""
    for term in lists:
        if any(len(w) > len(v) for v, w in zip(term.values, target, strict=True)):
            continue
        if not any(len(w) < len(v) for v, w in zip(term.values, target, strict=True)):
            continue
        for key in [*fitter.terms.scalars[:60], *lists]:
            for field in ["", *fields_of(term.values)]:
                item: Tree = ["it", field] if field else ["it"]
                is_list = any(isinstance(v, list) for v in key.values)
                test: Tree = (
                    ["member", item, list(key.tree)] if is_list else ["eq", item, list(key.tree)]
                )
                tree: Tree = ["filter", list(term.tree), ["not", test]]
                if agree(evaluate(tree, fitter.scopes), target):
                    return tree
    return None
