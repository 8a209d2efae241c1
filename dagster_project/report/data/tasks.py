"""Tasks, their graders and rollouts of them, as the report shows them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dagster_project.report.data.counts import Count
from dagster_project.tasks.agreement import AgreementFigures
from environments.runtime.task.rubric import Check


@dataclass(frozen=True, slots=True, kw_only=True)
class GroundRow:
    """How many recorded attempts of an app told something of one kind that nothing had shown."""

    kind: str
    """`number`, `date`, `time`, `id`, `email`; empty is any."""
    tell: int
    """Attempts that tell facts of this kind."""
    without: int
    """Those of them that tell one without a ground."""
    resolved: int
    """Attempts among the former whose user got what they asked for."""
    resolved_without: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GraderRow:
    """Agreement of a set of rubrics of an app."""

    rubrics: str
    """`all` or `accepted`."""
    cluster: str = ""
    """A failure cluster's name; empty is the whole app."""
    agreement: AgreementFigures


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRow:
    """One task version with its rubric and verification."""

    app: str
    task_id: str
    task_version: str
    title: str
    """A short line for a person: the intent."""
    status: str
    """`accepted`, `needs_review` or `rejected`."""
    opening: str = ""
    """The user's first words (clean)."""
    reasons: tuple[Count, ...] = ()
    """Why it is not accepted; `name` is the code, `says` the sentence."""
    checks: tuple[Check, ...] = ()
    probes: tuple[Mapping[str, Any], ...] = ()
    """As the gate notes them (`environments.verification.probe`)."""
    agreement: AgreementFigures | None = None
    attempts: int = 0
    resolved: int = 0
    unresolved: int = 0
    solution_steps: int | None = None
    """Actions of the reference solution; None when there is none."""
    cluster: str = ""
    """The failure cluster's name, where the task comes out of one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskCount:
    """How many tasks of one app stand where, and the reasons of those that were not accepted."""

    app: str
    accepted: int
    needs_review: int
    rejected: int
    reasons: tuple[Count, ...] = ()

    @property
    def statuses(self) -> tuple[Count, ...]:
        """The same counts by status."""
        names = ("accepted", "needs_review", "rejected")
        return tuple(Count(name=name, count=getattr(self, name)) for name in names)
