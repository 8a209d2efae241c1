"""How far reviewers agree with one another, beside how far rubrics agree with reviewers and with users.

Comes in: labels by episode and reviewer, tasks as they stand, attempts that were left out once. Goes out: `Row`s of a table with Cohen's
kappa.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from dagster_project.review.entry import Entry
from dagster_project.review.review import LABELS, Review
from dagster_project.tasks.agreement import HeldOut
from dagster_project.tasks.shares import interval, kappa, says_resolved


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """How far two judges agree."""

    who: str
    both: int
    """Attempts that both judged."""
    same: int
    kappa: float | None
    """Cohen's kappa; None where nothing was judged by both, or where they can only say one thing."""
    low: float
    high: float
    """95 % interval (Wilson) of the share that they judge alike."""


def agreement_rows(
    *,
    labels: Iterable[Mapping[str, Review]],
    entries: Iterable[Entry],
    held_out: Iterable[HeldOut],
) -> tuple[list[Row], list[Row]]:
    """The rows on reviewers with one another, and those on rubrics with reviewers and with users."""
    pairs = between_reviewers(labels)
    together = all_reviewers(pairs)
    return (
        pairs if together is None else [*pairs, together],
        [rubrics_with_reviewers(entries), rubrics_with_users(held_out)],
    )


def between_reviewers(labels: Iterable[Mapping[str, Review]]) -> list[Row]:
    """Each two reviewers who labelled an attempt both, the most attempts first; “cannot tell” is a judgement as well."""
    said: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for by_person in labels:
        for one, other in combinations(sorted(by_person), 2):
            pair = (by_person[one].value, by_person[other].value)
            said.setdefault((one, other), []).append(pair)
    rows = [_row(f"{one} and {other}", pairs) for (one, other), pairs in said.items()]
    return sorted(rows, key=lambda row: (-row.both, row.who))


def all_reviewers(rows: Sequence[Row]) -> Row | None:
    """The mean over several pairs of reviewers, each counted by its attempts; None for a single pair."""
    known = [(row.kappa, row.both) for row in rows if row.kappa is not None]
    if len(rows) < 2:
        return None
    both, same = sum(row.both for row in rows), sum(row.same for row in rows)
    low, high = interval(same, both)
    weight = sum(count for _, count in known)
    mean = sum(kappa * count for kappa, count in known) / weight if weight else None
    return Row(who="All pairs of reviewers", both=both, same=same, kappa=mean, low=low, high=high)


def rubrics_with_reviewers(entries: Iterable[Entry]) -> Row:
    """The rubrics in force beside the labels that reviewers agree on, where both say something."""
    pairs = [
        (f"{label}", f"{said}")
        for entry in entries
        for graded in entry.attempts
        if (label := LABELS.get(graded.said or "")) is not None
        and graded.verdict is not None
        and (said := says_resolved(graded.verdict.predicted)) is not None
    ]
    return _row("Rubrics with reviewers", pairs)


def rubrics_with_users(held_out: Iterable[HeldOut]) -> Row:
    """Rubrics made without an attempt beside what its user got, from the last build."""
    graded = [one for one in held_out if one.witness and one.says is not None]
    return _row("Rubrics with users", [(f"{one.resolved}", f"{one.says}") for one in graded])


def _row(who: str, pairs: Sequence[tuple[str, str]]) -> Row:
    same = sum(one == other for one, other in pairs)
    low, high = interval(same, len(pairs))
    return Row(who=who, both=len(pairs), same=same, kappa=kappa(pairs), low=low, high=high)
