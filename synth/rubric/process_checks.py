"""Checks on how it was done: the user agrees before a change, and what has to be looked up is looked up before it.

In: the accepted ends of one task, and what all attempts of the app do. Out: required checks for reward. Not here: process that is a rule
only because users do not forgive its lack (`habits`).
"""

from __future__ import annotations

from collections.abc import Sequence

from environments.runtime.checks.calls import before, confirmed
from environments.runtime.checks.view import View
from environments.runtime.task.attempt import Json
from environments.runtime.task.rubric import Check
from synth.recordings.traits import AppTraits
from synth.rubric.contrast import asks_first
from synth.rubric.ends import End
from synth.rubric.evidence import required_check


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
    says = "The user agrees before anything is changed."
    return [required_check("confirmed", args, says, good, check_id="consent", positive=False)]


def look_checks(accepted: Sequence[End], traits: AppTraits) -> list[Check]:
    """That changes come after the look-ups that every resolved attempt of the app made before its own, as who asks is asked for."""
    good = [a for end in accepted for a in end.good]
    if not any(a.writes for a in good):
        return []
    checks = []
    for number, looks in enumerate(sorted(map(sorted, traits.looks_first)), 1):
        args: dict[str, Json] = {
            "first": list[Json](looks),
            "then": list[Json](traits.kinds.tools_of("write")),
            "never": "pass",
        }
        strict: dict[str, Json] = {**args, "of_this": True}
        if all(before(strict, View(a.recorded.attempt), "")[0] == 1.0 for a in good):
            args = strict
        # A constructed attempt may hold nothing but the changes.
        if all(before(args, View(a.recorded.attempt), "")[0] == 1.0 for a in good):
            says = f"{' or '.join(looks)} comes before anything is changed."
            checks.append(
                required_check(
                    "before", args, says, good, check_id=f"looks_{number}", positive=False
                )
            )
    return checks
