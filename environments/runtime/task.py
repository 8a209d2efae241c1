"""The task: opening, tools, world slice, user to come, limits. Frozen data that loads without any behaviour.

Not here: the rubric (`rubric`, kept apart because the policy must never reach it), difficulty, verification and
agreement (tables beside the task, keyed by task id and version).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from .attempt import Json

TASK_FORMAT: Final = "1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """When a run ends whatever the policy does."""

    messages: int = 60
    """Assistant messages."""
    calls: int = 100
    """Tool calls."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UserTurn:
    """One thing the recorded user said after the opening, and to what."""

    text: str
    asked: str = ""
    """The assistant's words that it answered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One environment: everything but the judgement."""

    task_id: str
    """Hash of app and task key, else of app and anchor episode: for ever."""
    app: str
    opening: tuple[Mapping[str, Json], ...]
    """OpenAI messages before the policy acts: policy document, then the user's first words."""
    tools: tuple[Mapping[str, Json], ...]
    """OpenAI tool definitions."""
    world: str
    """The world's id: which file under `worlds/` answers."""
    start: Mapping[str, Json] = field(default_factory=dict)
    """The state at the task's start, as `World.session(start)` takes it."""
    started_at: int = 0
    """Nanoseconds since the epoch: "now" for this task."""
    user: tuple[UserTurn, ...] = ()
    limits: Limits = field(default_factory=Limits)
    terminal_tools: tuple[str, ...] = ()
    """Tools that end the conversation (a hand-over)."""
    provenance: Mapping[str, Json] = field(default_factory=dict)
    """Clean episode ids, attempts, intent, cluster, redaction: for people and splits, never for the policy."""
    format: str = TASK_FORMAT
