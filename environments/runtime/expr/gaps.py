"""Why a tree has no value: a path that is not there, or state that nobody knows (Kleene's third value, with its reason).

Operations pass a gap on as they find it. A gap is told from every value by its type: `type(value) is Gap`. Whoever cannot go
on without a value says `required`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final


@dataclass(frozen=True, slots=True, eq=False)
class Gap:
    """In place of a value."""

    name: str
    reason: str = ""

    def __repr__(self) -> str:
        return self.name


MISSING: Final = Gap("missing")
"""A path leads nowhere, or an operand has the wrong type."""
UNKNOWN: Final = Gap("unknown")
"""The value depends on state that nobody knows."""
UNSEEN: Final = Gap("unknown", "never seen")
"""The value depends on a record that nobody has seen, and that nothing has changed."""
TOUCHED: Final = Gap("unknown", "an earlier call may have changed this")


def unknown(reason: str) -> Gap:
    """State that nobody knows, and why."""
    return Gap("unknown", reason)


def is_unknown(value: object) -> bool:
    """Whether nobody knows the value; a path that is not there is no such gap."""
    return type(value) is Gap and value is not MISSING


class NoValueError(Exception):
    """A value is needed, and there is a gap: the text is its reason."""


def required(value: Any) -> Any:
    """The value; raises `NoValueError` for a gap."""
    if type(value) is Gap:
        raise NoValueError(value.reason)
    return value
