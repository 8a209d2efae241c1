"""What people say that they did about a failed request: the calls in the corrections of its outcomes.

In: clean outcomes and the outcome policy. Out: per episode the calls that make its right end, with who said so and how far to
trust it; or why nothing is taken. A correction counts only where it is JSON that names calls, and where a person or the
business says it: a model's opinion or a guess never does, a program's only where the policy counts it. Not here: whether the
world does these calls (`corrected_ends`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import Final

from environments.runtime.task.attempt import Json
from environments.runtime.values.literals import parse_json
from environments.runtime.values.normal import stable
from redact.readers.corrections import calls_in
from redact.records.clean_outcome import CleanOutcome
from synth.labels.label import statements_of
from synth.labels.policy import OutcomePolicy
from synth.solutions.plans import Step, Unbound

TAKEN: Final = ("reviewer", "business_record", "code")
"""Who may say which calls make the right end; whoever comes first here is named as the source."""
CONTRADICT: Final = Unbound("corrections_contradict")


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """The calls that would have resolved one episode, as agents make them."""

    steps: tuple[Step, ...]
    by: str
    """One of `TAKEN`."""
    outcome_ids: tuple[str, ...]
    confidence: float

    def same_calls(self, other: Correction) -> bool:
        """Whether another names the same calls in the same order."""
        return _keys(self) == _keys(other)


Said = Correction | Unbound
"""The calls that corrections name, or why they name none that can be taken."""


def corrections_of(outcomes: Iterable[CleanOutcome], policy: OutcomePolicy) -> dict[str, Said]:
    """Per episode what its corrections say together; episodes without one that names calls are not in it."""
    return statements_of(outcomes, partial(_said_correction, policy=policy), join_corrections)


def join_corrections(one: Said, other: Said) -> Said:
    """What two statements about one request say: the same calls, or nothing that can be taken."""
    if isinstance(one, Unbound) or isinstance(other, Unbound) or not one.same_calls(other):
        return CONTRADICT
    first = min(one, other, key=lambda c: TAKEN.index(c.by))
    return Correction(
        steps=first.steps,
        by=first.by,
        outcome_ids=(*one.outcome_ids, *other.outcome_ids),
        confidence=max(one.confidence, other.confidence),
    )


def _said_correction(outcome: CleanOutcome, policy: OutcomePolicy) -> Said | None:
    calls = calls_in(outcome.correction) if outcome.by in TAKEN else None
    if calls is None or policy.ignores(outcome):
        return None
    steps = tuple(Step(tool=call.name, arguments=_object(call.arguments)) for call in calls)
    return Correction(
        steps=steps,
        by=outcome.by,
        outcome_ids=(outcome.outcome_id,),
        confidence=1 - policy.noise_of(outcome),
    )


def _object(text: str) -> dict[str, Json]:
    parsed = parse_json(text)
    return parsed.value if parsed is not None and isinstance(parsed.value, dict) else {}


def _keys(correction: Correction) -> list[tuple[str, str]]:
    return [(step.tool, stable(step.arguments)) for step in correction.steps]
