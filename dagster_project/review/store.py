"""Reviews in the lake: appended as they are made, read back in order of time.

Comes in: reviews. Goes out: what holds now, per episode, task and check. Its stamp tells the build that people said something new.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Final

import pyarrow as pa

from dagster_project.lake.digests import hash_of
from dagster_project.lake.freshness import made_of
from dagster_project.lake.rows import from_rows
from dagster_project.lake.store import Lake
from dagster_project.lake.tables import Stamp, deduplicate
from dagster_project.review.review import (
    CAUSE,
    CHECK,
    DECISION,
    LABEL,
    LABELS,
    RUBRIC,
    Review,
    with_id,
)
from dagster_project.review.tables import REVIEWS
from synth.failures.causes import PARTIES

ASSET: Final = "reviews"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviews:
    """What the people of one app said, in order of time."""

    everything: tuple[Review, ...] = ()
    labels: dict[str, dict[str, Review]] = field(default_factory=dict)
    """The latest label of each reviewer, by episode and reviewer."""
    rubrics: dict[str, Review] = field(default_factory=dict)
    """The latest rubric review of each task."""
    decisions: dict[str, Review] = field(default_factory=dict)
    """The latest decision on each task."""
    checks: dict[str, dict[str, Review]] = field(default_factory=dict)
    """Accepted checks by task and check id."""
    causes: dict[str, dict[str, Review]] = field(default_factory=dict)
    """The latest cause of each reviewer, by episode and reviewer."""

    def label_of(self, episode_id: str) -> str | None:
        """What the reviewers of an episode say together; None while nobody did, `differ` where they do."""
        said = {review.value for review in self.labels.get(episode_id, {}).values()}
        return next(iter(said)) if len(said) == 1 else "differ" if said else None

    def history(self, task_id: str) -> list[Review]:
        """All that was said about one task, the latest first."""
        return [review for review in reversed(self.everything) if review.task_id == task_id]


def keep(lake: Lake, reviews: Iterable[Review]) -> list[Review]:
    """Append reviews and note that there are new ones; the same review twice is one."""
    fresh = [with_id(review) for review in reviews]
    rows = pa.Table.from_pylist([asdict(review) for review in fresh], schema=REVIEWS.schema)
    lake.append(REVIEWS, rows)
    for app in sorted({review.app for review in fresh}):
        _stamp(lake, app)
    return fresh


def _stamp(lake: Lake, app: str) -> None:
    ids = [review.review_id for review in _read(lake, app)]
    lake.stamp(
        ASSET,
        [
            Stamp(
                asset=ASSET,
                app=app,
                day="",
                digest=hash_of(*sorted(ids)),
                made_of=made_of(app),
                rows=len(ids),
            )
        ],
    )


def reviews_of(lake: Lake, app: str) -> Reviews:
    """Everything the people of an app said, and what of it holds now."""
    everything = _read(lake, app)
    labels: dict[str, dict[str, Review]] = {}
    checks: dict[str, dict[str, Review]] = {}
    causes: dict[str, dict[str, Review]] = {}
    for review in everything:
        if review.kind == LABEL and review.value in LABELS:
            labels.setdefault(review.episode_id, {})[review.by] = review
        if review.kind == CHECK:
            checks.setdefault(review.task_id, {})[review.value] = review
        if review.kind == CAUSE and review.value in {*PARTIES, ""}:
            causes.setdefault(review.episode_id, {})[review.by] = review
    return Reviews(
        everything=tuple(everything),
        labels=labels,
        rubrics={r.task_id: r for r in everything if r.kind == RUBRIC},
        decisions={r.task_id: r for r in everything if r.kind == DECISION},
        checks=checks,
        causes=causes,
    )


def _read(lake: Lake, app: str) -> Sequence[Review]:
    rows = deduplicate(lake.read(REVIEWS, app=app), REVIEWS).to_pylist()
    return sorted(from_rows(Review, rows), key=lambda review: (review.at, review.review_id))
