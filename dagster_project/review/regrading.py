"""What an edited rubric changes: every recorded attempt and stored rollout of one task, graded before and after.

Comes in: runs of one task (already made again in its world) and two rubrics. Goes out: a `Change` with the agreement before and after.
Pure: saves nothing.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from dagster_project.tasks.shares import Agreement, agreement
from environments.runtime.checks.table import evaluate
from environments.runtime.task.attempt import Attempt, Json
from environments.runtime.task.rubric import Rubric
from environments.runtime.task.verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One attempt at the task, made again, with what its user got where somebody knows."""

    name: str
    """Episode id, or rollout id."""
    policy: str
    """Empty for a recorded attempt."""
    attempt: Attempt
    resolved: bool | None
    """By reviewers, else by the outcomes; None where nobody knows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Regrade:
    """One run under two rubrics."""

    run: Run
    before: Verdict
    after: Verdict

    @property
    def is_changed(self) -> bool:
        """Whether either verdict is another one."""
        old, new = self.before, self.after
        return (old.reward, old.predicted) != (new.reward, new.predicted)


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """Everything that an edit changes."""

    regrades: tuple[Regrade, ...]
    before: Agreement
    after: Agreement

    @property
    def changed_runs(self) -> tuple[Regrade, ...]:
        """The runs whose verdict is another one."""
        return tuple(one for one in self.regrades if one.is_changed)

    def mean_reward(self, *, after: bool, rollouts: bool) -> float | None:
        """Mean reward of graded rollouts, or of recorded attempts."""
        mine = [one for one in self.regrades if bool(one.run.policy) is rollouts]
        rewards = [(one.after if after else one.before).reward for one in mine]
        graded = [reward for reward in rewards if reward is not None]
        return sum(graded) / len(graded) if graded else None


def compare(
    runs: Iterable[Run],
    before: Rubric,
    after: Rubric,
    *,
    task_version: str,
    recordings: Mapping[str, Json] | None = None,
) -> Change:
    """Grade every run with both rubrics; judge checks are answered from recordings."""

    def verdict(rubric: Rubric, run: Run) -> Verdict:
        return evaluate(rubric, run.attempt, task_version=task_version, recordings=recordings)

    regrades = tuple(
        Regrade(run=run, before=verdict(before, run), after=verdict(after, run)) for run in runs
    )
    return Change(
        regrades=regrades,
        before=agreement((r.run.resolved, r.before.predicted) for r in regrades),
        after=agreement((r.run.resolved, r.after.predicted) for r in regrades),
    )
