"""What a reviewer's form about a task says: a label, a decision, a check that is right, a cause, a rubric.

Comes in: the form, the task as it stands, and the app's desk. Goes out: a `Review`, or `BadFormError`.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from dagster_project.causes.label_form import label_of
from dagster_project.lake.rows import canonical_text
from dagster_project.review.desk import AppDesk
from dagster_project.review.editing.edits import Edit
from dagster_project.review.entry import Entry
from dagster_project.review.feedback import can_accept, derived_hash, doubts_of
from dagster_project.review.page.guard import BadFormError
from dagster_project.review.review import (
    ACCEPT,
    CAUSE,
    CHECK,
    DECISION,
    LABEL,
    LABELS,
    REJECT,
    RUBRIC,
    Review,
)
from environments.runtime.values.canonical import rubric_hash

MAX_NOTE: Final = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskForm:
    """A form that a reviewer sent about one task."""

    form: Mapping[str, str]
    desk: AppDesk
    entry: Entry
    author: str

    @property
    def value(self) -> str:
        """What was chosen."""
        return self.form.get("value", "")

    @property
    def episode_id(self) -> str:
        """The attempt that it is about; empty where it is none of the task's."""
        named = self.form.get("episode", "")
        return named if named in {one.episode_id for one in self.entry.attempts} else ""

    @property
    def note(self) -> str:
        """What the reviewer wrote beside it."""
        return self.form.get("note", "")[:MAX_NOTE]

    def review(
        self, kind: str, value: str, *, document: object = None, episode_id: str = ""
    ) -> Review:
        """A review of the task as it stands."""
        return Review(
            app=self.entry.app,
            kind=kind,
            task_id=self.entry.task_id,
            task_version=self.entry.version,
            episode_id=episode_id,
            value=value,
            by=self.author,
            at=time.time_ns(),
            note=self.note,
            document=canonical_text(document or {}),
        )


def _label(asked: TaskForm) -> Review:
    if not asked.episode_id or asked.value not in LABELS:
        raise BadFormError("There is no such episode or label.")
    return asked.review(LABEL, asked.value, episode_id=asked.episode_id)


def _decision(asked: TaskForm) -> Review:
    verified = asked.entry.verified
    if asked.value not in {ACCEPT, REJECT, ""} or verified is None:
        raise BadFormError("There is no such decision.")
    if asked.value == ACCEPT and (asked.entry.pending or not can_accept(verified)):
        raise BadFormError("The gate must run first, and only its doubts can be settled.", 409)
    probes = doubts_of(verified) if asked.value == ACCEPT else []
    return asked.review(DECISION, asked.value, document={"probes": probes})


def _check(asked: TaskForm) -> Review:
    rubric = asked.entry.candidate.rubric
    if all(check.check_id != asked.value for check in rubric.checks):
        raise BadFormError("There is no such check.")
    return asked.review(CHECK, asked.value, document={"rubric": rubric_hash(rubric)})


def _cause(asked: TaskForm) -> Review:
    episode = asked.desk.episode(asked.episode_id) if asked.episode_id else None
    label = label_of(episode, asked.form) if episode is not None else None
    if label is None:
        raise BadFormError("There is no such episode, cause or step.")
    cause, document = label
    return asked.review(CAUSE, cause, document=document, episode_id=asked.episode_id)


STATEMENTS: Final[Mapping[str, Callable[[TaskForm], Review]]] = {
    LABEL: _label,
    DECISION: _decision,
    CHECK: _check,
    CAUSE: _cause,
}
"""What the forms say that are sent below a task's address, each under the kind of its review."""


def rubric_review(asked: TaskForm, edit: Edit) -> Review:
    """The review that puts an edited rubric in place: what is previewed is what is kept."""
    evidence = {k: v for k, v in edit.rubric.evidence.items() if k != "review"}
    document = {
        "rubric": {**edit.rubric.to_json(), "evidence": evidence},
        "base": derived_hash(asked.entry.stored.rubric),
        "changes": list(edit.changes),
        "written": list(edit.written),
    }
    return asked.review(RUBRIC, rubric_hash(edit.rubric), document=document)
