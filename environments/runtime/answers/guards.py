"""Guards: the conditions on a call's success, asked one by one or, faster, all at once.

Goes in: the guards of a tool's part of a world file, then the scope of a call. Comes out: the first guard that objects, if one
does. Not here: what is said then (`world_writes`), the operations (`expression`, `expression_once`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..expr.frames import Frame, Part, Space
from ..expr.gaps import MISSING, UNKNOWN
from ..expr.language import build
from ..expr.parts import BUILDERS
from ..expr.scope import InPart, Missing, NotKnown, Scope, Thunk, Tree, Unseen
from ..expr.together import Together
from ..values.normal import stable
from ..world.believed import is_new, listed_of
from .observed_bounds import Condition, Met, met_before


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard:
    """A condition on success."""

    holds: Thunk
    """True where the call may succeed."""
    message: Thunk | None
    """What the tool says where it does not; None withholds the answer instead."""
    name: str
    tree: Tree
    soft: bool
    """Never seen broken: where its inputs are not known it does not object."""
    gone: bool = True
    """Whether a refusal was recorded where a part of the condition was missing."""
    met: tuple[Condition, Met] | None = None
    """What successes tell of records that nobody has seen."""
    also: tuple[Thunk, ...] = ()
    """What every recorded refusal met besides: where it is otherwise, other words may have come first."""
    beside: tuple[Thunk, ...] = ()
    """The same, of records that some refusals were told without a sight of, and what other refusals are about."""
    unless: tuple[Thunk, ...] = ()
    """Records of which no refused call had any: where one is there, nobody knows."""
    recurs: bool = False
    """Whether it names things that were refused, some of them without a sight of what else the call is about."""
    of_record: bool = False
    """Whether any of these is about the record before."""
    names_part: bool = False
    """Whether it says that what an argument names is a part of a record: what may have changed a record seldom adds one."""
    listed: Thunk | None = None
    """The arguments of which it lists the recorded values, where it is soft and does that."""

    def asks(self) -> frozenset[str]:
        """The arguments that its condition speaks of."""
        return frozenset(_asked(self.tree))

    def objects(self, scope: Scope) -> bool:
        """Whether the condition does not hold; `NotKnown` passes through unless the guard is soft."""
        try:
            return not self.holds(scope)
        except Missing as fault:
            if self.message is None or self.gone:
                return True
            # The message was learnt where the condition could be looked at: of a call that lacks a part of it, it says nothing.
            raise NotKnown("the call lacks what this was refused for: " + self.name) from fault
        except NotKnown as fault:
            if self.met is not None and met_before(*self.met, scope):
                return False
            # Soft only beside a record that is known, or that a success told of: with nothing known, nothing says
            # that the call succeeds.
            if self.soft and (scope.old is not None or isinstance(fault, InPart)):
                return False
            raise

    def strange(self, scope: Scope) -> bool:
        """Whether nobody knows what it asks for, now or before something may have touched it, and no success had it so."""
        seen = scope if scope.last is None else Scope(scope.arg, scope.old, row=scope.last)
        try:
            return not self.holds(seen)
        except Missing:
            return False
        except NotKnown:
            return self.met is not None and not met_before(*self.met, seen)

    def within(self, scope: Scope) -> bool:
        """Whether nothing sets a call apart from those that were refused so."""
        if self.of_record and scope.old is None and scope.last is not None:
            return False  # an earlier call may have made of the record what other words are about
        if any(_is_there(row, scope) for row in self.unless):
            return False
        return all(_not_broken(holds, scope, unseen=False) for holds in self.also) and all(
            _not_broken(holds, scope, unseen=self.recurs) for holds in self.beside
        )

    def objects_believed(self, scope: Scope) -> bool:
        """Whether it objects to a call that is believed to succeed."""
        if not self.soft:
            return self.objects(scope)
        if self.listed is not None and is_new(self.listed, scope):
            return False
        try:
            return self.objects(scope)
        except NotKnown:
            return False


class Guards:
    """The guards of one tool, in order."""

    __slots__ = ("_asked", "_each", "_of_parts", "_soft_from", "_space", "_together", "_trees")

    def __init__(self, parts: Sequence[Mapping[str, Any]], before: Tree | None = None) -> None:
        """`before` is a tree that finds the record before, wherever that is known."""
        self._each = [_guard(part) for part in parts]
        self._trees: list[Tree] = [part["holds"] for part in parts]
        self._space = Space(BUILDERS)
        self._asked: list[Part | None] = [None] * len(parts)
        """Made when a guard is first asked: most tools of most worlds are never called, many calls object early."""
        self._of_parts = [at for at, guard in enumerate(self._each) if guard.names_part]
        hard = [at for at, guard in enumerate(self._each) if not guard.soft]
        self._soft_from = hard[-1] + 1 if hard else 0
        self._together = Together(self._trees[self._soft_from :], before)

    def objection(self, scope: Scope) -> Guard | None:
        """The first guard that objects; raises `NotKnown` where one before it does not know."""
        frame: Frame | None = None
        known = scope.old is not None
        for at, guard in enumerate(self._each):
            if at == self._soft_from and known and self._together.hold(scope) and not scope.parted:
                break
            frame = frame or Frame(scope)
            value = self._part(at)(frame)
            if value is UNKNOWN and guard.soft and known and not scope.parted:
                continue
            if (value is UNKNOWN or value is MISSING or not value) and guard.objects(scope):
                return guard
        if known and self._of_parts:
            return self._strange(scope, frame or Frame(scope))
        return None

    def _strange(self, scope: Scope, frame: Frame) -> Guard | None:
        """The first that nobody can look at now, and that was not met before."""
        for at in self._of_parts:
            if self._part(at)(frame) is UNKNOWN and self._each[at].strange(scope):
                return self._each[at]
        return None

    def objection_believed(self, scope: Scope) -> Guard | None:
        """The first guard that objects to a call which is believed to succeed."""
        return next((guard for guard in self._each if guard.objects_believed(scope)), None)

    def _part(self, at: int) -> Part:
        known = self._asked[at]
        if known is None:
            tree = self._trees[at]
            # A counter that is asked twice counts twice: such a guard is only asked by itself.
            counts = '"next"' in stable(tree)
            known = self._asked[at] = _nothing if counts else self._space.part(tree)
        return known


def _asked(tree: Tree) -> Iterator[str]:
    if len(tree) > 1 and tree[0] == "arg":
        yield str(tree[1])
    for part in tree:
        if isinstance(part, list):
            yield from _asked(part)


def names_part(tree: Tree) -> bool:
    """Whether a condition says that what an argument names is a part of a record."""
    body = tree[2] if tree[0] == "every" else tree
    return bool(
        body[0] == "member" and body[1][0] in {"it", "arg"} and body[2][0] in {"row", "old"}
    )


def _not_broken(holds: Thunk, scope: Scope, *, unseen: bool) -> bool:
    """Whether a condition holds, or would if it were known what an earlier call did."""
    try:
        return bool(holds(scope))
    except NotKnown as fault:
        if isinstance(fault, Unseen):
            return unseen
        return _held_before(holds, scope)
    except Missing:
        return False


def _is_there(row: Thunk, scope: Scope) -> bool:
    """Whether there is such a record, or was before something may have touched it."""
    try:
        row(scope)
    except Missing:
        return False
    except NotKnown as fault:
        return not isinstance(fault, Unseen)
    return True


def _held_before(holds: Thunk, scope: Scope) -> bool:
    """Whether a condition was not broken by records as they were before something may have touched them."""
    if scope.last is None:
        return True
    try:
        return bool(holds(Scope(scope.arg, scope.old, row=scope.last)))
    except NotKnown:
        return True
    except Missing:
        return False


def _nothing(_frame: Frame) -> bool:
    return False


def _guard(part: Mapping[str, Any]) -> Guard:
    message = part.get("message")
    soft = not part.get("support")
    return Guard(
        holds=build(part["holds"]),
        tree=part["holds"],
        message=build(message) if message else None,
        name=str(part.get("says", "")),
        soft=soft,
        gone=bool(part.get("gone")) or soft,
        met=(Condition(part["holds"]), Met.from_json(part["met"])) if "met" in part else None,
        also=tuple(build(tree) for tree in part.get("also", ())),
        beside=tuple(build(tree) for tree in part.get("beside", ())),
        unless=tuple(build(tree) for tree in part.get("unless", ())),
        recurs="facts" in part,
        of_record='"old"' in stable([part.get("also"), part.get("beside")]),
        names_part=soft and names_part(part["holds"]),
        listed=listed_of(part["holds"]) if soft else None,
    )
