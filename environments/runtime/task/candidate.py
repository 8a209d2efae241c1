"""The candidate: a derived task with everything verification needs. Lives only between synthesis and the gate.

What is exported of it: the task, the rubric, and the solution (kept where the policy cannot reach it).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..document.codec import decode
from .attempt import Json
from .rubric import Rubric
from .task import Task
from .typed import record_json

Action = Mapping[str, Json]
"""One assistant message in OpenAI shape: `content` and/or `tool_calls`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedAttempt:
    """What an agent really did in one recorded episode of this task."""

    episode_id: str
    actions: tuple[Mapping[str, Json], ...]
    """All assistant messages, in order."""
    resolved: bool | None
    """What the outcome policy says; None is unknown, never a failure."""
    tells: tuple[str, ...] = ()
    """Kinds of specific facts (`number`, `date`, `time`, `id`, `email`) that it told its user."""
    without_ground: tuple[str, ...] = ()
    """Those kinds of which it told something that nothing had shown."""

    def to_json(self) -> dict[str, Json]:
        """As plain JSON values; `from_json` reads it back."""
        return record_json(self)

    @staticmethod
    def from_json(value: Mapping[str, Any]) -> RecordedAttempt:
        """The attempt that `to_json` wrote."""
        return decode(RecordedAttempt, value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One task on its way to the gate."""

    task: Task
    rubric: Rubric
    solution: tuple[Action, ...]
    """Actions that must score 1: a resolved attempt's, or constructed; empty when there is none."""
    attempts: tuple[RecordedAttempt, ...] = ()
    reasons: tuple[str, ...] = ()
    """Why it cannot be accepted as it stands (`no_resolved_attempt`, `withheld_leaf`, ...); empty is a full candidate."""
