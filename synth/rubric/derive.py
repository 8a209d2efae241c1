"""The rubric of one task, from the facts of its attempts.

In: facts and tool kinds. Out: checks with support and origin, the attempt whose actions solve the task, and reasons
why it cannot be accepted as it stands. Agreement rests on the end state and the facts told; reward adds positive
evidence (where nothing should change) and caps against telling or calling everything.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from environments.runtime.checks.ground import written_without_ground
from environments.runtime.checks.table import score_of
from environments.runtime.checks.view import View
from environments.runtime.task.attempt import EndState, Json
from environments.runtime.task.rubric import AGREEMENT, REWARD, SHARE, Check, Rubric
from environments.runtime.values.facts import ID, folded
from synth.recordings.attempt_facts import Facts
from synth.recordings.tool_kinds import ToolKinds
from synth.recordings.traits import AppTraits
from synth.rubric.caps import cap_checks
from synth.rubric.closing_checks import (
    closing_checks,
    closing_names,
    denial_checks,
    spoke_checks,
)
from synth.rubric.contrast import contrast_checks
from synth.rubric.end_check import END, end_check, end_prediction
from synth.rubric.ends import End, ends_of
from synth.rubric.evidence import evidence_checks, origin_of
from synth.rubric.facts.told_facts import known_facts
from synth.rubric.habits import PREDICTED, habit_checks
from synth.rubric.process_checks import consent_checks, look_checks
from synth.rubric.references import OTHERWISE, ReferenceAnswers
from synth.rubric.text_checks import (
    NOTHING_BUT_WORDING,
    grounded_texts,
    nothing_but_wording,
    text_checks,
    wording_checks,
)
from synth.rubric.told_checks import (
    asked_value_checks,
    grounded_checks,
    told_some_checks,
    unlike_checks,
)
from synth.solutions.plans import Doubts


@dataclass(frozen=True, slots=True, kw_only=True)
class Derived:
    """What derivation found for one task."""

    rubric: Rubric
    solution: Facts | None
    """The resolved attempt that shows how it is done."""
    ends: tuple[End, ...]
    reasons: tuple[str, ...]


def derive_rubric(  # noqa: PLR0913 - all that a rubric is made of
    task_id: str,
    attempts: Sequence[Facts],
    traits: AppTraits,
    *,
    end_of: Callable[[Facts], EndState] | None = None,
    doubts: Doubts | None = None,
    wanted: Check | None = None,
) -> Derived:
    """Derive checks, solution and reasons from all attempts at one task; `end_of` re-runs one in the world.

    `doubts`: arguments of which nobody knows what the real user would have had. `wanted`: the check on the final answer, where people
    say what the right one is.
    """
    kinds = traits.kinds
    right = ReferenceAnswers(wanted, attempts)
    ends = ends_of(attempts, traits, also_excused=right.excused)
    accepted = [end for end in ends if end.accepted]
    paid = end_check(ends, traits, end_of)
    if right.is_asked and not any(a.writes for a in attempts):
        # A tool that may change something is a look-up where the right end is an answer.
        paid = replace(paid, args={**paid.args, "maybe": []})
    checks = [paid, end_prediction(paid, kinds, accepted, doubts or Doubts())]
    reasons: list[str] = []
    if accepted:
        written = [end.good for end in accepted]
        checks += _said_checks(accepted, traits, right)
        told = any(check.fn in {"told", "told_some"} for check in checks)
        answered = right.is_asked or any(check.fn == "told" and check.required for check in checks)
        checks += spoke_checks(accepted, traits)
        checks += consent_checks(accepted, traits)
        checks += look_checks(accepted, traits)
        evidence = evidence_checks(accepted, traits, told=answered, found_out=told)
        # Whoever gives the answer found it, by whichever look-ups.
        checks += (
            [c for c in evidence if c.fn != "read"] + right.looks if right.is_asked else evidence
        )
        checks += habit_checks([a for e in accepted for a in e.good], traits.missing, kinds)
        if len(accepted) == 1:
            checks += contrast_checks(accepted[0].good, traits)
        also = attempts if right.is_asked else ()
        checks += cap_checks(accepted, told=told, spread=traits.spread, also=also)
        checks += _change_checks(accepted[0], kinds)
        checks += unlike_checks(accepted, checks, END, traits.language)
        if not any(check.positive and check.required for check in checks):
            reasons.append("no_positive_evidence")
        if nothing_but_wording(written, traits):
            checks += wording_checks(written, traits)
            reasons.append(NOTHING_BUT_WORDING)
        if all(a.dirty for a in accepted[0].good):
            reasons.append("dirty_unknown")
        if right.is_doubtful:
            reasons.append(OTHERWISE)
    else:
        reasons.append("no_resolved_attempt" if not any(e.good for e in ends) else "doubtful_end")
    rubric = Rubric(task_id=task_id, checks=tuple(checks), evidence=_evidence(ends))
    solution = _solution(accepted[0], right, checks) if accepted else None
    return Derived(rubric=rubric, solution=solution, ends=tuple(ends), reasons=tuple(reasons))


def _solution(end: End, right: ReferenceAnswers, checks: Sequence[Check]) -> Facts:
    """The shortest complete resolved attempt that answers right and asks what has to be asked, with the policy document where one has it.

    Calls that name records that nothing showed before them teach guessing: the attempt with the fewest goes first.
    """
    asked = [c for c in checks if c.fn == "user_declines"]
    return min(
        end.good,
        key=lambda a: (
            right.answers_otherwise(a),
            any(score_of(c, View(a.recorded.attempt))[0] == 0.0 for c in asked),
            _guesses(a) if len(end.good) > 1 else 0,
            bool(a.recorded.unanswered),
            a.recorded.attempt.messages[0].get("role") != "system",
            len(a.recorded.actions),
            a.episode_id,
        ),
    )


def _guesses(attempt: Facts) -> int:
    """How many ids its calls name that nothing before them showed."""
    view = View(attempt.recorded.attempt)
    known = known_facts(folded("\n".join(attempt.recorded.episode.tools)))
    return sum(
        fact.kind == ID
        for call in view.attempt.calls
        if not call.by_user
        for value in call.arguments.values()
        if isinstance(value, str)
        for fact in written_without_ground(view, value, until=call.message, known=known)
    )


def _said_checks(
    accepted: Sequence[End], traits: AppTraits, right: ReferenceAnswers
) -> list[Check]:
    """What is told and written: the right answer where people say what it is, else what resolved attempts told."""
    definitions = folded("\n".join(_definitions(accepted)))
    written = [end.good for end in accepted]
    checks = [*right.checks]
    if not right.is_asked:
        checks += asked_value_checks(accepted, END, REWARD, traits.language)
        checks += asked_value_checks(accepted, PREDICTED, AGREEMENT, traits.language)
    if not right.is_asked or right.is_grounded:
        checks += grounded_checks(accepted, traits, definitions)
    checks += grounded_texts(written, traits, definitions)
    checks += text_checks(written, traits, END)
    if not right.is_asked:
        checks += told_some_checks(accepted, traits, END)
        checks += closing_checks(accepted, END)
        checks += closing_names(accepted, traits, END)
        checks += denial_checks(accepted, END)
    return checks


def _change_checks(end: End, kinds: ToolKinds) -> list[Check]:
    """One line per change, for a person and the share; the end state decides all-or-nothing."""
    return [
        Check(
            check_id=f"wrote_{number}",
            fn="wrote",
            args={"tool": tool, "arguments": arguments, "ignore": kinds.ignore(), "end": END},
            role=SHARE,
            support=len(end.good),
            origin=origin_of(end.good),
        )
        for number, (tool, arguments) in enumerate(sorted(end.good[0].writes), 1)
    ]


def _definitions(accepted: Sequence[End]) -> list[str]:
    tools = (text for end in accepted for a in end.good for text in a.recorded.episode.tools)
    return list(dict.fromkeys(tools))


def _evidence(ends: Sequence[End]) -> dict[str, Json]:
    return {
        "ends": [
            {
                "posterior": end.posterior,
                "resolved": [a.episode_id for a in end.good],
                "unresolved": [a.episode_id for a in end.bad],
                "accepted": end.accepted,
            }
            for end in ends
        ]
    }
