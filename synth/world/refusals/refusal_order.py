"""Which refusal comes first: what binds a refusal to calls that no other refusal may be about.

Comes from the refusals of one tool, explained or recurring, and their cases; goes into its guards as `also` and `beside`. Not
here: why a call is refused (`explain`, `recurring`), how the bonds are asked (`environments.runtime.answers.guards`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from environments.runtime.expr.gaps import UNKNOWN
from environments.runtime.expr.scope import Tree
from synth.world.actions.examples import evaluate, is_broken
from synth.world.refusals.conditions import Cases, Condition
from synth.world.refusals.draft import GuardDraft
from synth.world.refusals.relations import is_state, relates
from synth.world.support import SEEN_TWICE

MIN_BOUND: Final = SEEN_TWICE
"""Different refused calls before what all of them met belongs to the refusal."""


def bind(
    explained: Sequence[GuardDraft],
    again: Sequence[GuardDraft],
    withheld: Sequence[GuardDraft],
    cases: Cases,
    versions: Sequence[Tree] = (),
) -> None:
    """What held in every success and every refusal of a class: where it does not, other words may come first.

    `versions` are those of the withheld conditions that say that an argument is what the call changes: who sends another one
    is mostly refused before anything else is looked at. Of what other refusals are about it is enough that no refusal of the class broke it: which of two is told was never seen.
    """
    trees = [g.holds for g in withheld if relates(g.holds)]
    relations = [t for t in trees if t[0] != "distinct" or _lists_words(t, cases)]
    for guard in (*explained, *again):
        if not guard.message:
            continue
        rows = cases.index[guard.refusal]
        calls = [e.seen.key for e in cases.bad[guard.refusal]]
        # In which state a record is is asked before its parts are.
        state = any(is_state(c.tree) for c in guard.conditions[:1])
        others = [c for g in explained if g.refusal != guard.refusal for c in g.conditions]
        for condition in others:
            if not (state and condition.tree[0] == "every"):
                guard.bind(_conditions_beside(condition, guard, cases), seen=False)
        asked = relations if not state else [t for t in relations if t[0] != "every"]
        for tree in (*asked, *versions):
            values = evaluate(tree, [cases.scopes[i] for i in rows])
            if _is_met_enough(values, calls):
                # Some refusals were told of records that nobody had seen: then that says nothing against another.
                guard.bind([tree], seen=UNKNOWN not in values)


def _conditions_beside(condition: Condition, guard: GuardDraft, cases: Cases) -> Iterable[Tree]:
    """What has to hold for another refusal's condition not to be about the call as well."""
    rows = cases.index[guard.refusal]
    if not any(is_broken(condition.values[i]) for i in rows):
        return [condition.tree]
    element = guard.element
    if element is None or condition.tree[:2] != ["every", element[1][1]]:
        return []
    # The element that is named may break it too; one that stands before it is asked first.
    foremost: Tree = ["eq", element, ["at", element[1][1], ["const", 0]]]
    tree: Tree = ["or", foremost, condition.tree]
    return [] if any(map(is_broken, evaluate(tree, [cases.scopes[i] for i in rows]))) else [tree]


def bind_new(guards: Iterable[GuardDraft], trees: Iterable[Tree], cases: Cases) -> None:
    """What is said of elements was seen of such as the record did not have: of one that stays, nobody knows."""
    known = list(trees)
    for guard in guards:
        scopes = [cases.scopes[i] for i in cases.index[guard.refusal]]
        of_elements = guard.element is not None or any(
            c.tree[0] == "every" for c in guard.conditions
        )
        if guard.message and of_elements:
            for tree in known:
                if all(v is True or v is UNKNOWN for v in evaluate(tree, scopes)):
                    guard.bind([tree], seen=True)


def _is_met_enough(values: list[object], calls: list[str]) -> bool:
    """Whether enough different calls met a condition and none broke it."""
    if any(v is not True and v is not UNKNOWN for v in values):
        return False
    met = len({c for c, v in zip(calls, values, strict=True) if v is True})
    return met >= min(MIN_BOUND, len(set(calls)))


def _lists_words(tree: Tree, cases: Cases) -> bool:
    """Whether what is never there twice is a word: equal amounts stand side by side by chance."""
    lists = evaluate(tree[1], cases.scopes[: len(cases.good)])
    return all(isinstance(v, str) for values in lists if isinstance(values, list) for v in values)
