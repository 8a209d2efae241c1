"""The right end of a failed request from what a person did about it, as a plan that is run in the episode's world.

In: the calls of a correction and what the episode lets anybody know. Out: a plan; or why there is none: a call that the world
does not know or refuses, calls that change nothing, a value that nobody in the conversation could have known. Not here:
which corrections count (`corrections`), the gate.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import Final

from environments.runtime.task.attempt import UNKNOWN, Attempt, Json
from environments.runtime.values.normal import stable
from environments.runtime.views.multiplexed import Dispatched
from environments.verification.readable_values import leaves_of
from redact.records.clean_episode import WITHHELD
from synth.recordings.attempt_facts import Facts
from synth.recordings.known_values import KnownValues, plain_text
from synth.recordings.tool_kinds import ACT, READ, WRITE, ToolKinds
from synth.solutions.bindings import same_value
from synth.solutions.constructed_ends import Intents
from synth.solutions.corrections import Correction, Said
from synth.solutions.plans import Plan, Step, Unbound

OTHER_TOOL: Final = Unbound("correction_of_another_tool")
REFUSED: Final = Unbound("correction_refused")
NOT_KNOWN: Final = Unbound("correction_not_known")
NO_CHANGE: Final = Unbound("correction_changes_nothing")
NOT_SAID: Final = Unbound("correction_not_said")
ASKS_BESIDES: Final = Unbound("asks_something_besides")


class CorrectionPlanner:
    """Makes plans of an app's corrections."""

    def __init__(self, intents: Intents, kinds: ToolKinds, dispatched: Dispatched) -> None:
        self._intents = intents
        self._kinds = kinds
        self._dispatched = dispatched

    def plan(self, failed: Facts, said: Correction) -> Plan | Unbound:
        """The plan for one unresolved episode."""
        steps = [self._meant_step(step) for step in said.steps]
        tools = self._kinds.tools
        if any(step.tool not in tools for step in steps):
            return OTHER_TOOL
        changes = tuple(s for s in steps if tools[s.tool].kind != READ)
        if not any(tools[s.tool].kind in {WRITE, ACT} for s in changes):
            return NO_CHANGE
        knowledge = self._intents.knowledge(failed)
        alike = self._intents.ended_by(s.tool for s in changes)
        asked = sum(case.facts.asked for case in alike) if alike else 0
        if failed.asked and 2 * asked <= len(alike):
            return ASKS_BESIDES
        if not all(self._knowable(s, knowledge.known, changes) for s in changes):
            return NOT_SAID
        reads = tuple(s for s in steps if tools[s.tool].kind == READ)
        looked = {call.name for call in failed.recorded.attempt.calls}
        return Plan(
            steps=changes,
            told=(),
            reads=(*reads, *knowledge.found),
            looks=frozenset(looked | {s.tool for s in reads}),
            like=alike[0].facts if alike else failed,
            origin=said.outcome_ids,
            confidence=round(said.confidence, 4),
            source=said.by,
        )

    def agrees(self, plan: Plan, said: Said | None) -> bool:
        """Whether a plan from alike requests makes the same changes but for values that its user was given to choose."""
        if not isinstance(said, Correction):
            return False
        kinds = {n: t.kind for n, t in self._kinds.tools.items()}
        steps = [s for s in map(self._meant_step, said.steps) if kinds.get(s.tool) != READ]
        return Counter(self._comparable_call(s, plan) for s in steps) == Counter(
            self._comparable_call(s, plan) for s in plan.steps
        )

    def _comparable_call(self, step: Step, plan: Plan) -> tuple[str, str]:
        """A call without what its user chose and the agent's own words."""
        left = {*plan.supposed.get(step.tool, ()), *self._kinds.tools[step.tool].authored}
        return step.tool, stable({n: v for n, v in step.arguments.items() if n not in left})

    def _meant_step(self, step: Step) -> Step:
        """A call as agents make it, by what it means."""
        meant = self._dispatched.meaning_of(step.tool, step.arguments)
        return Step(tool=meant.tool, arguments=meant.arguments)

    def _knowable(self, step: Step, known: KnownValues, changes: Sequence[Step]) -> bool:
        """Whether every value that matters was said, or follows from what was said or read: a task's agent has no more."""
        authored = self._kinds.tools[step.tool].authored
        wanted = {n: v for n, v in step.arguments.items() if n not in authored}
        fields = _fields_of(known)
        signature = tuple(sorted(s.tool for s in changes))
        for name, value in wanted.items():
            bound = self._intents.bound(step, name, signature, known=known)
            if any(same_value(one, value) for one in bound):
                continue
            if not all(
                _was_told(leaf, known) or _is_only_value(leaf, fields)
                for _, leaf in leaves_of(value)
            ):
                return False
        return True


def fault_of_run(run: Attempt, plan: Plan) -> Unbound | None:
    """Why a plan's run in the world is no solution; None where all that it changes went through and is known."""
    wanted = {(step.tool, stable(step.arguments)) for step in plan.steps}
    made = [c for c in run.calls if (c.name, stable(c.arguments)) in wanted]
    if any(c.result.is_error and c.result.source != UNKNOWN for c in made):
        return REFUSED
    dark = any(c.result.source == UNKNOWN for c in made) or bool(run.end.unknown)
    if dark or len(made) < len(plan.steps):
        return NOT_KNOWN
    return None if run.end.effects or run.end.events else NO_CHANGE


def _was_told(leaf: Json, known: KnownValues) -> bool:
    """Whether the user said a value, or said yes to it."""
    if leaf is None or isinstance(leaf, bool) or leaf == WITHHELD:
        return False
    if leaf == known.subject:
        return True
    text = plain_text(str(leaf))
    pattern = re.compile(rf"(?<!\w){re.escape(text)}(?!\w)")
    return bool(text) and any(pattern.search(heard.text) for heard in known.meant_texts)


def _fields_of(known: KnownValues) -> list[set[str]]:
    """The values of each field of the records that were or can be read."""
    found: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for record in known.records:
        for path, leaf in record.leaves:
            found[record.tool, *path].add(stable(leaf))
    return list(found.values())


def _is_only_value(leaf: Json, fields: Iterable[Collection[str]]) -> bool:
    """Whether a value is the only one of its field in what was read: there is nothing to choose."""
    return leaf != WITHHELD and any(len(f) == 1 and stable(leaf) in f for f in fields)
