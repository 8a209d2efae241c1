"""What the build makes of reviews: outcomes by reviewers, rubrics in place of derived ones, settled doubts.

Comes in: reviews and what synthesis and the gate made without them. Goes out: the same records with people's word in them. A person can
settle a doubt of the gate, never an exploit.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from dagster_project.lake.store import Lake
from dagster_project.review.review import ACCEPT, LABELS, REJECT, Review
from dagster_project.review.store import Reviews, reviews_of
from dagster_project.tasks.verification import VerifiedTask
from environments.runtime.task.candidate import Candidate
from environments.runtime.task.rubric import Rubric
from environments.runtime.values.canonical import digest, rubric_hash
from environments.verification.judge_checks import UNASKED
from environments.verification.probe import BELOW
from environments.verify import ACCEPTED, NEEDS_REVIEW, REJECTED
from redact.records.clean_outcome import CleanOutcome
from redact.records.clean_rows import clean_outcome_from_row
from synth.labels.policy import OutcomePolicy, OutcomeRule
from synth.rubric.policy_rules import asked_of_a_judge

OUTCOME: Final = "reviewer_label"
"""The outcome name of a reviewer's label."""
STALE: Final = "review_is_stale"
"""Reason: what the reviewed rubric replaced is not what is derived now."""
REVIEWED: Final = "reviewed"
"""Reason: a reviewer settled the gate's doubts about this version."""
LEFT_OUT: Final = "left_out_by_reviewer"


def reviewer_outcomes(lake: Lake, app: str) -> list[CleanOutcome]:
    """The labels of reviewers as outcomes; two reviewers who differ said it at one time, so that neither wins."""
    found: list[CleanOutcome] = []
    for episode_id, by_person in sorted(reviews_of(lake, app).labels.items()):
        votes = [review for review in by_person.values() if LABELS[review.value] is not None]
        latest = max((review.at for review in votes), default=0)
        found += [_outcome(review, episode_id, latest) for review in votes]
    return found


def _outcome(review: Review, episode_id: str, at: int) -> CleanOutcome:
    return clean_outcome_from_row(
        {
            "app": review.app,
            "outcome_id": digest([OUTCOME, review.app, episode_id, review.by])[:32],
            "episode_id": episode_id,
            "name": OUTCOME,
            "value": 1.0 if LABELS[review.value] else 0.0,
            "by": "reviewer",
            "at": at,
            "source": "review",
        }
    )


def with_reviewers(policy: OutcomePolicy) -> OutcomePolicy:
    """The outcome policy, which a reviewer's label is always known to."""
    rules = {**policy.rules, OUTCOME: OutcomeRule(good=">= 0.5")}
    return replace(policy, rules=rules)


def with_rubrics(candidates: Iterable[Candidate], reviews: Reviews) -> list[Candidate]:
    """The derived candidates with the rubrics that reviewers put in place."""
    return [with_rubric(one, reviews.rubrics.get(one.task.task_id)) for one in candidates]


def with_rubric(candidate: Candidate, review: Review | None) -> Candidate:
    """One candidate with its reviewed rubric; where another one is derived by now, the review is stale."""
    rubric = None if review is None else review.rubric
    if review is None or rubric is None:
        return candidate
    derived = derived_hash(candidate.rubric)
    stale = review.base != derived
    note: dict[str, Any] = {
        "by": review.by,
        "at": review.at,
        "derived": derived,
        "stale": stale,
        # A reworded check grades as it did: it is the same kind of check.
        "own": _hash_of_checks(rubric) != derived,
        "note": review.note,
    }
    if "written" in review.content:
        note["written"] = review.content["written"]
    edited = replace(rubric, evidence={**candidate.rubric.evidence, "review": note})
    reasons = tuple(reason for reason in candidate.reasons if reason != STALE)
    return replace(candidate, rubric=edited, reasons=(*reasons, STALE) if stale else reasons)


def derived_hash(rubric: Rubric) -> str:
    """The hash of the derived rubric that this one is, or stands in the place of."""
    note = review_note(rubric)
    return str(note["derived"]) if "derived" in note else _hash_of_checks(rubric)


def _hash_of_checks(rubric: Rubric) -> str:
    """Rules that only a judge answers are no part of it: they come and go with the judge, and make no review stale."""
    kept = tuple(check for check in rubric.checks if not asked_of_a_judge(check))
    return rubric_hash(replace(rubric, checks=kept))


def review_note(rubric: Rubric) -> Mapping[str, Any]:
    """Who reviewed a rubric and when; empty for a derived one."""
    note = rubric.evidence.get("review")
    return note if isinstance(note, dict) else {}


def with_decisions(found: Iterable[VerifiedTask], reviews: Reviews) -> list[VerifiedTask]:
    """The gate's verdicts with the decisions of reviewers on the same task versions."""
    return [with_decision(one, reviews.decisions.get(one.task_id)) for one in found]


def with_decision(one: VerifiedTask, decision: Review | None) -> VerifiedTask:
    """One verdict with the reviewer's decision; an accepted exploit stays what it is."""
    if decision is None or decision.task_version != one.task_version:
        return one
    if decision.value == REJECT:
        why = tuple(reason for reason in one.reasons if reason != LEFT_OUT)
        return replace(one, status=REJECTED, reasons=(LEFT_OUT, *why))
    if decision.value != ACCEPT or not can_accept(one):
        return one
    judged = set(decision.content.get("probes", ()))
    if any(name not in judged for name in doubts_of(one)):
        return one
    probes = tuple(
        {**p, "void": True, "passed": True, "why": "a reviewer judged that it ends as well"}
        if p["name"] in judged and p["expected"] == BELOW and not p["passed"]
        else p
        for p in one.probes
    )
    return replace(one, status=ACCEPTED, reasons=(REVIEWED,), probes=probes)


def can_accept(one: VerifiedTask) -> bool:
    """Whether a person may settle it: its good attempt is paid in full, and no attack is."""
    good = bool(one.probes) and bool(one.probes[0]["passed"])
    return one.status == NEEDS_REVIEW and good and not {STALE, UNASKED} & set(one.reasons)


def doubts_of(one: VerifiedTask) -> list[str]:
    """Probes that were paid although they differ from the good attempt: true equivalents, or holes."""
    return [
        str(probe["name"])
        for probe in one.probes
        if probe["in_gate"] and not probe["passed"] and probe["expected"] == BELOW
    ]


def undecided(known: Mapping[str, VerifiedTask]) -> dict[str, VerifiedTask]:
    """Verdicts of the gate alone: those a person decided are taken afresh, for the decision may be taken back."""
    decided: Sequence[str] = (REVIEWED, LEFT_OUT)
    return {key: one for key, one in known.items() if not set(decided) & set(one.reasons)}
