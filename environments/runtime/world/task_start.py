"""The start of a task: what it gives a session beside rows and counters, first of all the calls that are believed to succeed.

Goes in: a task's start. Comes out: `StartFacts`. A call is believed that nobody made, because alike users' calls went through: some
conditions of guards are not asked of it. Only conditions that no recorded call ever broke are left out: those that list the
ids and amounts of recorded calls, which a new request never has, and those of which nobody knows whether they hold. What
refuses, refuses as before; so does a known value of a record beside which success was never seen. Not here: what is
believed (`synth.tasks`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..values.normal import stable
from ..views.implicit_subject import subject_in

if TYPE_CHECKING:
    from .tool import Tool

Calls = frozenset[tuple[str, str]]
"""Tool and arguments in normal form, as text."""


@dataclass(frozen=True, slots=True)
class StartFacts:
    """What a task's start gives beside rows and counters."""

    own: frozenset[str] = frozenset()
    """Episodes whose recordings count where the backend lives on."""
    believed: Calls = frozenset()
    """Calls that are believed to succeed."""
    subject: str | None = None
    """Whose session it is."""
    path: Mapping[str, Mapping[str, Sequence[tuple[str, bool]]]] = field(default_factory=dict)
    """By everything called before and by call, what was answered along the recorded paths of the task, and whether that was an error."""


def read_start(
    start: Mapping[str, Any] | None, tools: Mapping[str, Tool], origins: Mapping[str, str]
) -> StartFacts:
    """What a task's start gives; a call is believed in for every version of its tool."""
    if not start:
        return StartFacts()
    found: set[tuple[str, str]] = set()
    for name, arguments in start.get("believed", ()):
        versions = [name, *(version for version, origin in origins.items() if origin == name)]
        found |= {(v, stable(tools[v].normal(arguments))) for v in versions if v in tools}
    return StartFacts(
        frozenset(start.get("tape", ())),
        frozenset(found),
        subject_in(start),
        start.get("path", {}),
    )
