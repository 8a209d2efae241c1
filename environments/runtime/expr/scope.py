"""What a tree sees and how it may fail: the scope of one call, and the three ways out of the language.

Goes in: arguments, the record before, a row lookup. Comes out: values at paths, `Missing` (a path that is not there),
`NotKnown` (state that nobody knows), `BadTreeError` (not in the language). Not here: the operations.
"""

from __future__ import annotations

from collections.abc import Callable
from sys import intern
from typing import Any, Final

from ..task.attempt import Json
from ..values.normal import stable

FUEL: Final = 100_000
"""List steps that one call may take."""

_BODIES: Final = {"map": 2, "filter": 2, "every": 2, "sum": 2, "zip": 3, "edit": 5}
"""Operations with an operand that has an `it` of its own, and where it stands."""
_SHARED: Final = frozenset({"sum", "edit"})
"""Operations over lists that the trees of one call have several times: guards compare totals, effects charge them."""

Tree = Any
"""JSON: `[operation, operand, ...]`. Typed when it is built, not before."""
Thunk = Callable[["Scope"], Any]
Sub = Callable[[Tree], Thunk]


class Missing(Exception):  # noqa: N818 - a state of the data, not a fault
    """A path leads nowhere, or an operand has the wrong type."""


class NotKnown(Exception):  # noqa: N818 - the honest answer, not a fault
    """The value depends on state that nobody knows."""


class Unseen(NotKnown):
    """The value depends on a record that nobody has seen, and that nothing has changed."""


class InPart(NotKnown):
    """The value depends on a field that nobody has seen, of a record that answers told something of."""


class BadTreeError(ValueError):
    """The world file holds a tree that is not in the language."""


class Scope:
    """What a tree can see while it is evaluated."""

    __slots__ = ("arg", "by", "fuel", "it", "last", "number", "old", "parted", "row", "totals")

    def __init__(
        self,
        arg: Json,
        old: Json = None,
        *,
        row: Callable[[str, str], Json],
        number: Callable[[str], int] | None = None,
        last: Callable[[str, str], Json] | None = None,
    ) -> None:
        self.arg = arg
        self.old = old
        self.row = row
        self.number = number
        self.last = last
        """As `row`, but rows as they were last known, whatever may have touched them since."""
        self.it: Json = None
        self.by: Json = None
        self.fuel = FUEL
        self.totals: dict[str, Any] | None = None
        """Totals of lists and edited lists found so far, by their trees; None where the record before may change, or the rows."""
        self.parted = False
        """Whether a record that is known in part was asked for: what is said of it is to be asked with care."""


def sees_element(tree: Tree) -> bool:
    """Whether a tree may look at the element it stands beside."""
    if not isinstance(tree, list) or not tree:
        return False
    operation = tree[0] if isinstance(tree[0], str) else ""
    if operation in {"it", "by"}:
        return True
    return any(sees_element(part) for part in tree[: _BODIES.get(operation)])


def total_of(tree: Tree) -> str | None:
    """The name of a total, or of an edited list, that is the same wherever it stands in the trees of one call."""
    if tree[0] not in _SHARED or sees_element(tree):
        return None
    text = stable(tree)
    return None if '"next"' in text else intern(text)


def follow(value: Any, path: tuple[Any, ...]) -> Any:
    """The value at a path of field names and positions."""
    for step in path:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError) as fault:
            raise Missing from fault
    return value


def as_number(value: Any) -> Any:
    """A number that is no truth value, else `Missing`."""
    if type(value) is float or type(value) is int:
        return value
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Missing
    return value


def as_list(value: Any, scope: Scope) -> list[Any]:
    """A list (or the values of a dictionary), paid for in fuel, else `Missing`."""
    if type(value) is not list:
        if isinstance(value, dict):
            value = list(value.values())
        if not isinstance(value, list):
            raise Missing
    scope.fuel -= len(value) + 1
    if scope.fuel < 0:
        raise NotKnown("too many steps")
    return value


def as_text(value: Any) -> str:
    """A value as it stands inside a message."""
    if isinstance(value, str):
        return value
    if value is None or isinstance(value, dict | list):
        raise Missing
    return str(value)
