"""Guards: the conditions on a call's success, asked one by one or, faster, all at once.

Goes in: the guards of a tool's part of a world file, then the scope of a call. Comes out: the first guard that objects, if one
does. Not here: what is said then (`writes`), the operations (`expr`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..document.tools import GuardPart
from ..expr.evaluate import build
from ..expr.gaps import MISSING, UNSEEN, Gap, NoValueError, is_unknown
from ..expr.plan import Plan
from ..expr.scope import Expr, Scope, Tree
from ..expr.trees import operands_of
from ..task.attempt import Json
from ..values.mentions import leaves
from ..values.normal import stable


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard:
    """A condition on success."""

    holds: Expr
    """True where the call may succeed."""
    message: Expr | None
    """What the tool says where it does not; None withholds the answer instead."""
    name: str
    tree: Tree
    soft: bool
    """Never seen broken: where its inputs are not known it does not object."""
    gone: bool = True
    """Whether a refusal was recorded where a part of the condition was missing."""
    also: tuple[Expr, ...] = ()
    """What every recorded refusal met besides: where it is otherwise, other words may have come first."""
    beside: tuple[Expr, ...] = ()
    """The same, of records that some refusals were told without a sight of, and what other refusals are about."""
    recurs: bool = False
    """Whether it names things that were refused, some of them without a sight of what else the call is about."""
    of_record: bool = False
    """Whether any of these is about the record before."""
    names_part: bool = False
    """Whether it says that what an argument names is a part of a record: others' parts are asked for in vain."""
    part: Expr | None = None
    """What the argument names, where `names_part`."""
    listed: Expr | None = None
    """The arguments of which it lists the recorded values, where it is soft and does that."""

    def asks(self) -> frozenset[str]:
        """The arguments that its condition speaks of."""
        return frozenset(_argument_names(self.tree))

    def objects(self, scope: Scope, *, known: bool, again: bool = False) -> bool:
        """Whether the condition does not hold; raises `NoValueError` where nobody knows, unless the guard is soft."""
        value = self.holds(scope)
        if type(value) is not Gap:
            return not value
        if value is MISSING:
            if self.message is None or self.gone:
                return True
            # The message was learnt where the condition could be looked at: of a call that lacks a part of it, it says nothing.
            raise NoValueError("the call lacks what this was refused for: " + self.name)
        # With nothing known of any record, nothing says that the call succeeds.
        if self.soft and (known or (again and self._held_before(scope))):
            return False
        raise NoValueError(value.reason)

    def _held_before(self, scope: Scope) -> bool:
        """Whether it held before something may have touched what it asks for."""
        before = self.holds(as_last_known(scope))
        return not is_unknown(before) and before is not MISSING and bool(before)

    def strange(self, scope: Scope) -> bool:
        """Whether nobody knows what it asks for, now or before something may have touched it, or it was not so then.

        What a list of the record before has is its own part, whatever else is known of it.
        """
        if not is_unknown(self.holds(scope)) or self._names_own_parts(scope):
            return False
        before = self.holds(as_last_known(scope))
        return is_unknown(before) or (before is not MISSING and not before)

    def _names_own_parts(self, scope: Scope) -> bool:
        named = self.part(scope) if self.part is not None else None
        if type(named) is Gap or not named:
            return False
        fields = scope.old.values() if isinstance(scope.old, dict) else ()
        parts: list[Json] = [field for field in fields if isinstance(field, list)]
        shown = {stable(value) for value in leaves(parts)}
        return all(stable(value) in shown for value in leaves(named))

    def resembles_refused(self, scope: Scope) -> bool:
        """Whether nothing sets a call apart from those that were refused so."""
        if self.of_record and scope.old is None and scope.last is not None:
            return False  # an earlier call may have made of the record what other words are about
        return all(_not_broken(holds, scope, unseen=False) for holds in self.also) and all(
            _not_broken(holds, scope, unseen=self.recurs) for holds in self.beside
        )

    def objects_believed(self, scope: Scope) -> bool:
        """Whether it objects to a call that is believed to succeed."""
        known = scope.old is not None
        if not self.soft:
            return self.objects(scope, known=known)
        if self.listed is not None and _is_new(self.listed, scope):
            return False
        try:
            return self.objects(scope, known=known)
        except NoValueError:
            return False


