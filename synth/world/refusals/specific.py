"""The specific boundary of each class of refusals: what all its calls met besides, for where it is otherwise other words may come first.

Comes from the version spaces of one tool with their general boundaries, and the boundary of success; fills `specific` and `beside`. Not here: why
a call is refused (`explain`, `named_refusals`), how the boundaries are asked (`environments.runtime.answers.guards`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from environments.runtime.expr.gaps import UNKNOWN
from environments.runtime.expr.scope import Tree
from environments.runtime.values.normal import stable
from synth.world.actions.examples import evaluate, held_if_known, is_broken
from synth.world.refusals.cases import Cases, Literal, Source
from synth.world.refusals.kept_elements import never_there, none_stays
from synth.world.refusals.message_numbers import said_of_calls
from synth.world.refusals.relations import is_state, relates
from synth.world.refusals.success import sent_versions
from synth.world.refusals.version_space import RefusalSpace
from synth.world.support import SEEN_TWICE

MIN_BOUND: Final = SEEN_TWICE
"""Different refused calls before what all of them met belongs to the refusal."""


def bind_spaces(source: Source, spaces: Sequence[RefusalSpace], success: Sequence[Literal]) -> None:
    """Fill the specific boundary of every class whose words are told."""
    relations = _relations(source.cases, success)
    versions, stays = list(sent_versions(source)), list(none_stays(source))
    for space in spaces:
        if space.message is None:
            continue
        for tree in _about_others(space, spaces, source.cases):
            space.bind([tree], seen=False)
        # In which state a record is is asked before its parts are.
        asked = [t for t in relations if t[0] != "every"] if _is_of_state(space) else relations
        for tree in (*asked, *versions):
            values = evaluate(tree, source.cases.scopes_of(space.name))
            if _is_met_enough(values, [e.seen.key for e in source.cases.bad[space.name]]):
                # Some refusals were told of records that nobody had seen: then that says nothing against another.
                space.bind([tree], seen=UNKNOWN not in values)
        for tree in said_of_calls(source, space):
            values = evaluate(tree, source.cases.scopes_of(space.name))
            space.bind([tree], seen=UNKNOWN not in values)
        if space.element is not None or any(c.tree[0] == "every" for c in space.general):
            # What is said of elements was seen of such as the record did not have: of one that stays, nobody knows.
            space.bind(stays, seen=True)
    for space in spaces:
        if space.named is not None:
            space.bind(_record_there(source, space), seen=True)
            space.bind(never_there(source, space), seen=True)


def _relations(cases: Cases, success: Sequence[Literal]) -> list[Tree]:
    """What success says of how the call and the record belong together; equal amounts stand side by side by chance."""
    trees = [literal.tree for literal in success if relates(literal.tree)]
    return [t for t in trees if t[0] != "distinct" or _lists_words(t, cases)]


def _lists_words(tree: Tree, cases: Cases) -> bool:
    lists = evaluate(tree[1], cases.scopes[: len(cases.good)])
    return all(isinstance(v, str) for values in lists if isinstance(values, list) for v in values)


def _is_of_state(space: RefusalSpace) -> bool:
    return any(is_state(literal.tree) for literal in space.general[:1])


def _about_others(
    space: RefusalSpace, spaces: Sequence[RefusalSpace], cases: Cases
) -> Iterator[Tree]:
    """What has to hold for no other class to be about the call as well: which of two is told was never seen."""
    for other in spaces:
        for literal in other.general if other.name != space.name else ():
            if not (_is_of_state(space) and literal.tree[0] == "every"):
                yield from _apart_from(literal, space, cases)


def _apart_from(literal: Literal, space: RefusalSpace, cases: Cases) -> Iterator[Tree]:
    """That a literal of another class holds, as far as no refusal of this class broke it."""
    if not any(is_broken(literal.values[at]) for at in cases.index[space.name]):
        yield literal.tree
        return
    element = space.element
    if element is None or literal.tree[:2] != ["every", element[1][1]]:
        return
    # The element that is named may break it too; one that stands before it is asked first.
    foremost: Tree = ["eq", element, ["at", element[1][1], ["const", 0]]]
    tree: Tree = ["or", foremost, literal.tree]
    if not any(map(is_broken, evaluate(tree, cases.scopes_of(space.name)))):
        yield tree


def _is_met_enough(values: list[object], calls: list[str]) -> bool:
    """Whether enough different calls met a condition and none broke it."""
    if not held_if_known(values):
        return False
    met = len({c for c, v in zip(calls, values, strict=True) if v is True})
    return met >= min(MIN_BOUND, len(set(calls)))


def _record_there(source: Source, space: RefusalSpace) -> Iterator[Tree]:
    """That the record was there in each refused call: of one that is not, other words may come first."""
    for write in source.writes:
        tree: Tree = ["exists", ["row", write.table, list(write.key)]]
        if '"next"' not in stable(list(write.key)):
            values = evaluate(tree, source.cases.scopes_of(space.name))
            if all(v is True for v in values):
                yield tree
