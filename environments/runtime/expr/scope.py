"""What a tree sees: the scope of one call, and the elements of lists inside it.

Goes in: arguments, the record before, a row lookup. Not here: the operations (`language`), how they are put together (`evaluate`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from ..task.attempt import Json
from .gaps import MISSING, Gap, unknown

FUEL: Final = 100_000
"""List steps that one call may take."""
_SPENT: Final = unknown("too many steps")
Tree = Any
"""JSON: `[operation, operand, ...]`. Typed when it is built, not before."""


class Scope:
    """What a tree can see while it is evaluated."""

    __slots__ = ("arg", "by", "fuel", "it", "last", "memo", "number", "old", "row", "sent")

    def __init__(
        self,
        arg: Json,
        old: Json = None,
        *,
        row: Callable[[str, str], Any],
        number: Callable[[str], Any] | None = None,
        last: Callable[[str, str], Any] | None = None,
    ) -> None:
        self.arg = arg
        self.old = old
        self.row = row
        """The row of a table under a key, or a gap."""
        self.number = number
        """The next number of a counter, or a gap."""
        self.last = last
        """As `row`, but rows as they were last known, whatever may have touched them since."""
        self.sent: Mapping[str, Json] | str | None = None
        """Arguments as they were sent, where they are known: `5.0` is 5 in `arg`, and 5.0 in a sentence."""
        self.it: Any = None
        self.by: Any = None
        self.fuel = FUEL
        self.memo: dict[str, Any] | None = None
        """What trees found so far, by their text; None where the record before may change, or the rows."""


Expr = Callable[[Scope], Any]
"""A tree, built: gives its value in a scope, or a gap."""


def as_list(value: Any, scope: Scope) -> Any:
    """A list (or the values of a dictionary), paid for in fuel, else a gap."""
    if type(value) is not list:
        if not isinstance(value, dict):
            return value if type(value) is Gap else MISSING
        value = list(value.values())
    scope.fuel -= len(value) + 1
    return value if scope.fuel >= 0 else _SPENT


def map_elements(scope: Scope, items: list[Any], others: list[Any] | None, body: Expr) -> Any:
    """The body for every element, `it` being the element and `by` its partner in the other list; the first gap instead."""
    it, by = scope.it, scope.by
    out = []
    try:
        for at, item in enumerate(items):
            scope.it = item
            scope.by = others[at] if others is not None else by
            value = body(scope)
            if type(value) is Gap:
                return value
            out.append(value)
    finally:
        scope.it, scope.by = it, by
    return out
