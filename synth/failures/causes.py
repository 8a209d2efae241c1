"""The cause of a failure: what went wrong, at which step, and who did it.

Comes in: pieces of evidence and the turns of an episode. Goes out: a `Cause`. The pieces are added up per step, as log-odds; the step
with the highest sum is the critical one, its heaviest piece names the cause, and the agent of that step made it. Not here: where
the pieces come from (`evidence`, `compared`).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ingest.records.columns import Int32
from synth.failures.turns import Turn

CHANGED: Final = "changed"
NO_CHANGE: Final = "no_change"
"""What is said where no evidence names a cause: whether something was changed."""
FACT: Final = "fact"
DEED: Final = "deed"
"""What is claimed: that something is so, or that something was done."""
PARTIES: Final[Mapping[str, str]] = {
    "instruction_not_followed": "agent",
    "wrong_tool": "agent",
    "wrong_argument": "agent",
    "misread_result": "agent",
    "missed_step": "agent",
    "premature_end": "agent",
    "invented_claim": "agent",
    "loop": "agent",
    "wrong_plan": "agent",
    "tool_error": "tool",
    "tool_timeout": "tool",
    "wrong_data": "tool",
    "user_withdrew": "user",
    "user_unclear": "user",
    "hand_over": "system",
    "context_lost": "system",
    "drift": "environment",
    CHANGED: "agent",
    NO_CHANGE: "agent",
}
"""Every cause, with whose it is."""
SAYS: Final[Mapping[str, str]] = {
    "instruction_not_followed": "does not follow an instruction",
    "wrong_tool": "calls a tool that was not needed",
    "wrong_argument": "calls a tool with a wrong argument",
    "misread_result": "says something else than a result shows",
    "missed_step": "leaves out a step",
    "premature_end": "stops before it is done",
    "invented_claim": "claims what nothing shows",
    "loop": "goes in circles",
    "wrong_plan": "starts with a wrong plan",
    "tool_error": "a tool fails",
    "tool_timeout": "a tool does not answer in time",
    "wrong_data": "a tool answers what is not so",
    "user_withdrew": "the user no longer wanted it",
    "user_unclear": "the user does not say what is needed",
    "hand_over": "something gets lost between two agents",
    "context_lost": "the recording or the context was cut",
    "drift": "a tool is not what the agent expects",
    CHANGED: "changes something, but not what was needed",
    NO_CHANGE: "ends without any change",
}
"""Every cause in words; where it is the agent's, the agent is the subject."""
TURNS_ON: Final = frozenset(
    {
        "wrong_tool",
        "wrong_argument",
        "missed_step",
        "instruction_not_followed",
        "invented_claim",
        "drift",
        "tool_error",
        CHANGED,
    }
)
"""Causes that differ by what they turn on; the others are one thing whichever tool they happen at."""
UNTOLD: Final = frozenset({NO_CHANGE, "premature_end"})
"""Causes that say so little that failures are parted by what their users wanted."""
NOBODYS: Final = frozenset({"user"})
"""Parties whose step is no agent's."""

LATER: Final = 0.3
"""What a turn's place takes from its sum, times the logarithm of its place: mistakes sit early."""
KEPT: Final = 8
"""Pieces of evidence that a record keeps, the heaviest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """One piece of evidence that something went wrong at a step."""

    name: str
    cause: str
    """One of `PARTIES`."""
    step: Int32
    weight: float
    """What it adds to the step's log-odds."""
    about: tuple[str, ...] = ()
    """The tool first, then the arguments or the rule that it turns on."""
    says: str
    """One sentence, without any text of the conversation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """What went wrong."""

    cause: str
    """One of `PARTIES`."""
    step: int | None = None
    """The critical step: the first after which nothing recovered."""
    agent: str | None = None
    """Who made it; None where it is no agent's, or no agent has a name."""
    about: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()


def settle(found: Sequence[Evidence], turns: Sequence[Turn], *, changed: bool) -> Cause:
    """The cause that the evidence speaks for; `changed` says what is known where none does."""
    scores = scores_of(found, turns)
    if scores:
        step = max(scores, key=lambda one: (scores[one], -one))
    elif turns:
        step = turns[0].step
    else:
        return Cause(cause=CHANGED if changed else NO_CHANGE)
    ranked = sorted(found, key=lambda one: (-one.weight, one.step, one.name))
    mine = [one for one in ranked if one.step == step]
    cause = mine[0].cause if mine else CHANGED if changed else NO_CHANGE
    agents = {turn.step: turn.agent for turn in turns}
    return Cause(
        cause=cause,
        step=step,
        agent=None if PARTIES[cause] in NOBODYS else agents.get(step),
        about=mine[0].about if mine else (),
        evidence=tuple(ranked[:KEPT]),
    )


def scores_of(found: Sequence[Evidence], turns: Sequence[Turn]) -> dict[int, float]:
    """The sum of the evidence per step that has any; a later turn needs more."""
    order = {turn.step: turn.order for turn in turns}
    scores: defaultdict[int, float] = defaultdict(float)
    for one in found:
        scores[one.step] += one.weight
    return {s: total - LATER * math.log1p(order.get(s, 0)) for s, total in scores.items()}
