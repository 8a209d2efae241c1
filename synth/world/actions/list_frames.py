"""Elements that a record had before a call names them again: whether they keep what they said or are looked up anew.

Comes from a tool's effects and its examples; goes to `guards` as conditions that only withhold success. Not here: how an
effect is found (`fit_lists`), what refuses a call (`conditions`, `explain`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from environments.runtime.document.tools import WritePart
from environments.runtime.expr.gaps import UNKNOWN
from environments.runtime.expr.scope import Tree
from environments.runtime.task.attempt import Json
from synth.world.actions.examples import evaluate
from synth.world.refusals.conditions import TRUE, Cases
from synth.world.refusals.draft import GuardDraft, withheld_guard
from synth.world.search.numbers import mentions


def staying_guards(cases: Cases, writes: Sequence[WritePart]) -> Iterator[GuardDraft]:
    """Guards: an element that stays is told by look-up only in such calls as showed it looked up.

    Where a look-up and what the element said before never differed, or differed only in calls that gave another value
    for a field of the record, a call in which they differ otherwise is one that nobody saw.
    """
    for write in writes:
        for name, tree in write.set.items():
            for again in _looked_up(str(name), tree):
                yield from _withheld_guards(cases, again)


def none_stays(cases: Cases, writes: Sequence[WritePart]) -> Iterator[Tree]:
    """Per list: that none of its elements stays while nothing else of the record changes that the call speaks of.

    An element that stays may not be asked what new ones are asked: a refusal about it was seen of new ones only.
    """
    for write in writes:
        for name, tree in write.set.items():
            found = _staying(str(name), tree)
            if found is None or not any(_looked_up(str(name), tree)):
                continue
            none: Tree = ["not", ["exists", ["at", found, ["const", 0]]]]
            yield from _forms(cases, ["every", ["zip", tree[1], tree[1], none], TRUE])


def never_there(cases: Cases, refused: str, element: Tree, fields: Sequence[str]) -> Iterator[Tree]:
    """That what a refusal names is no element of the record already, where no refused one was: such a one may be asked nothing."""
    name = str(element[1][1][1])
    same: list[Tree] = [["eq", ["it", field], [*element, field]] for field in fields]
    there: Tree = ["filter", ["old", name], ["and", *same]]
    scopes = [cases.scopes[i] for i in cases.index[refused]]
    for tree in _forms(cases, ["not", ["exists", ["at", there, ["const", 0]]]]):
        values = evaluate(tree, scopes)
        if True in values and all(v is True or v is UNKNOWN for v in values):
            yield tree


def _looked_up(name: str, tree: Tree) -> Iterator[Tree]:
    """That every element which stays says what is looked up for it."""
    found = _staying(name, tree)
    for field, body in _fields(tree) if found is not None else ():
        if mentions(body, "row") and mentions(body, "it"):
            kept: Tree = ["every", found, ["eq", ["it", field], _about_partner(body)]]
            yield ["every", ["zip", tree[1], tree[1], kept], TRUE]


def _staying(name: str, tree: Tree) -> Tree | None:
    """The record's elements that an element of the call's list names again, that element standing beside them."""
    same: list[Tree] = [
        ["eq", ["it", field], ["by", field]]
        for field, body in _fields(tree)
        if body == ["it", field]
    ]
    return ["filter", ["old", name], ["and", *same]] if same else None


def _fields(tree: Tree) -> list[tuple[str, Tree]]:
    """What each element of a list in the call becomes."""
    if tree[0] != "map" or tree[1][0] != "arg" or tree[2][0] != "object":
        return []
    return [(field[0], field[1]) for field in tree[2][1:] if len(field) == 2]


def _about_partner(tree: Tree) -> Tree:
    """A tree about the element turned into one about its partner."""
    if isinstance(tree, list) and tree:
        return ["by", *tree[1:]] if tree[0] == "it" else [_about_partner(part) for part in tree]
    return tree


def _withheld_guards(cases: Cases, again: Tree) -> Iterator[GuardDraft]:
    trees = [again] if _unbroken(cases, again) else list(_forms(cases, again))
    for tree in trees:
        values = evaluate(tree, cases.scopes)
        held = {e.seen.key for e, v in zip(cases.good, values, strict=False) if v is True}
        if _unbroken(cases, tree):
            yield withheld_guard(tree, len(held), thin=True)


def _forms(cases: Cases, tree: Tree) -> Iterator[Tree]:
    """That a condition holds wherever an argument repeats the record's field of that name; itself where none could."""
    first = next((s for s in cases.scopes if isinstance(s.old, dict)), None)
    record = first.old if first is not None and isinstance(first.old, dict) else {}
    given = first.arg if first is not None and isinstance(first.arg, dict) else {}
    keys = {name for name in given if all(_repeats(s.arg, s.old, name) for s in cases.scopes)}
    shared = sorted(n for n in given if n not in keys and isinstance(record.get(n), str))
    for name in shared:
        yield ["or", ["not", ["eq", ["arg", name], ["old", name]]], tree]
    if not shared:
        yield tree


def _repeats(given: Json, record: Json, name: str) -> bool:
    """Whether an argument is the record's own field, as its key is."""
    if not isinstance(given, dict) or not isinstance(record, dict):
        return True
    return bool(name in given and given[name] == record.get(name))


def _unbroken(cases: Cases, tree: Tree) -> bool:
    """Whether some success met a condition and none broke it."""
    values = evaluate(tree, cases.scopes)[: len(cases.good)]
    return any(v is True for v in values) and all(v is True or v is UNKNOWN for v in values)
