"""Checks on how it was done: the user agrees before a change, and what has to be looked up is looked up before it.

In: the accepted ends of one task, and what all attempts of the app do. Out: required checks for reward. Not here: process that is a rule
only because users do not forgive its lack (`habits`).
"""

from __future__ import annotations

from collections.abc import Sequence

from environments.runtime.checks.calls import before, confirmed, parts_asked
from environments.runtime.checks.view import View
from environments.runtime.task.attempt import Json
from environments.runtime.task.rubric import Check
from synth.recordings.attempt_facts import Facts
from synth.recordings.traits import AppTraits
from synth.rubric.contrast import asks_first
from synth.rubric.ends import End
from synth.rubric.evidence import MANY_READS, required_check


def consent_checks(accepted: Sequence[End], traits: AppTraits) -> list[Check]:
    """That the user agrees before each change that this app asks about, where every resolved attempt waits for it."""
    tools = set(traits.asked_before)
    good = [a for end in accepted for a in end.good if any(t in tools for t, _ in a.writes)]
    args: dict[str, Json] = {"tools": list[Json](traits.asked_before)}
    if not good or not all(asks_first(a, traits) for a in good):
        return []
    if all(
        confirmed({**args, "named": True}, View(a.recorded.attempt), "")[0] == 1.0 for a in good
    ):
        args["named"] = True
    return [required_check("confirmed", args, good, check_id="consent", positive=False)]


def look_checks(accepted: Sequence[End], traits: AppTraits) -> list[Check]:
    """That changes come after the look-ups that every resolved attempt of the app made before its own, and all that came after a tool that the instructions name."""
    good = [a for end in accepted for a in end.good]
    checks = []
    writers = traits.kinds.tools_of("write")
    looks_first = sorted(map(sorted, traits.looks_first)) if any(a.writes for a in good) else []
    orders = [
        *((looks, writers) for looks in looks_first),
        *(
            ([first], sorted(late))
            for first, late in traits.named_first.items()
            if all(any(c.name == first for c in a.recorded.attempt.calls) for a in good)
        ),
    ]
    for number, (looks, then) in enumerate(orders, 1):
        args: dict[str, Json] = {
            "first": list[Json](looks),
            "then": list[Json](then),
            "never": "pass",
        }
        strict: dict[str, Json] = {**args, "of_this": True}
        if all(before(strict, View(a.recorded.attempt), "")[0] == 1.0 for a in good):
            args = {**strict, "asked": list[Json](_asked_of(looks, good))}
        # A constructed attempt may hold nothing but the changes.
        if all(before(args, View(a.recorded.attempt), "")[0] == 1.0 for a in good):
            checks.append(
                required_check("before", args, good, check_id=f"looks_{number}", positive=False)
            )
    return checks


def _asked_of(looks: Sequence[str], good: Sequence[Facts]) -> list[str]:
    """Words and numbers that resolved attempts asked these tools for."""
    calls = (c for a in good for c in a.recorded.attempt.calls if c.name in looks)
    return sorted({part for call in calls for part in parts_asked(call)})[:MANY_READS]
