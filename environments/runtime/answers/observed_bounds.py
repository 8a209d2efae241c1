"""Conditions met before: what successes say of records that nobody has seen.

Goes in: the condition of a guard and, from the world file, how far recorded successes met it on records that nobody
read: a call for three places went through, so three were free. Comes out: whether a call asks no more than those did.
One condition's findings serve that condition only, for a success proves no particular one of several explanations. Not
here: conditions whose records are known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from ..expr.evaluate import build
from ..expr.gaps import MISSING, UNSEEN, Gap, is_unknown
from ..expr.language import NUMBERS
from ..expr.scope import Expr, Scope, Tree, as_list
from ..values.normal import key_text, stable

Rest = Callable[[Scope], Tree | None]
"""The part of a tree that is not known, with everything else written out; None where more is asked than successes tell."""
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
class ObservedBounds:
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
    def from_json(cls, part: Mapping[str, Any]) -> ObservedBounds:
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

    __slots__ = ("_find", "_inner", "_op", "_rest", "_sides")

    def __init__(self, tree: Tree) -> None:
        self._op = tree[0]
        self._find = build(tree)
        self._inner: list[Condition] = []
        self._sides: list[Expr] = []
        if self._op in {"and", "or"}:
            self._inner = [Condition(part) for part in tree[1:]]
        elif self._op == "every":
            self._sides, self._inner = [build(tree[1])], [Condition(tree[2])]
        elif self._op == "le":
            self._sides = [build(tree[1]), build(tree[2])]
        self._rest = [] if self._inner else list(map(rest_of, tree[1:] if self._sides else [tree]))

    def questions(self, scope: Scope) -> list[Question] | None:
        """What is to be known before the condition is known to hold; None where it fails, or where that cannot be said."""
        value = self._find(scope)
        if not is_unknown(value):
            return [] if value is not MISSING and value else None
        if self._op == "every":
            return self._of_elements(scope)
        if self._inner:
            # Of several ways to be allowed nobody knows which it was: all of them are asked.
            return _joined([part.questions(scope) for part in self._inner])
        if self._sides:
            return self._compared(scope)
        return _question(self._rest[0](scope))

    def _of_elements(self, scope: Scope) -> list[Question] | None:
        items = as_list(self._sides[0](scope), scope)
        return (
            None if type(items) is Gap else _joined(_each(scope, items, self._inner[0].questions))
        )

    def _compared(self, scope: Scope) -> list[Question] | None:
        amount, limit = (side(scope) for side in self._sides)
        if type(amount) in NUMBERS:
            return _question(self._rest[1](scope), most=float(amount))
        if type(limit) in NUMBERS:
            return _question(self._rest[0](scope), least=float(limit))
        both = [rest(scope) for rest in self._rest]
        return None if None in both else _question(both)


def _question(rest: Tree | None, **bounds: float) -> list[Question] | None:
    return None if rest is None else [Question(stable(rest), **bounds)]


def _joined(parts: Sequence[list[Any] | None]) -> list[Any] | None:
    """All of several lists as one; None where one is none."""
    known = [part for part in parts if part is not None]
    return None if len(known) < len(parts) else [one for part in known for one in part]


def _each(scope: Scope, items: list[Any], ask: Callable[[Scope], Any]) -> list[Any]:
    """What is found for each element of a list."""
    outer, out = scope.it, []
    try:
        for item in items:
            scope.it = item
            out.append(ask(scope))
    finally:
        scope.it = outer
    return out


def rest_of(tree: Tree) -> Rest:
    """A tree of which only what nobody has seen is left."""
    find = build(tree)
    if tree[0] == "sum":
        unseen = _unseen_summands(tree)
    elif tree[0] == "row":
        unseen = _unseen_row(tree)
    else:
        unseen = _unseen_operands(tree)

    def run(scope: Scope) -> Tree | None:
        value = find(scope)
        if is_unknown(value):
            return unseen(scope)
        return None if value is MISSING else ["const", value]

    return run


def _unseen_operands(tree: Tree) -> Rest:
    inner = {at: rest_of(tree[at]) for at in _INNER.get(tree[0], ())}

    def run(scope: Scope) -> Tree | None:
        parts = [inner[at](scope) if at in inner else part for at, part in enumerate(tree)]
        return parts if inner and all(parts[at] is not None for at in inner) else None

    return run


def _unseen_summands(tree: Tree) -> Rest:
    """A total of which some summands are not known, summand by summand."""
    items, body = build(tree[1]), rest_of(tree[2])

    def run(scope: Scope) -> Tree | None:
        values = as_list(items(scope), scope)
        parts = [None] if type(values) is Gap else _each(scope, values, body)
        return None if None in parts else ["sum", ["list", *parts], ["it"]]

    return run


def _unseen_row(tree: Tree) -> Rest:
    """A row that nobody has seen, unless something may have changed it."""
    keys = [build(part) for part in tree[2]]

    def run(scope: Scope) -> Tree | None:
        named = [key(scope) for key in keys]
        if any(type(key) is Gap for key in named):
            return None
        found = scope.row(tree[1], key_text(named))
        if type(found) is Gap and found is not UNSEEN:
            return None
        return ["row", tree[1], [["const", key] for key in named], *tree[3:]]

    return run


def met_before(condition: Condition, met: ObservedBounds, scope: Scope) -> bool:
    """Whether successes met all that is asked here of what nobody has seen."""
    asked = condition.questions(scope)
    return asked is not None and all(_met(met, question) for question in asked)


def _met(met: ObservedBounds, question: Question) -> bool:
    if question.most is not None:
        known = met.up_to.get(question.text)
        return known is not None and question.most <= known
    if question.least is not None:
        known = met.down_to.get(question.text)
        return known is not None and question.least >= known
    return question.text in met.as_is


def note(condition: Condition, met: ObservedBounds, scope: Scope) -> None:
    """Remember what a success met."""
    for question in condition.questions(scope) or ():
        if question.most is not None:
            most = met.up_to.get(question.text, question.most)
            met.up_to[question.text] = max(most, question.most)
        elif question.least is not None:
            least = met.down_to.get(question.text, question.least)
            met.down_to[question.text] = min(least, question.least)
        else:
            met.as_is.add(question.text)
