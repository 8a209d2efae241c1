"""Whose turn it is: what each reviewer of a team still has to look at, and what they do not see before they have.

Comes in: the queue, the team's plan and what people said. Goes out: the items of one reviewer, done or not.
A shared task is judged by two who do not see each other's word first: agreement of people who copy says nothing.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from dagster_project.review.entry import Entry
from dagster_project.review.queue import QueueItem
from dagster_project.review.review import DECISION, LABEL, RUBRIC
from dagster_project.review.store import Reviews
from dagster_project.review.team.plan import Team

WHOLE: Final = frozenset({DECISION, RUBRIC})
JUDGING: Final = WHOLE | {LABEL}


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One task in the queue of one reviewer."""

    item: QueueItem
    reviewers: tuple[str, ...]
    """Whose task it is; empty without a team."""
    mine: bool
    """It is this reviewer's, or nobody's in particular."""
    blind: bool
    """The other one's word is hidden until this reviewer has said theirs."""
    open: bool
    """It waits for this reviewer: as one of theirs, or of anybody's where they look at all tasks."""
    done: bool


def turns_of(
    items: Iterable[QueueItem], team: Team, author: str, reviews: Mapping[str, Reviews]
) -> list[Turn]:
    """The queue as one reviewer sees it, in the same order, what they are done with last."""
    said = {app: _JudgedReviews.from_reviews(found) for app, found in reviews.items()}
    turns = [_turn(item, team, author, said[item.entry.app]) for item in items]
    return sorted(turns, key=lambda turn: turn.done)


def _turn(item: QueueItem, team: Team, author: str, said: "_JudgedReviews") -> Turn:
    entry = item.entry
    reviewers = team.reviewers_of(entry.task_id)
    if team.is_shared(entry.task_id) and author in reviewers:
        whole = author in said.whole.get(entry.task_id, ())
        done = whole or unlabelled_by(entry, author, said.reviews, "") is None
        waits = not done and bool(item.reasons or entry.task_id in said.anything)
        return Turn(
            item=item, reviewers=reviewers, mine=True, blind=not done, open=waits, done=done
        )
    return Turn(
        item=item,
        reviewers=reviewers,
        mine=not reviewers or author in reviewers,
        blind=False,
        open=bool(item.reasons) and not item.done,
        done=item.done,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _JudgedReviews:
    """Who has judged what of one app."""

    reviews: Reviews
    anything: frozenset[str]
    """Tasks of which somebody judged anything."""
    whole: Mapping[str, frozenset[str]]
    """Who decided about a task, or about its rubric, by task."""

    @classmethod
    def from_reviews(cls, reviews: Reviews) -> "_JudgedReviews":
        judged = [review for review in reviews.everything if review.kind in JUDGING]
        whole: dict[str, set[str]] = {}
        for review in judged:
            if review.kind in WHOLE:
                whole.setdefault(review.task_id, set()).add(review.by)
        return cls(
            reviews=reviews,
            anything=frozenset(review.task_id for review in judged),
            whole={task_id: frozenset(names) for task_id, names in whole.items()},
        )


def unlabelled_by(entry: Entry, author: str, reviews: Reviews, after: str) -> str | None:
    """The next attempt of a task that this reviewer has not labelled: from the one after `after` on, and round."""
    ids = [graded.episode_id for graded in entry.attempts]
    at = ids.index(after) + 1 if after in ids else 0
    waiting = (one for one in [*ids[at:], *ids[:at]] if author not in reviews.labels.get(one, {}))
    return next(waiting, None)
