"""The task: opening, tools, world slice, user to come, limits. Frozen data that loads without any behaviour.

Not here: the rubric (`rubric`, kept apart because the policy must never reach it), difficulty, verification and
agreement (tables beside the task, keyed by task id and version).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from ..document.codec import always_written, decode, encode
from .attempt import Json
from .typed import messages

TASK_FORMAT: Final = "1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """When a run ends whatever the policy does."""

    messages: int = always_written(60)
    """Assistant messages."""
    calls: int = always_written(100)
    """Tool calls."""
    unknown: int = always_written(10)
    """Tool answers that nobody knew: beyond them the run ends, and is graded as it stands."""
    characters: int = always_written(400_000)
    """Everything the policy wrote, argument texts included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UserCall:
    """One call that the user made with a tool on their own side (a phone, a browser)."""

    name: str
    arguments: str
    """The JSON text of an object."""
    result: str
    """What the tool answered when it was recorded: the user's words hold only where it answers so again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UserTurn:
    """One thing the recorded user said after the opening, and to what."""

    text: str
    asked: str = always_written("")
    """The assistant's words that it answered."""
    ends: bool = always_written(default=False)
    """The recorded conversation ended with these words: the user says nothing after them."""
    calls: tuple[UserCall, ...] = ()
    """What the user did before these words."""
    after_calls: bool = False
    """The policy called tools between the user's words before these and these."""
    other_recording: bool = False
    """Said in another recording of this request: given to the question that it answered there, and to no other."""

    def to_json(self) -> dict[str, Json]:
        """As plain JSON values."""
        calls: list[Json] = [[c.name, c.arguments, c.result] for c in self.calls]
        return {**encode(self), **({"calls": calls} if calls else {})}

    @staticmethod
    def from_json(value: Mapping[str, Any]) -> UserTurn:
        """The turn that `to_json` wrote."""
        calls = [
            {"name": name, "arguments": arguments, "result": result}
            for name, arguments, result in value.get("calls", ())
        ]
        return decode(UserTurn, {**value, "calls": calls})


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
    start: Mapping[str, Json] = always_written(make=dict)
    """The state at the task's start, as `World.session(start)` takes it."""
    started_at: int = always_written(0)
    """Nanoseconds since the epoch: "now" for this task."""
    user: tuple[UserTurn, ...] = always_written(())
    limits: Limits = always_written(make=Limits)
    terminal_tools: tuple[str, ...] = always_written(())
    """Tools that end the run: the app stops there."""
    closing_tools: tuple[str, ...] = ()
    """Tools after which agents only speak (a hand-over, and a word about it): the run goes on, and what else is called counts."""
    dispatched: Mapping[str, Any] = field(default_factory=dict)
    """Tools that are several, as the world file has them: rubrics see their calls as calls of parts."""
    injected: Mapping[str, Mapping[str, Json]] = field(default_factory=dict)
    """Per tool, the arguments that the host adds to its calls (a session id): filled in where a call lacks them, never shown."""
    provenance: Mapping[str, Json] = always_written(make=dict)
    """Clean episode ids, attempts, intent, cluster, redaction: for people and splits, never for the policy."""
    format: str = always_written(TASK_FORMAT)

    @property
    def last_tools(self) -> tuple[str, ...]:
        """Tools after which agents call nothing more, whether the run ends there or not."""
        return (*self.terminal_tools, *self.closing_tools)

    def to_json(self) -> dict[str, Json]:
        """As plain JSON values; `from_json` reads it back. What an app has nothing of is left out: its tasks keep their version."""
        return {**encode(self, Task), "user": [turn.to_json() for turn in self.user]}

    @staticmethod
    def from_json(value: Mapping[str, Any]) -> Task:
        """The task that `to_json` wrote; fields that a later version added are ignored."""
        messages(value["opening"])
        user = tuple(map(UserTurn.from_json, value.get("user", ())))
        return replace(decode(Task, {**value, "user": []}), user=user)
