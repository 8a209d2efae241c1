"""Tasks with a reference answer: which attempts give it, and a solution that says it where nobody is known to have.

In: the attempts at one task and what people say that the right answer was. Out: the check on the final answer, the attempts with
those that give it labelled so, and a constructed attempt; or why there is none. Not here: how an answer is compared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce

from environments.runtime.checks.final_answer import turns_of
from environments.runtime.checks.view import View
from environments.runtime.play.environment import run_actions
from environments.runtime.task.attempt import Json
from environments.runtime.task.candidate import Action
from environments.runtime.task.rubric import Check
from environments.runtime.task.task import Task
from redact.records.clean_episode import REQUEST_REPLACED
from synth.attempts.constructed_attempts import BY
from synth.attempts.starts import Start
from synth.labels.label import Label
from synth.recordings.attempt_facts import Facts, facts_of
from synth.recordings.tool_kinds import WRITE, ToolKinds
from synth.rubric.references import (
    CONTRADICT,
    MAY_CHANGE,
    REFERENCE,
    UNKNOWABLE,
    Reference,
    answer_check,
    gives,
    join_references,
    stands_in_talk,
)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the final answer of a task must give."""

    reference: Reference
    check: Check | None
    """None where nothing can be asked for: `why_not` says why."""
    why_not: str = ""


def wanted_of(
    attempts: Sequence[Facts],
    references: Mapping[str, Reference],
    kinds: ToolKinds,
    *,
    language: str,
) -> Wanted | None:
    """What people say of the attempts at one task that the right answer was; None where they say nothing."""
    said = [references[a.episode_id] for a in attempts if a.episode_id in references]
    if not said:
        return None
    reference = reduce(join_references, said)
    if reference.contradicted:
        return Wanted(reference, None, CONTRADICT)
    talks = [a.recorded.attempt for a in attempts]
    untold = reference.replaced and not stands_in_talk(reference, talks)
    if untold or reference.is_withheld or _asks_else(attempts):
        return Wanted(reference, None, UNKNOWABLE)
    check = answer_check(reference, language=language, tools=kinds.terminal())
    return Wanted(reference, check)


def _asks_else(attempts: Sequence[Facts]) -> bool:
    """Whether redaction changed the question, and no tool shows the world in which the new one has the old answer."""
    changed = any(REQUEST_REPLACED in a.recorded.episode.completeness for a in attempts)
    return changed and not any(a.recorded.attempt.calls for a in attempts)


def label_by_answer(attempts: Sequence[Facts], wanted: Wanted | None) -> list[Facts]:
    """The attempts, of which those that nobody judged and that changed nothing are resolved where they give the answer, and not where they give another."""
    check = wanted.check if wanted is not None else None
    if wanted is None or check is None:
        return list(attempts)
    return [_label_by(a, wanted.reference, check) for a in attempts]


def _label_by(attempt: Facts, reference: Reference, check: Check) -> Facts:
    right = gives(check, attempt.recorded.attempt)
    judged = attempt.resolved is not None or _may_have_changed(attempt)
    if judged or right is None or not turns_of(View(attempt.recorded.attempt)):
        return attempt
    label = Label(
        resolved=right,
        confidence=reference.confidence,
        by=REFERENCE,
        provenance=reference.outcome_ids,
        reason="gives the reference" if right else "gives another answer",
    )
    return replace(attempt, label=label)


def _may_have_changed(attempt: Facts) -> bool:
    return bool(attempt.writes or attempt.failed or attempt.acts)


def why_no_answer(
    attempts: Sequence[Facts], wanted: Wanted, kinds: ToolKinds, offered: Sequence[str]
) -> str:
    """Why saying the reference is no solution of a request that nobody is known to have solved; empty where it is."""
    if wanted.check is None:
        return wanted.why_not
    writers = set(kinds.tools_of(WRITE))
    # What was not called may still be what the request needed.
    can_change = writers.intersection(offered) or any(
        name.partition("[")[0] in offered for name in writers
    )
    return MAY_CHANGE if can_change or any(map(_may_have_changed, attempts)) else ""


def answer_of(wanted: Wanted) -> tuple[Action, ...]:
    """The actions that answer: the reference itself, in no language's words."""
    return ({"role": "assistant", "content": wanted.reference.answers[0]},)


def said_in(task: Task, start: Start, attempt: Facts, wanted: Wanted, kinds: ToolKinds) -> Facts:
    """The constructed attempt that says the reference, in place of one that was recorded."""
    actions = answer_of(wanted)
    run = run_actions(task, start.world, actions)
    recorded = replace(attempt.recorded, attempt=run, actions=actions, unanswered=0)
    label = Label(
        resolved=True,
        confidence=wanted.reference.confidence,
        by=BY,
        provenance=wanted.reference.outcome_ids,
    )
    return facts_of(recorded, label, kinds)


def provenance_of(wanted: Wanted) -> dict[str, Json]:
    """Where the solution of a task comes from, as its provenance says."""
    return {"solution": REFERENCE, "outcomes": list[Json](wanted.reference.outcome_ids)}
