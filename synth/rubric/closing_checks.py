"""Checks on the last messages: no other fact or name in the place of those that resolved attempts tell, and something is said after the last call.

In: the accepted ends of one task. Out: required checks for reward.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

from environments.runtime.checks.closing import parts_said
from environments.runtime.checks.view import View
from environments.runtime.task.attempt import Json
from environments.runtime.task.rubric import Check
from environments.runtime.values.denials import denied_clauses, stated_clauses
from environments.runtime.values.facts import TIME
from synth.recordings.attempt_facts import Facts
from synth.recordings.traits import AppTraits
from synth.recordings.vocabularies import told_names
from synth.rubric.ends import End
from synth.rubric.evidence import at_end, required_check
from synth.rubric.facts.forms import ENGLISH
from synth.rubric.facts.told_facts import fact_args

MOST_WORDS: Final = 25
"""Words of resolved attempts' answers that a denial is compared with; of longer ones some word stands in every denial."""


def closing_checks(accepted: Sequence[End], after: str) -> list[Check]:
    """Per accepted end: that what is said at the end contradicts nothing that its resolved attempts told.

    Times are left out: of hours that are free or taken, good attempts tell others.
    """
    checks = []
    for number, end in enumerate(accepted, 1):
        told = [
            fact
            for one in (a.told_facts for a in end.good)
            for fact in (*one.new, *one.repeated, *one.groundless)
            if fact.specific and fact.kind != TIME
        ]
        if told:
            facts = [{**fact, "forms": []} for fact in fact_args(told, ENGLISH)]
            args: dict[str, Json] = {**at_end(after, number), "facts": list[Json](facts)}
            checks.append(_closing("closing_facts", args, end, f"closing_{number}"))
    return checks


def _closing(fn: str, args: Mapping[str, Json], end: End, check_id: str) -> Check:
    return required_check(fn, args, end.good, check_id=check_id, positive=False)


def denial_checks(accepted: Sequence[End], after: str) -> list[Check]:
    """Per accepted end with something done or found out: that no answer denies what its resolved attempts tell, none of which denies anything."""
    checks = []
    for number, end in enumerate(accepted, 1):
        said = [View(a.recorded.attempt).stated for a in end.good]
        told = all(a.writes or a.told_facts.new for a in end.good)
        words = {w for text in said for c in stated_clauses(text) for w in parts_said(c)}
        if told and 0 < len(words) <= MOST_WORDS and not any(map(denied_clauses, said)):
            args: dict[str, Json] = {**at_end(after, number), "words": list[Json](sorted(words))}
            checks.append(_closing("denies_nothing", args, end, f"denies_nothing_{number}"))
    return checks


def closing_names(accepted: Sequence[End], traits: AppTraits, after: str) -> list[Check]:
    """Per accepted end: that no other name is told at the end in the place of those that every resolved attempt tells there."""
    checks = []
    for number, end in enumerate(accepted, 1):
        for place, (right, others) in enumerate(_names_in_place(end, traits), 1):
            args: dict[str, Json] = {
                **at_end(after, number),
                "right": list[Json](right),
                "others": list[Json](others),
            }
            checks.append(_closing("closing_words", args, end, f"names_{number}_{place}"))
    return checks


def _names_in_place(end: End, traits: AppTraits) -> list[tuple[list[str], list[str]]]:
    """The names that every resolved attempt at an end tells last, with those that may stand in their place."""
    found: dict[frozenset[str], set[str]] = defaultdict(set)
    said = [View(a.recorded.attempt).stated for a in end.good]
    for names in traits.vocabularies:
        told = [told_names(text, names) for text in said]
        if frozenset.intersection(*told):
            right = frozenset[str]().union(*told)
            found[right] |= names - right
    return sorted((sorted(right), sorted(others)) for right, others in found.items() if others)


def spoke_checks(accepted: Sequence[End], traits: AppTraits) -> list[Check]:
    """That something is said after the last call, where every resolved attempt does so; a hand-over may come last."""
    good = [a for end in accepted for a in end.good]
    if not all(_closes(a) for a in good):
        return []
    acts = list[Json](sorted({*traits.kinds.tools_of("act"), *traits.kinds.terminal()}))
    args: dict[str, Json] = {"after_calls": True, "unless": acts}
    return [required_check("spoke", args, good, check_id="closes", positive=False)]


def _closes(attempt: Facts) -> bool:
    whole = attempt.recorded.attempt
    last = max((c.message for c in whole.calls), default=-1)
    return any(
        m.get("role") == "assistant" and m.get("content") and not m.get("tool_calls")
        for m in whole.messages[max(last + 1, whole.opening) :]
    )
