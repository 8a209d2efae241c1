"""Solutions of requests that nobody resolved: what a person did, what alike requests got, or the reference said.

In: a group, its attempts, and what tells the right end. Out: a constructed attempt, or why there is none. Not here: how ends are found
(`constructed_ends`, `corrected_ends`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce

from environments.runtime.play.environment import run_actions
from environments.runtime.task.attempt import UNKNOWN, Attempt
from environments.runtime.task.candidate import Action
from environments.runtime.task.task import Task, UserTurn
from environments.runtime.task.tool_definition import function_of, name_of
from environments.runtime.values.normal import stable
from synth.attempts.constructed_attempts import BY, actions_of, asked_after, consent_to
from synth.attempts.grouping import Group
from synth.attempts.reference_answers import (
    Wanted,
    said_in,
    why_no_answer,
)
from synth.attempts.starts import Start
from synth.labels.label import Label
from synth.recordings.attempt_facts import Facts, facts_of
from synth.recordings.known_values import agreed_in
from synth.recordings.results import plain_attempt
from synth.recordings.tool_kinds import ToolKinds
from synth.solutions.constructed_ends import Intents
from synth.solutions.corrected_ends import NOT_SAID, OTHER_TOOL, CorrectionPlanner, fault_of_run
from synth.solutions.corrections import Correction, Said, join_corrections
from synth.solutions.plans import Plan, Unbound
from synth.task_parts import task_of, tools_of, with_consent


@dataclass(frozen=True, slots=True)
class Construction:
    """A constructed attempt, or why there is none."""

    facts: Facts | None = None
    plan: Plan | None = None
    turn: UserTurn | None = None
    failed: Facts | None = None
    places: tuple[int, ...] = ()
    """The user's turns before which `turn` comes."""
    why_not: str = ""
    start: Start | None = None
    """Where the task begins, with what is believed of the calls that make it right."""


@dataclass(frozen=True, slots=True)
class Makers:
    """What tells the right ends of failed requests."""

    intents: Intents
    corrected: CorrectionPlanner
    corrections: Mapping[str, Said]

    def said_correction(self, attempts: Iterable[Facts]) -> tuple[Facts | None, Said | None]:
        """What people say that they did about a request, with the first attempt of which they say it."""
        told = [a for a in attempts if a.episode_id in self.corrections]
        said = [self.corrections[a.episode_id] for a in told]
        return (told[0], reduce(join_corrections, said)) if told else (None, None)


def construct(
    group: Group, attempts: Sequence[Facts], makers: Makers, start: Start, kinds: ToolKinds
) -> Construction | None:
    """A solution of a request that nobody resolved: what a person did, else what alike requests got."""
    if any(a.resolved for a in attempts):
        return None
    unresolved = [a for a in attempts if a.resolved is False]
    why_not = ""
    about, said = makers.said_correction(unresolved)
    if about is not None and said is not None:
        plan = makers.corrected.plan(about, said) if isinstance(said, Correction) else said
        if isinstance(plan, Plan):
            made, run = _construct_from_plan(plan, group, about, start=start, kinds=kinds)
            plan = fault_of_run(run, plan) or plan
            if isinstance(plan, Plan):
                return made
        if plan not in {OTHER_TOOL, NOT_SAID}:
            # Whoever did it knows better than requests that look alike.
            return Construction(why_not=plan.reason)
        why_not = plan.reason
    for failed in that_say_most(unresolved):
        plan = makers.intents.construct(failed)
        if isinstance(plan, Unbound):
            why_not = why_not or plan.reason
            continue
        if why_not == NOT_SAID.reason and not makers.corrected.agrees(plan, said):
            continue
        return _construct_from_plan(plan, group, failed, start=start, kinds=kinds)[0]
    return Construction(why_not=why_not) if why_not else None


def that_say_most(attempts: Sequence[Facts]) -> Sequence[Facts]:
    """Attempts at one request: those whose user corrected the agent when asked to agree, where there are such.

    It is one user: what they corrected in one attempt is what they want in all, also where another agent never asked.
    """
    return [one for one in attempts if agreed_in(one.recorded) == (True, False)] or attempts


def construct_answer(
    group: Group, attempts: Sequence[Facts], wanted: Wanted, start: Start, kinds: ToolKinds
) -> Construction | None:
    """A solution that says the reference, of a request that nobody is known to have resolved."""
    if any(a.resolved for a in attempts):
        return None
    offered = [name_of(function_of(tool)) for tool in tools_of(group)]
    why_not = why_no_answer(attempts, wanted, kinds, offered)
    if why_not:
        return Construction(why_not=why_not)
    shown = next((a for a in attempts if a.resolved is False), attempts[0])
    task = task_of("", group, shown.recorded, kinds=kinds, start=start)
    return Construction(said_in(task, start, shown, wanted, kinds), failed=shown)


def _construct_from_plan(
    plan: Plan, group: Group, failed: Facts, *, start: Start, kinds: ToolKinds
) -> tuple[Construction, Attempt]:
    """The constructed attempt of a plan, and its run."""
    turn = consent_to(plan, failed, kinds)
    places = asked_after(failed, kinds, changes=len(plan.steps))
    task = task_of("", group, failed.recorded, kinds=kinds, start=start)
    task = with_consent(task, turn, places, plan.answers)
    steps = actions_of(plan, failed, kinds)
    actions = tuple(map(start.world.dispatched.as_asked, steps))
    begins, attempt = _played(task, actions, plan, start)
    told = plain_attempt(start.world, attempt)
    recorded = replace(failed.recorded, attempt=told, actions=actions, unanswered=0)
    label = Label(resolved=True, confidence=plan.confidence, by=BY, provenance=plan.origin)
    made = facts_of(recorded, label, kinds)
    return Construction(made, plan, turn, failed, places, start=begins), attempt


def _played(
    task: Task, actions: Sequence[Action], plan: Plan, start: Start
) -> tuple[Start, Attempt]:
    """The solution's run; where the world knows everything but whether a change succeeds, alike users' success counts."""
    attempt = run_actions(task, start.world, actions)
    steps = {(step.tool, stable(step.arguments)) for step in plan.steps}
    dark = {(c.name, stable(c.arguments)) for c in attempt.calls if c.result.source == UNKNOWN}
    if not dark or not dark <= steps or plan.chose_a_record:
        return start, attempt
    believing = start.believing(plan)
    again = run_actions(replace(task, start=believing.start), start.world, actions)
    known = all(c.result.source != UNKNOWN for c in again.calls)
    return (believing, again) if known else (start, attempt)
