"""One attack on one candidate: what it does, what it must score, what it got."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from environments.runtime.task.attempt import Attempt, Json
from environments.runtime.task.candidate import Action
from environments.runtime.task.typed import record_json

ONE: Final = "one"
"""Must score 1."""
ZERO: Final = "zero"
"""Must score 0 (or not be graded): nothing was achieved."""
BELOW: Final = "below"
"""Must score below the good attempt, unless its end in the world is an accepted one."""
MASKED: Final = "masked_or_zero"
"""Must never pay."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """Actions to try on a candidate."""

    name: str
    actions: tuple[Action, ...]
    expected: str
    """`ONE`, `ZERO`, `BELOW` or `MASKED`."""
    in_gate: bool = True
    """Families kept out of the gate measure how well it generalises."""
    proves: Callable[[Attempt], bool] | None = None
    """Whether what came of it is bad; where it is not, the probe is void. None: it always is."""
    voidable: bool = True
    """Whether an end equal to the good one excuses it; a recorded bad attempt's user said that it was bad."""


class ProbeOutcome(NamedTuple):
    """What running and grading a probe says: plain values, so that they can be kept."""

    reward: float | None
    void: bool
    passed: bool
    why: str
    share: float | None


Grade = Callable[[Probe], ProbeOutcome]
"""Runs and grades a probe."""
Keeper = Callable[[Json, Grade], Grade]
"""Of what results hang on beside probe, task and world, and a grader, makes one that runs only what it does not know."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeResult:
    """What a probe got."""

    name: str
    expected: str
    reward: float | None
    void: bool
    """Its end equals an accepted end in the world, or nobody knows its end: it proves nothing."""
    passed: bool
    in_gate: bool
    why: str
    share: float | None = None
    """What it earns where the task set pays the weighted share."""
    actions: tuple[Action, ...] = ()
    """The transcript that shows an exploit; kept only where the probe was paid."""

    @property
    def paid(self) -> bool:
        """Whether it got something it must not get."""
        return not self.void and not self.passed and self.expected != ONE

    def to_json(self) -> dict[str, Json]:
        """As plain JSON values, for tables and reports."""
        return record_json(self)


def says(text: str) -> Action:
    """An action that only talks."""
    return {"role": "assistant", "content": text}


def calls(name: str, arguments: str, *, number: int = 0, text: str | None = None) -> Action:
    """An action with one tool call."""
    function: Mapping[str, Json] = {"name": name, "arguments": arguments}
    call: dict[str, Json] = {
        "id": f"probe_{number}",
        "type": "function",
        "function": dict(function),
    }
    return {"role": "assistant", "content": text, "tool_calls": [call]}
