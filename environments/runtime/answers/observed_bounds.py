"""Conditions met before: what successes say of records that nobody has seen.

Goes in: the condition of a guard and, from the world file, how far recorded successes met it on records that nobody
read: a call for three places went through, so three were free. Comes out: whether a call asks no more than those did.
One condition's findings serve that condition only, for a success proves no particular one of several explanations. Not
here: conditions whose records are known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

from ..expr.language import build
from ..expr.scope import Missing, NotKnown, Scope, Thunk, Tree, Unseen, as_list, as_number
from ..values.normal import key_text, stable

Rest = Callable[[Scope], Tree]
"""The part of a tree that is not known, with everything else written out."""
_INNER: Final[Mapping[str, tuple[int, ...]]] = {
    "at": (1, 2),
    "le": (1, 2),
    "eq": (1, 2),
    "add": (1, 2),
    "sub": (1, 2),
    "mul": (1, 2),
    "member": (1, 2),
    "among": (1,),
    "not": (1,),
    "exists": (1,),
    "prefix": (1,),
    "shape": (1,),
}
"""Where the operands of an operation are trees of the same scope."""


@dataclass(slots=True, kw_only=True)
class Met:
    """How far successes met one condition, by the text of what was not known."""

    up_to: dict[str, float] = field(default_factory=dict)
    """The most that was held under an amount nobody knows."""
    down_to: dict[str, float] = field(default_factory=dict)
    """The least that an amount nobody knows was held under."""
    as_is: set[str] = field(default_factory=set)

    def to_json(self) -> dict[str, Any]:
        """For the world file."""
        return {
            "up_to": dict(sorted(self.up_to.items())),
            "down_to": dict(sorted(self.down_to.items())),
            "as_is": sorted(self.as_is),
        }

    @classmethod
    def from_json(cls, part: Mapping[str, Any]) -> Met:
        """From the world file."""
        return cls(
            up_to=dict(part.get("up_to", {})),
            down_to=dict(part.get("down_to", {})),
            as_is=set(part.get("as_is", ())),
        )


@dataclass(frozen=True, slots=True)
class Question:
    """One thing that a condition asks of what is not known."""

    text: str
    most: float | None = None
    least: float | None = None


class Condition:
    """A guard's condition, ready to be asked piece by piece."""

    __slots__ = ("_inner", "_op", "_rest", "_thunk")

    def __init__(self, tree: Tree) -> None:
        self._op = tree[0]
        self._thunk = build(tree)
        self._inner: list[Condition | Thunk] = []
        self._rest: list[Rest] = []
        if self._op in {"and", "or"}:
            self._inner = [Condition(part) for part in tree[1:]]
        elif self._op == "every":
            self._inner = [build(tree[1]), Condition(tree[2])]
        elif self._op == "le":
            self._inner = [build(tree[1]), build(tree[2])]
            self._rest = [rest_of(tree[1]), rest_of(tree[2])]
        else:
            self._rest = [rest_of(tree)]

    def questions(self, scope: Scope) -> Iterator[Question]:
        """What is to be known before the condition is known to hold; raises `NotKnown` where that cannot be said.

        Raises `Missing` where a part that is known fails.
        """
        try:
            holds = bool(self._thunk(scope))
        except NotKnown:
            yield from self._asked(scope)
            return
        if not holds:
            raise Missing

    def _asked(self, scope: Scope) -> Iterator[Question]:
        if self._op in {"and", "or"}:
            # Of several ways to be allowed nobody knows which it was: all of them are asked.
            for part in self._inner:
                if isinstance(part, Condition):
                    yield from part.questions(scope)
        elif self._op == "every":
            yield from self._of_elements(scope)
        elif self._op == "le":
            yield self._compared(scope)
        else:
            yield Question(stable(self._rest[0](scope)))

    def _of_elements(self, scope: Scope) -> Iterator[Question]:
        items, body = self._inner
        if isinstance(items, Condition) or not isinstance(body, Condition):
            return
        outer = scope.it
        try:
            for item in as_list(items(scope), scope):
                scope.it = item
                yield from body.questions(scope)
        finally:
            scope.it = outer

    def _compared(self, scope: Scope) -> Question:
        left, right = self._inner
        if isinstance(left, Condition) or isinstance(right, Condition):
            raise NotKnown("nothing to compare")
        amount, limit = _number(left, scope), _number(right, scope)
        if amount is not None:
            return Question(stable(self._rest[1](scope)), most=amount)
        if limit is not None:
            return Question(stable(self._rest[0](scope)), least=limit)
        return Question(stable([rest(scope) for rest in self._rest]))


def _number(thunk: Thunk, scope: Scope) -> float | None:
    """A number, None where it is not known; raises `Missing` where it is none."""
    try:
        return float(as_number(thunk(scope)))
    except NotKnown:
        return None


def rest_of(tree: Tree) -> Rest:
    """A tree of which only what nobody has seen is left; raises `NotKnown` for anything else that is not known."""
    if tree[0] == "sum":
        return _rest_of_total(tree)
    thunk = build(tree)
    places = _INNER.get(tree[0], ())
    inner = {at: rest_of(tree[at]) for at in places}
    keys = [build(part) for part in tree[2]] if tree[0] == "row" else []

    def run(scope: Scope) -> Tree:
        try:
            return ["const", thunk(scope)]
        except NotKnown as fault:
            if tree[0] == "row":
                return _unseen(scope, tree, [key(scope) for key in keys])
            if not inner:
                raise NotKnown("more is asked than successes tell") from fault
        return [inner[at](scope) if at in inner else part for at, part in enumerate(tree)]

    return run


def _rest_of_total(tree: Tree) -> Rest:
    """A total of which some summands are not known, summand by summand."""
    whole, items, body = build(tree), build(tree[1]), rest_of(tree[2])

    def run(scope: Scope) -> Tree:
        try:
            return ["const", whole(scope)]
        except NotKnown:
            outer, parts = scope.it, []
            try:
                for item in as_list(items(scope), scope):
                    scope.it = item
                    parts.append(body(scope))
            finally:
                scope.it = outer
            return ["sum", ["list", *parts], ["it"]]

    return run


def _unseen(scope: Scope, tree: Tree, keys: list[Any]) -> Tree:
    with suppress(Unseen):
        scope.row(tree[1], key_text(keys))
    return ["row", tree[1], [["const", key] for key in keys], *tree[3:]]


def met_before(condition: Condition, met: Met, scope: Scope) -> bool:
    """Whether successes met all that is asked here of what nobody has seen."""
    try:
        return all(_met(met, question) for question in condition.questions(scope))
    except (Missing, NotKnown):
        return False


def _met(met: Met, question: Question) -> bool:
    if question.most is not None:
        known = met.up_to.get(question.text)
        return known is not None and question.most <= known
    if question.least is not None:
        known = met.down_to.get(question.text)
        return known is not None and question.least >= known
    return question.text in met.as_is


def note(condition: Condition, met: Met, scope: Scope) -> None:
    """Remember what a success met."""
    try:
        asked = list(condition.questions(scope))
    except (Missing, NotKnown):
        return
    for question in asked:
        if question.most is not None:
            most = met.up_to.get(question.text, question.most)
            met.up_to[question.text] = max(most, question.most)
        elif question.least is not None:
            least = met.down_to.get(question.text, question.least)
            met.down_to[question.text] = min(least, question.least)
        else:
            met.as_is.add(question.text)