class Guards:
    """The guards of one tool, in order."""

    __slots__ = ("_each", "_of_parts", "_plan", "_soft_from")

    def __init__(self, parts: Sequence[GuardPart], before: Tree | None = None) -> None:
        """`before` is a tree that finds the record before, wherever that is known."""
        self._each = [_guard(part) for part in parts]
        self._of_parts = [guard for guard in self._each if guard.names_part]
        hard = [at for at, guard in enumerate(self._each) if not guard.soft]
        self._soft_from = hard[-1] + 1 if hard else 0
        self._plan = Plan([guard.tree for guard in self._each[self._soft_from :]], before)

    def objection(
        self, scope: Scope, *, again: bool = False, sight: Expr | None = None
    ) -> Guard | None:
        """The first guard that objects; raises `NoValueError` where one before it does not know.

        `again`: calls of the tool before this one change nothing in when it succeeds. `sight`: what the answer shows of other records:
        where it has a value, something is known of a record, as where the record before is.
        """
        known = scope.old is not None
        seen = known or (sight is not None and type(sight(scope)) is not Gap)
        for at, guard in enumerate(self._each):
            if at == self._soft_from and known and self._plan.holds(scope):
                break
            if guard.objects(scope, known=seen, again=again):
                return guard
        if not known:
            return None
        return next((guard for guard in self._of_parts if guard.strange(scope)), None)

    def objection_believed(self, scope: Scope) -> Guard | None:
        """The first guard that objects to a call which is believed to succeed."""
        return next((guard for guard in self._each if guard.objects_believed(scope)), None)


def _argument_names(tree: Tree) -> Iterator[str]:
    if len(tree) > 1 and tree[0] == "arg":
        yield str(tree[1])
    for part in operands_of(tree):
        yield from _argument_names(part)


def names_part(tree: Tree) -> bool:
    """Whether a condition says that what an argument names is a part of a record."""
    body = tree[2] if tree[0] == "every" else tree
    return bool(
        body[0] == "member" and body[1][0] in {"it", "arg"} and body[2][0] in {"row", "old"}
    )


def as_last_known(scope: Scope) -> Scope:
    """The same call over records as they were before something may have touched them."""
    return scope if scope.last is None else Scope(scope.arg, scope.old, row=scope.last)


def _not_broken(holds: Expr, scope: Scope, *, unseen: bool) -> bool:
    """Whether a condition holds, or would if it were known what an earlier call did."""
    value = holds(scope)
    if value is UNSEEN:
        return unseen
    if not is_unknown(value):
        return value is not MISSING and bool(value)
    before = UNSEEN if scope.last is None else holds(as_last_known(scope))
    return is_unknown(before) or (before is not MISSING and bool(before))


def _listed_of(tree: Tree) -> Expr | None:
    """The arguments of which a condition lists the recorded values; None for any other condition."""
    if tree[0] != "among":
        return None
    parts = tree[1][1:] if tree[1][0] == "list" else [tree[1]]
    return _build_caching(tree[1]) if all(part[0] == "arg" for part in parts) else None


def _is_new(listed: Expr, scope: Scope) -> bool:
    """Whether one of the arguments is an id, an amount, a date, or a list of such: what every request has its own of."""
    return _has_digits(listed(scope))


def _has_digits(value: Json) -> bool:
    if isinstance(value, bool):
        return False
    if isinstance(value, int | float):
        return True
    if isinstance(value, Sequence) and not isinstance(value, str):
        return any(map(_has_digits, value))
    # Written in digits and strokes alone, an id looks like a date; a list of dates that were used tells as little.
    return isinstance(value, str) and any(char.isdigit() for char in value)


def _build_caching(tree: Tree) -> Expr:
    return build(tree, keeps=True)


def _guard(part: GuardPart) -> Guard:
    soft = not part.support
    return Guard(
        holds=_build_caching(part.holds),
        tree=part.holds,
        message=_build_caching(part.message) if part.message else None,
        name=part.says,
        soft=soft,
        gone=part.gone or soft,
        also=tuple(map(_build_caching, part.also or ())),
        beside=tuple(map(_build_caching, part.beside or ())),
        recurs=part.facts is not None,
        of_record='"old"' in stable([*(part.also or ()), *(part.beside or ())]),
        names_part=soft and names_part(part.holds),
        # `every(list, member(...))` or `member(value, ...)`: the list, or the value.
        part=_build_caching(part.holds[1]) if names_part(part.holds) else None,
        listed=_listed_of(part.holds) if soft else None,
    )
