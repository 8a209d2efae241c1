"""Resolved attempts as examples: what was known, and how it ended.

In: the facts of a resolved attempt. Out: its end (changes and acts, or what was told) with what was known when each change
was made. Not here: which of them are alike (`intents`), what another episode's end would be (`constructed_ends`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from environments.runtime.task.attempt import Json
from synth.recordings.attempt_facts import Facts
from synth.recordings.known_values import KnownValues, asks, heard_before, known_of, said_before
from synth.recordings.tool_kinds import ACT, WRITE, ToolKinds
from synth.solutions.plans import Step

ANSWER: Final = ""
"""The tool's name under which a told value is bound."""

DECLINED: Final = "!"
"""What stands for an end in which nothing is changed and no value told, but that it cannot be done."""

Signature = tuple[str, ...]
"""The changing calls and acts of an end, by tool, and `ANSWER` once per value told; or `DECLINED` alone."""


@dataclass(frozen=True, slots=True)
class End:
    """How an attempt ended."""

    steps: tuple[Step, ...]
    told: tuple[Json, ...]
    declined: bool = False
    sure: bool = True
    """Whether all its changes were made, or are known to succeed."""

    @property
    def signature(self) -> Signature:
        """What kind of end it is."""
        if self.declined and not self.steps and not self.told:
            return (DECLINED,)
        return (*sorted(step.tool for step in self.steps), *(ANSWER for _ in self.told))


@dataclass(frozen=True, slots=True)
class Case:
    """One resolved attempt."""

    facts: Facts
    known: KnownValues
    end: End
    before: tuple[KnownValues, ...] = ()
    """What was known when each change of the end was made."""


def case_of(attempt: Facts, kinds: ToolKinds) -> Case:
    """One resolved attempt."""
    changing = {*kinds.tools_of(WRITE), *kinds.tools_of(ACT)}
    calls = [
        c for c in attempt.recorded.attempt.calls if c.name in changing and not c.result.is_error
    ]
    steps = tuple(Step(tool=c.name, arguments=c.arguments) for c in calls)
    told = tuple(sorted(attempt.answers, key=str)) if not calls else ()
    known = known_of(attempt.recorded, kinds)
    before = tuple(
        replace(
            known,
            said=said_before(attempt.recorded, c.message),
            heard=heard_before(attempt.recorded, c.message),
        )
        for c in calls
    )
    # Who did not agree was not refused, whatever words the agent closed with.
    declined = attempt.declines and known.agreed is not False
    return Case(attempt, known, End(steps, told, declined), before)


def before_agreeing(case: Case) -> KnownValues:
    """What a resolved episode knew before its user was first asked to agree."""
    messages = case.facts.recorded.attempt.messages
    asked = next((i for i, m in enumerate(messages) if asks(m)), len(messages))
    said, heard = (
        said_before(case.facts.recorded, asked),
        heard_before(case.facts.recorded, asked),
    )
    return replace(case.known, said=said, heard=heard, agreed=None, at_once=None)
