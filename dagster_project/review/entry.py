"""A task as a reviewer sees it: the rubric in force, what the gate said, and each recorded attempt with its verdict."""

from dataclasses import dataclass

from dagster_project.tasks.verification import VerifiedTask
from environments.runtime.task.candidate import Candidate
from environments.runtime.task.verdict import Verdict
from synth.labels.label import Label


@dataclass(frozen=True, slots=True, kw_only=True)
class GradedAttempt:
    """What the rubric in force says of one recorded attempt."""

    episode_id: str
    outcome: Label
    """What the outcomes say without reviewers."""
    label: Label
    """What holds: reviewers are heard first."""
    said: str | None
    """What reviewers say: `resolved`, `unresolved`, `unknown`, `differ`; None while nobody did."""
    verdict: Verdict | None
    """None where there is no world to make the attempt again in."""

    @property
    def resolved(self) -> bool | None:
        """What the user got, as the next build will have it."""
        return self.label.resolved


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One task as it stands now, saved reviews included."""

    app: str
    stored: Candidate
    """As the last build left it."""
    candidate: Candidate
    """With the rubric in force."""
    version: str
    verified: VerifiedTask | None
    """What the gate said of the stored version, with the reviewer's decision."""
    pending: bool
    """The rubric in force is newer than the last build: the gate runs again with the next one."""
    attempts: tuple[GradedAttempt, ...]
    cluster: str

    @property
    def relabelled(self) -> bool:
        """A reviewer's label is newer than the last build: the rubric is derived again with the next one."""
        built = {attempt.episode_id: attempt.resolved for attempt in self.stored.attempts}
        said = [graded for graded in self.attempts if graded.said is not None]
        return any(graded.resolved != built[graded.episode_id] for graded in said)

    @property
    def task_id(self) -> str:
        """The task's id."""
        return self.candidate.task.task_id

    @property
    def status(self) -> str:
        """Where it stands at the gate."""
        return self.verified.status if self.verified is not None else "needs_review"
