"""The task: opening, tools, world slice, user to come, limits. Frozen data that loads without any behaviour.

Not here: the rubric (`rubric`, kept apart because the policy must never reach it), difficulty, verification and
agreement (tables beside the task, keyed by task id and version).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from . import typed
from .attempt import Json

TASK_FORMAT: Final = "1"
LIMITS: Final = ("messages", "calls", "unknown", "characters")
"""The fields of `Limits`, as they are written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """When a run ends whatever the policy does."""

    messages: int = 60
    """Assistant messages."""
    calls: int = 100
    """Tool calls."""
    unknown: int = 10
    """Tool answers that nobody knew: beyond them the run ends, and is graded as it stands."""
    characters: int = 400_000
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
    asked: str = ""
    """The assistant's words that it answered."""
    ends: bool = False
    """The recorded conversation ended with these words: the user says nothing after them."""
    calls: tuple[UserCall, ...] = ()
    """What the user did before these words."""
    after_calls: bool = False
    """The policy called tools between the user's words before these and these."""
    other_recording: bool = False
    """Said in another recording of this request: given to the question that it answered there, and to no other."""

    def to_json(self) -> dict[str, Json]:
        """As plain JSON values."""
        turn: dict[str, Json] = {"text": self.text, "asked": self.asked, "ends": self.ends}
        if self.calls:
            turn["calls"] = [[c.name, c.arguments, c.result] for c in self.calls]
        if self.after_calls:
            turn["after_calls"] = True
        if self.other_recording:
            turn["other_recording"] = True
        return turn

    @staticmethod
    def from_json(value: Mapping[str, Any]) -> UserTurn:
        """The turn that `to_json` wrote."""
        return UserTurn(
            text=typed.text(value["text"]),
            asked=typed.text(value.get("asked", "")),
            ends=typed.flag(value.get("ends", False)),
            calls=tuple(
                UserCall(
                    name=typed.text(name),
                    arguments=typed.text(arguments),
                    result=typed.text(result),
                )
                for name, arguments, result in value.get("calls", ())
            ),
            after_calls=typed.flag(value.get("after_calls", False)),
            other_recording=typed.flag(value.get("other_recording", False)),
        )


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
    """Tools that end the run: the app stops there."""
    closing_tools: tuple[str, ...] = ()
    """Tools after which agents only speak (a hand-over, and a word about it): the run goes on, and what else is called counts."""
    dispatched: Mapping[str, Any] = field(default_factory=dict)
    """Tools that are several, as the world file has them: rubrics see their calls as calls of parts."""
    injected: Mapping[str, Mapping[str, Json]] = field(default_factory=dict)
    """Per tool, the arguments that the host adds to its calls (a session id): filled in where a call lacks them, never shown."""
    provenance: Mapping[str, Json] = field(default_factory=dict)
    """Clean episode ids, attempts, intent, cluster, redaction: for people and splits, never for the policy."""
    format: str = TASK_FORMAT

    @property
    def last_tools(self) -> tuple[str, ...]:
        """Tools after which agents call nothing more, whether the run ends there or not."""
        return (*self.terminal_tools, *self.closing_tools)

    def to_json(self) -> dict[str, Json]:
        """As plain JSON values; `from_json` reads it back."""
        # Left out where there is nothing of the kind: tasks of such apps keep their version.
        several: dict[str, Json] = {"dispatched": dict(self.dispatched)} if self.dispatched else {}
        if self.closing_tools:
            several["closing_tools"] = list(self.closing_tools)
        if self.injected:
            several["injected"] = {tool: dict(added) for tool, added in self.injected.items()}
        return {
            **several,
            "format": self.format,
            "task_id": self.task_id,
            "app": self.app,
            "opening": [dict(message) for message in self.opening],
            "tools": [dict(tool) for tool in self.tools],
            "world": self.world,
            "start": dict(self.start),
            "started_at": self.started_at,
            "user": [turn.to_json() for turn in self.user],
            "limits": {name: getattr(self.limits, name) for name in LIMITS},
            "terminal_tools": list(self.terminal_tools),
            "provenance": dict(self.provenance),
        }

    @staticmethod
    def from_json(value: Mapping[str, Any]) -> Task:
        """The task that `to_json` wrote; fields that a later version added are ignored."""
        limits = {k: int(v) for k, v in value.get("limits", {}).items() if k in LIMITS}
        return Task(
            format=str(value["format"]),
            task_id=str(value["task_id"]),
            app=str(value["app"]),
            opening=typed.messages(value["opening"]),
            tools=typed.mappings(value["tools"]),
            world=str(value["world"]),
            start=typed.mapping(value.get("start", {})),
            started_at=int(value.get("started_at", 0)),
            user=tuple(map(UserTurn.from_json, value.get("user", ()))),
            limits=Limits(**limits),
            terminal_tools=typed.texts(value.get("terminal_tools", ())),
            closing_tools=typed.texts(value.get("closing_tools", ())),
            dispatched=typed.mapping(value.get("dispatched", {})),
            injected={
                typed.text(tool): typed.mapping(added)
                for tool, added in typed.mapping(value.get("injected", {})).items()
            },
            provenance=typed.mapping(value.get("provenance", {})),
        )
