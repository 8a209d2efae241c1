"""The queue: which tasks a person should look at, and in which order.

Comes in: tasks as they stand. Goes out: items, the most urgent first: what waits for a person, then what people and
rubrics disagree about, then reviews that are out of date, then the audited share of what nobody doubts.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from dagster_project.review.entry import Entry
from dagster_project.review.feedback import STALE, review_note
from dagster_project.review.review import LABELS
from dagster_project.review.store import Reviews
from dagster_project.review.trust import Trust, audited, trust
from dagster_project.tasks.shares import says_resolved
from environments.verify import ACCEPTED, NEEDS_REVIEW

NEEDS: Final = "needs review"
DIFFER: Final = "reviewers differ"
DISAGREE: Final = "rubric and outcome differ"
OLD: Final = "review is stale"
AUDIT: Final = "audit"
WHY: Final = {
    NEEDS: "The gate could not decide alone.",
    DIFFER: "Two reviewers say different things about an episode of this task.",
    DISAGREE: "The rubric says something else than what the user got.",
    OLD: "The derived rubric changed after a person replaced it.",
    AUDIT: "Drawn for the share that people keep looking at.",
}
"""Reasons to look, in order of urgency, each as a sentence."""
ORDER: Final = tuple(WHY)


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueItem:
    """One task in the queue."""

    entry: Entry
    reasons: tuple[str, ...]
    """Why to look at it, from `ORDER`; empty where nothing asks for a person."""
    done: bool
    """A reviewer decided about this version, or said something that waits for the next build."""

    @property
    def rank(self) -> tuple[int, int, str]:
        """Sorts by urgency, then larger disagreements first."""
        first = ORDER.index(self.reasons[0]) if self.reasons else len(ORDER)
        return first, -disagreements(self.entry), self.entry.task_id


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustRow:
    """How far the rubrics of one app or failure cluster are trusted."""

    app: str
    cluster: str
    """Empty: the whole app."""
    tasks: int
    trust: Trust


def queue(entries: Iterable[Entry], reviews: dict[str, Reviews]) -> list[QueueItem]:
    """All tasks, those that need a person first."""
    everything = list(entries)
    shares = {row.app: row.trust.audit for row in trust_rows(everything) if not row.cluster}
    items = [_item(one, reviews[one.app], shares.get(one.app, 1.0)) for one in everything]
    return sorted(items, key=lambda item: (item.done, item.rank))


def _item(entry: Entry, reviews: Reviews, share: float) -> QueueItem:
    reasons: list[str] = []
    looked = any(graded.said is not None for graded in entry.attempts)
    decided = reviews.decisions.get(entry.task_id)
    settled = decided is not None and bool(decided.value) and decided.task_version == entry.version
    stale = STALE in entry.candidate.reasons
    if entry.status == NEEDS_REVIEW or stale:
        reasons.append(NEEDS)
    if any(graded.said == "differ" for graded in entry.attempts):
        reasons.append(DIFFER)
    if disagreements(entry):
        reasons.append(DISAGREE)
    if stale:
        reasons.append(OLD)
    if not reasons and entry.status == ACCEPTED and audited(entry.task_id, share):
        reasons.append(AUDIT)
    edited = bool(review_note(entry.candidate.rubric)) and entry.pending
    heard = looked and reasons in ([AUDIT], [])
    done = (settled or edited or entry.relabelled or heard) and not stale
    return QueueItem(entry=entry, reasons=tuple(reasons), done=done and DIFFER not in reasons)


def disagreements(entry: Entry) -> int:
    """Attempts whose verdict is not what their user or reviewer says."""
    return sum(
        (said := says_resolved(g.verdict.predicted)) is not None
        and g.resolved is not None
        and said != g.resolved
        for g in entry.attempts
        if g.verdict is not None
    )


def trust_rows(entries: Iterable[Entry]) -> list[TrustRow]:
    """The trust of each app and of each failure cluster in it, apps first."""
    groups: dict[tuple[str, str], list[bool]] = defaultdict(list)
    tasks: dict[tuple[str, str], int] = defaultdict(int)
    for entry in entries:
        keys = [(entry.app, "")] + ([(entry.app, entry.cluster)] if entry.cluster else [])
        found = compared(entry)
        for key in keys:
            tasks[key] += 1
            groups[key] += found
    rows = [
        TrustRow(
            app=app, cluster=cluster, tasks=tasks[app, cluster], trust=trust(groups[app, cluster])
        )
        for app, cluster in sorted(tasks)
    ]
    return sorted(
        rows, key=lambda r: (r.app, bool(r.cluster), -r.trust.reviewed, -r.tasks, r.cluster)
    )


def compared(entry: Entry) -> list[bool]:
    """For each episode that reviewers labelled alike and the rubric graded: whether they agree."""
    found: list[bool] = []
    for graded in entry.attempts:
        label = LABELS.get(graded.said or "")
        said = says_resolved(graded.verdict.predicted) if graded.verdict is not None else None
        if label is not None and said is not None:
            found.append(said == label)
    return found
