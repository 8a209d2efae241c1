"""Tasks, their graders and rollouts of them, as the report shows them."""

from dataclasses import dataclass

from dagster_project.report.data.counts import Count
from dagster_project.rollouts.reasons import PolicyReasons
from dagster_project.tasks.agreement import AgreementFigures
from dagster_project.tasks.grader_trust import KindTrust
from environments.verification.attack_table import AttackRow, WayRow


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRow:
    """One check of a rubric as a plain sentence."""

    says: str
    fn: str = ""
    role: str = "both"
    required: bool = False
    positive: bool = True
    weight: float = 1.0
    support: int = 0
    counter: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeRow:
    """One attack on a task, and what it was paid."""

    name: str
    passed: bool
    reward: float | None = None
    says: str = ""
    in_gate: bool = True
    """Families kept out of the gate decide nothing and are shown apart."""
    turns: tuple[str, ...] = ()
    """What the attack did, message by message; only where it was paid."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroundRow:
    """How many recorded attempts of an app told something of one kind that nothing had shown."""

    app: str
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
class AttackCount:
    """What one kind of attack earned on an app's tasks."""

    app: str
    attack: AttackRow


@dataclass(frozen=True, slots=True, kw_only=True)
class WayCount:
    """What became of another way of making an app's good attempts."""

    app: str
    way: WayRow


@dataclass(frozen=True, slots=True, kw_only=True)
class GraderRow:
    """Agreement of a set of rubrics, for one app."""

    app: str
    rubrics: str
    """`all` or `accepted`."""
    cluster: str = ""
    """A failure cluster's name; empty is the whole app."""
    agreement: AgreementFigures


@dataclass(frozen=True, slots=True, kw_only=True)
class GraderKindRow:
    """How far the graders of one kind of check are trusted, for one app."""

    app: str
    says: str
    """What decides, as a sentence's words."""
    standing: str
    """In words: good enough, not proven, not measured, not trusted."""
    held_back: bool
    """Whether tasks of this kind do not ship."""
    trust: KindTrust


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
    checks: tuple[CheckRow, ...] = ()
    probes: tuple[ProbeRow, ...] = ()
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


@dataclass(frozen=True, slots=True, kw_only=True)
class RolloutRow:
    """How one policy did over the tasks of an app."""

    app: str
    found: PolicyReasons


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonRow:
    """Two policies on the tasks of an app that both tried."""

    app: str
    a: str
    """The policy that was run first."""
    b: str
    tasks: int
    mean_a: float | None
    mean_b: float | None
    low: float | None
    """Of the 95 % interval of B's mean reward less A's."""
    high: float | None
    null_a: tuple[int, int]
    """Its rollouts without a reward, and all at the compared tasks."""
    null_b: tuple[int, int]
    says: str
    """Which is better, or why that cannot be told."""
