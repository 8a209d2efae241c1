"""Everything on the page: plain records of clean counts and texts, filled by the pipeline from the lake.

Every number on the page is a field of a record here or beside; the page itself computes only shares, widths of pictures and sums over days.
Texts may hold anything: the page escapes them and cuts what is too long.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from dagster_project.build.left_out_rows import SkippedRow
from dagster_project.report.data.arrivals import (
    Missing,
    OutcomeCount,
    QuarantineRow,
    RedactionCount,
    RedactionState,
)
from dagster_project.report.data.counts import Figure, FunnelStage
from dagster_project.report.data.failures import ClusterRow
from dagster_project.report.data.tasks import (
    GraderRow,
    GroundRow,
    TaskCount,
    TaskRow,
)
from dagster_project.report.data.worlds import WorldRow
from dagster_project.rollouts.store import RolloutRow
from dagster_project.runs.policy_pairs import ComparisonRow
from dagster_project.tasks.grader_trust import KindTrust
from environments.verification.attack_table import AttackRow, WayRow


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportData:
    """Everything on the page. Empty parts are shown as "nothing yet", with what would fill them."""

    made_at: str
    """ISO time of the build."""
    version: str
    apps: tuple[str, ...] = ()
    title: str = "What your agents\u2019 users got"
    says: str = ""
    notices: tuple[str, ...] = ()
    """Sentences that a reader must see first (redaction off, a blocked export)."""
    figures: tuple[Figure, ...] = ()
    funnel: tuple[FunnelStage, ...] = ()
    outcomes: tuple[OutcomeCount, ...] = ()
    missing: tuple[Missing, ...] = ()
    redaction: tuple[RedactionState, ...] = ()
    redacted: tuple[RedactionCount, ...] = ()
    clusters: tuple[ClusterRow, ...] = ()
    agreement: tuple[tuple[str, str, int, str, str, str, str], ...] = ()
    """Who names causes as people do: app, who, labelled failures, shares of cause, step, step within two, agent."""
    gone: tuple[tuple[str, str, str], ...] = ()
    """Clusters that were split, merged or retired: app, name, what became of them."""
    failures: int | None = None
    """All failures found; None before detection ran. Cluster counts need not add up to it."""
    worlds: tuple[WorldRow, ...] = ()
    graders: Mapping[str, tuple[GraderRow, ...]] = field(default_factory=dict)
    """By app, as all that follows up to `grounds`."""
    grader_kinds: Mapping[str, tuple[KindTrust, ...]] = field(default_factory=dict)
    attacks: Mapping[str, tuple[AttackRow, ...]] = field(default_factory=dict)
    ways: Mapping[str, tuple[WayRow, ...]] = field(default_factory=dict)
    """Other ways of making good attempts."""
    grounds: Mapping[str, tuple[GroundRow, ...]] = field(default_factory=dict)
    task_counts: tuple[TaskCount, ...] = ()
    tasks: tuple[TaskRow, ...] = ()
    """May be all tasks: the page shows the first ones of each status and counts the rest."""
    quarantine: tuple[QuarantineRow, ...] = ()
    rollouts: tuple[RolloutRow, ...] = ()
    comparisons: tuple[ComparisonRow, ...] = ()
    skipped: tuple[SkippedRow, ...] = ()
    """What was left out because tracegym itself failed at it."""
    broken: frozenset[str] = frozenset()
    """Sections of which a part could not be made."""
