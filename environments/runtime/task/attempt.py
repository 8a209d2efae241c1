"""The attempt: what a policy did in one run of a task, as rubrics see it. Pure data, made by `environment`.

Not here: the verdict (`verdict`), the rules that lead to it (`rubric`, `checks`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

RECORDED: Final = "recorded"
"""This call was seen, with the same relevant history before it."""
DERIVED: Final = "derived"
"""Follows from learnt behaviour."""
SIMULATED: Final = "simulated"
"""An LLM answered (only if configured)."""
UNKNOWN: Final = "unknown"
"""Nobody knows; what the call could have touched is tainted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """The world's answer to one call."""

    content: str
    """Text as the real tool would have sent it; for `unknown`, a short structured notice."""
    source: str
    """`RECORDED`, `DERIVED`, `SIMULATED` or `UNKNOWN`."""
    is_error: bool = False
    """The tool refused or failed, as a truth about the tool (an `unknown` answer is not an error)."""
    evidence: str = ""
    """Which learnt behaviour or recording answered, for a person to look up in the world file."""
    confidence: float = 1.0
    """How probably the real tool answers so; 1 where it was recorded on this path, and where no held-out call measured who says it."""


@dataclass(frozen=True, slots=True)
class MeantCall:
    """A call by what it means."""

    tool: str
    arguments: Mapping[str, Json]


class AnsweredCall(NamedTuple):
    """One call that was made; a named tuple, because one is made per call."""

    result: ToolResult
    meant: MeantCall | None = None
    """The part, of a tool that is several; None where it means what it says, or nobody knows what."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One tool call of the attempt, with its answer."""

    name: str
    arguments: Mapping[str, Json]
    """Parsed; empty when the text was not a JSON object (then `malformed` holds)."""
    result: ToolResult
    message: int
    """Index into `Attempt.messages` of the message that made the call, or that the user said after it."""
    malformed: bool = False
    by_user: bool = False
    """The user made it, with a tool on their own side; the policy saw neither call nor answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """One field of one entity that is not what it was at the start."""

    entity: str
    """The world's name for the entity's table."""
    key: str
    """Canonical JSON of the entity's key values."""
    field: str
    """Dotted path of the changed field inside the record; `""` is the whole record (created or removed)."""
    before: Json
    after: Json
    sure: bool = True
    """No call of which nobody knows what it did may have changed the field again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A write, or an act such as a hand-over, that leaves no record the world can read back."""

    tool: str
    arguments: str
    """Canonical JSON of the arguments in normal form."""
    kind: str
    """`write` or `act`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EndState:
    """Where the world ended: what differs from its start. Equal ends compare equal whatever the route."""

    effects: tuple[Effect, ...] = ()
    """Sorted by entity, key, field; an effect undone again is absent."""
    events: tuple[Event, ...] = ()
    """In order of the calls."""
    unknown: tuple[str, ...] = ()
    """What may have changed though nobody knows: entity names, `entity:key`, or `*` for anything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """Everything a rubric may look at."""

    messages: tuple[Mapping[str, Json], ...]
    """The whole conversation in OpenAI shape, opening included, tool results as the world gave them."""
    opening: int
    """How many of the messages were there before the policy acted."""
    calls: tuple[Call, ...] = ()
    end: EndState = field(default_factory=EndState)
    stop_reason: str | None = None
    """`user_ended`, `terminal_tool`, `limit`, `unknown`; None while it runs."""
    user_unknown: int = 0
    """User turns that nobody could answer from the recording."""
    unanswered: tuple[int, ...] = ()
    """Where these turns stand: indices into `messages`."""
    tampered: tuple[str, ...] = ()
    """Ids of calls whose claimed result differs from the re-run."""

    @property
    def unknown_answers(self) -> int:
        """How many calls were told that nobody knows the answer."""
        return sum(call.result.source == UNKNOWN for call in self.calls)
