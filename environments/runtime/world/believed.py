"""Believed calls: what a task says of one call that nobody made, because alike users' calls went through.

Goes in: the `believed` part of a task's start, and the conditions of guards. Comes out: the exact calls in normal form, and
which conditions are not asked of them. Only conditions that no recorded call ever broke are left out: those that list the
ids and amounts of recorded calls, which a new request never has, and those of which nobody knows whether they hold. What
refuses, refuses as before; so does a known value of a record beside which success was never seen. Not here: what is
believed (`synth.tasks`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..expr.language import build
from ..expr.scope import Missing, NotKnown, Scope, Thunk, Tree
from ..task.attempt import Json
from ..values.normal import stable
from ..views.implicit_subject import subject_in

if TYPE_CHECKING:
    from .tool import Tool

Calls = frozenset[tuple[str, str]]
"""Tool and arguments in normal form, as text."""


@dataclass(frozen=True, slots=True)
class Given:
    """What a task's start gives beside rows and counters."""

    own: frozenset[str] = frozenset()
    """Episodes whose recordings count where the backend lives on."""
    believed: Calls = frozenset()
    """Calls that are believed to succeed."""
    subject: str | None = None
    """Whose session it is."""
    path: Mapping[str, Mapping[str, Sequence[tuple[str, bool]]]] = field(default_factory=dict)
    """By everything called before and by call, what was answered along the recorded paths of the task, and whether that was an error."""


def given_by(
    start: Mapping[str, Any] | None, tools: Mapping[str, Tool], origins: Mapping[str, str]
) -> Given:
    """What a task's start gives; a call is believed in for every version of its tool."""
    if not start:
        return Given()
    found: set[tuple[str, str]] = set()
    for name, arguments in start.get("believed", ()):
        versions = [name, *(version for version, origin in origins.items() if origin == name)]
        found |= {(v, stable(tools[v].normal(arguments))) for v in versions if v in tools}
    return Given(
        frozenset(start.get("tape", ())),
        frozenset(found),
        subject_in(start),
        start.get("path", {}),
    )


def listed_of(tree: Tree) -> Thunk | None:
    """The arguments of which a condition lists the recorded values; None for any other condition."""
    if tree[0] != "among":
        return None
    parts = tree[1][1:] if tree[1][0] == "list" else [tree[1]]
    return build(tree[1]) if all(part[0] == "arg" for part in parts) else None


def is_new(listed: Thunk, scope: Scope) -> bool:
    """Whether one of the arguments is an id, an amount, a date, or a list of such: what every request has its own of."""
    try:
        return _own(listed(scope))
    except (Missing, NotKnown):
        return False


def _own(value: Json) -> bool:
    if isinstance(value, bool):
        return False
    if isinstance(value, int | float):
        return True
    if isinstance(value, Sequence) and not isinstance(value, str):
        return any(map(_own, value))
    # Written in digits and strokes alone, an id looks like a date; a list of dates that were used tells as little.
    return isinstance(value, str) and any(char.isdigit() for char in value)
