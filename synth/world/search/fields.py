"""Fields: what each field of a record is after a write, as trees over the record before and the arguments.

Comes from examples with the record after each; gives a tree per field that changes, a condition for one that is only
sometimes there, and the fields not understood. Not here: which record a write changes, and what it answers (`effects`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from environments.runtime.expr.gaps import MISSING
from environments.runtime.expr.scope import Tree
from environments.runtime.expr.trees import looks_at, operands_of, with_operands
from environments.runtime.values.normal import is_number, stable
from synth.world.actions.examples import Example
from synth.world.search.fit import Fitter
from synth.world.search.numbers import MIN_EXAMPLES
from synth.world.search.terms import Tables, Term


def fit_fields(
    examples: Sequence[Example], after: Sequence[Any], tables: Tables
) -> tuple[dict[str, Tree], list[str]]:
    """Trees for every field that changes, and fields not understood: those only sometimes there among them."""
    scopes = [e.scope() for e in examples]
    fitter = Fitter(scopes, ["arg", "old"], tables)
    sets: dict[str, Tree] = {}
    names = dict.fromkeys(n for row in after for n in row)
    missing = _fit_each(fitter, names, examples, after, sets)
    told = list(told_totals(sets, after))
    if missing and told:
        fitter.tell(told)
        missing = _fit_each(fitter, missing, examples, after, sets)
    known = {n for row in after for n in row}
    missing += sorted({n for e in examples if isinstance(e.old, dict) for n in e.old} - known)
    return sets, missing


def told_totals(sets: dict[str, Tree], after: Sequence[Any]) -> Iterator[Term]:
    """Totals over lists of the record after the call: known in every example, whatever of the tables is."""
    for name, tree in sets.items():
        lists = [row[name] for row in after]
        if not all(isinstance(v, list) and all(isinstance(i, dict) for i in v) for v in lists):
            continue
        records = [item for v in lists for item in v]
        for field in records[0] if records else ():
            if not all(is_number(r.get(field)) for r in records):
                continue
            totals: list[Any] = []
            for items in lists:
                total: Any = 0
                for item in items:
                    total += item[field]
                totals.append(total)
            yield Term(tree=_total_of(tree, field), values=totals, rank=12)


def _total_of(tree: Tree, field: str) -> Tree:
    """The total of a field over a list that a tree makes, without making its other fields."""
    if tree[0] == "map" and tree[2][0] == "object":
        return ["sum", tree[1], next(f[1] for f in tree[2][1:] if f[0] == field)]
    return ["sum", tree, ["it", field]]


def _fit_each(
    fitter: Fitter,
    names: Iterable[str],
    examples: Sequence[Example],
    after: Sequence[Any],
    sets: dict[str, Tree],
) -> list[str]:
    """Fit the fields that change; those not understood come back."""
    missing: list[str] = []
    for name in names:
        before = [
            e.old.get(name, MISSING) if isinstance(e.old, dict) else MISSING for e in examples
        ]
        now = [row.get(name, MISSING) for row in after]
        if all(same_value(b, a) for b, a in zip(before, now, strict=True)):
            continue
        tree = None if MISSING in now else fitter.fit(now, name=name)
        if tree is None or _in_parts(tree):
            tree = _constant_increase(name, list(zip(before, now, strict=True))) or tree
        if tree is None:
            missing.append(name)
        else:
            sets[name] = _beside_before(tree, [name], before)
    return missing


def _constant_increase(name: str, pairs: Sequence[tuple[Any, Any]]) -> Tree | None:
    """So much more than before, from several whole numbers: simpler than a part of another number that comes out even."""
    if not all(type(b) is int and type(a) is int for b, a in pairs):
        return None
    if len({b for b, _ in pairs}) < 2 or len(pairs) < MIN_EXAMPLES:
        return None
    steps = {a - b for b, a in pairs}
    return ["add", ["old", name], ["const", steps.pop()]] if len(steps) == 1 else None


def _in_parts(tree: Any) -> bool:
    """Whether a tree takes a broken number of something."""
    broken = tree[0] == "const" and isinstance(tree[1], float) and not tree[1].is_integer()
    return broken or any(map(_in_parts, operands_of(tree)))


def _beside_before(tree: Tree, path: Sequence[str], before: Sequence[Any]) -> Tree:
    """A tree for a field that was the same before in every example: whether it hangs on that no example says.

    What is added to that number is added to the field; what came instead of nothing may come beside something.
    """
    first = before[0]
    if tree[0] == "object" and all(isinstance(value, dict) for value in before):
        return ["object", *(_part_beside(part, path, before) for part in tree[1:])]
    if not all(same_value(first, value) for value in before) or looks_at(tree, "old"):
        return tree
    own: Tree = ["old", *path]
    if is_number(first) and first:
        if tree[0] == "const" and is_number(tree[1]):
            # From one number to another one, always: set to it, or so much more.
            return ["either", tree, ["add", own, ["const", tree[1] - first]]]
        return _in_place(tree, ["const", first], own)
    if is_number(first):
        return ["either", tree, ["add", own, tree]]
    return ["either", tree, ["concat", own, tree]] if first == [] else tree


def _part_beside(part: Tree, path: Sequence[str], before: Sequence[Any]) -> Tree:
    """The same of a field inside the field; a third part says when it is there."""
    name, tree, *when = part
    own = [value.get(name, MISSING) for value in before]
    return [name, _beside_before(tree, [*path, name], own), *when]


def _in_place(tree: Tree, fixed: Tree, own: Tree) -> Tree:
    if tree[0] == "add":
        return [tree[0], *(own if part == fixed else part for part in tree[1:])]
    if tree[0] in {"either", "round"}:
        return with_operands(tree, lambda part: _in_place(part, fixed, own))
    return tree


def same_value(before: Any, after: Any) -> bool:
    """Whether a field stayed as it was, there or not."""
    if before is MISSING or after is MISSING:
        return before is after
    return stable(before) == stable(after)
