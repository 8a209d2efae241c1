"""What one labelled attempt contributes to a rubric: its end, what it told, what it read, what the user asked.

In: a recorded attempt, its label and the app's tool kinds. Out: comparable facts. Not here: which of them matter.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from environments.runtime.attempt import EndState
from environments.runtime.check_end import Write
from environments.runtime.check_view import View, numbers_in, text_of
from synth.labels import UNLABELLED, Label
from synth.rubric.recorded import Recorded
from synth.rubric.tool_kinds import ACT, MAYBE, READ, WRITE, ToolKinds

ASKS_A_VALUE: Final = re.compile(
    r"\bhow (?:much|many|long|far|old|big)\b|\b(?:total|sum|amount|balance|price|cost|fee|difference|number|count|"
    r"percentage|quantity|rate)s?\b",
    re.IGNORECASE,
)
"""A user turn that wants a number, in generic English."""
REPLIES: Final = 2
"""How many visible replies after the question may hold the answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """One attempt, comparable with the others at the same task."""

    recorded: Recorded
    label: Label
    writes: Counter[Write]
    """Successful calls of writing tools."""
    maybe: Counter[Write]
    """Successful calls of tools that may write."""
    failed: Counter[Write]
    """Refused calls of writing tools."""
    acts: frozenset[str]
    reads: frozenset[Write]
    answers: frozenset[float]
    """Numbers told in the replies after a question for a value, that no user turn holds."""
    asked: bool
    """Whether the user asked for a value."""
    told: frozenset[float]
    per_message: int
    """Most new numbers told in one message."""
    total_told: int
    world_end: EndState | None = None
    """Where the world ended, following the recording; None where no world was given."""

    @property
    def episode_id(self) -> str:
        """The clean episode's id."""
        return self.recorded.episode.episode_id

    @property
    def resolved(self) -> bool | None:
        """What the label says."""
        return self.label.resolved

    @property
    def end_key(self) -> tuple[tuple[Write, int], ...]:
        """The end by its writes."""
        return tuple(sorted(self.writes.items()))


def facts_of(
    recorded: Recorded,
    label: Label | None,
    kinds: ToolKinds,
    *,
    world_end: EndState | None = None,
) -> Facts:
    """Collect one attempt's facts."""
    view = View(recorded.attempt)
    calls = view.normal_calls(kinds.ignore())
    of = {name: tool.kind for name, tool in kinds.tools.items()}
    writes = Counter((c.tool, c.arguments) for c in calls if of[c.tool] == WRITE and not c.failed)
    fresh = [{n for n in numbers if n not in view.given} for numbers in view.told_numbers]
    answers, asked = _answers(recorded)
    return Facts(
        recorded=recorded,
        label=label or UNLABELLED,
        writes=writes,
        maybe=Counter(
            (c.tool, c.arguments) for c in calls if of[c.tool] == MAYBE and not c.failed
        ),
        failed=Counter((c.tool, c.arguments) for c in calls if of[c.tool] == WRITE and c.failed),
        acts=frozenset(c.tool for c in calls if of[c.tool] == ACT and not c.failed),
        reads=frozenset(
            (c.tool, c.arguments) for c in calls if of[c.tool] == READ and not c.failed
        ),
        answers=answers - view.given,
        asked=asked,
        told=view.told,
        per_message=max((len(numbers) for numbers in fresh), default=0),
        total_told=len(set[float]().union(*fresh)),
        world_end=world_end,
    )


def _answers(recorded: Recorded) -> tuple[frozenset[float], bool]:
    """Numbers in the visible replies after each user turn that asks for a value."""
    found: set[float] = set()
    open_replies, asked = 0, False
    for message in recorded.attempt.messages:
        text = text_of(message)
        if message.get("role") == "user":
            if ASKS_A_VALUE.search(text):
                open_replies, asked = REPLIES, True
        elif open_replies and _visible(message) and text.strip():
            found.update(numbers_in(text))
            open_replies -= 1
    return frozenset(found), asked


def _visible(message: Mapping[str, object]) -> bool:
    return message.get("role") == "assistant" and not message.get("tool_calls")
