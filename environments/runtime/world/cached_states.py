"""Cached states: states that many sessions pass through, each with the answers that were given there.

Goes in: a state, and what a call at it led to. Comes out: the same answer at once, for every session that comes the same
way: rollouts of one task mostly make the same calls. A cached state is never changed: a session that goes on from it
copies it first. Not here: how an answer is found (`world.session`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from ..task.attempt import ToolResult
from .state import State

MAX_STATES: Final = 4_096
"""States kept by one world, some 10 kB each."""
MAX_ANSWERS: Final = 200_000
"""Answers kept by one world."""

Call = tuple[str, str]
"""Tool name and argument text as sent."""


@dataclass(slots=True)
class CachedState:
    """One state, and where each call made there leads."""

    state: State
    calls: dict[Call, tuple[ToolResult, CachedState | None]] = field(default_factory=dict)
    """By call: the answer, and the state after it; None where the call changes nothing."""


class CacheBudget:
    """How much a world may still keep."""

    __slots__ = ("answers", "states")

    def __init__(self) -> None:
        self.answers = MAX_ANSWERS
        self.states = MAX_STATES

    def take_answer(self) -> bool:
        """Take the place of one answer, if there is one left."""
        self.answers -= 1
        return self.answers >= 0

    def take_state(self) -> bool:
        """Take the place of one state, if there is one left."""
        self.states -= 1
        return self.states >= 0
