"""Elements that a record had before a call names them again: whether they keep what they said or are looked up anew.

Comes from a tool's effects and its cases; goes to `success` and `specific` as conditions. Not here: how an effect is found
(`search.fit_lists`), literals on the elements of a call's lists (`element_literals`).
"""

from __future__ import annotations

from collections.abc import Iterator

from environments.runtime.expr.scope import Tree
from environments.runtime.expr.trees import about_partner, looks_at
from environments.runtime.task.attempt import Json
from synth.world.actions.examples import evaluate, held_if_known
from synth.world.refusals.cases import Cases, Source
from synth.world.refusals.element_literals import TRUE
from synth.world.refusals.version_space import RefusalSpace


def elements_stay(source: Source) -> Iterator[Tree]:
    """That an element which stays is what is looked up for it.

    Where a look-up and what the element said before never differed, or differed only in calls that gave another value
    for a field of the record, a call in which they differ otherwise is one that nobody saw.
    """
    cases = source.cases
    for name, tree in _lists_set(source):
        for again in _looked_up(name, tree):
            trees = [again] if cases.is_kept(again) else _forms(cases, again)
            yield from filter(cases.is_kept, trees)


def none_stays(source: Source) -> Iterator[Tree]:
    """Per list: that none of its elements stays while nothing else of the record changes that the call speaks of.

    An element that stays may not be asked what new ones are asked: a refusal about it was seen of new ones only.
    """
    for name, tree in _lists_set(source):
        found = _staying(name, tree)
        if found is not None and any(_looked_up(name, tree)):
            none: Tree = ["not", ["exists", ["at", found, ["const", 0]]]]
            yield from _forms(source.cases, ["every", ["zip", tree[1], tree[1], none], TRUE])


def never_there(source: Source, space: RefusalSpace) -> Iterator[Tree]:
    """That what a refusal names is no element of the record already, where no refused one was: such a one may be asked nothing."""
    if space.element is None:
        return
    cases, element = source.cases, space.element
    name = str(element[1][1][1])
    same: list[Tree] = [["eq", ["it", field], [*element, field]] for field in space.fields]
    there: Tree = ["filter", ["old", name], ["and", *same]]
    for tree in _forms(cases, ["not", ["exists", ["at", there, ["const", 0]]]]):
        values = evaluate(tree, cases.scopes_of(space.name))
        if True in values and held_if_known(values):
            yield tree


def _lists_set(source: Source) -> Iterator[tuple[str, Tree]]:
    """The fields that a success sets."""
    return ((str(name), tree) for write in source.writes for name, tree in write.set.items())


def _looked_up(name: str, tree: Tree) -> Iterator[Tree]:
    """That every element which stays says what is looked up for it."""
    found = _staying(name, tree)
    for field, body in _fields(tree) if found is not None else ():
        if looks_at(body, "row") and looks_at(body, "it"):
            kept: Tree = ["every", found, ["eq", ["it", field], about_partner(body)]]
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
