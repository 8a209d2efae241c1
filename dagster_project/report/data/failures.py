"""Clusters of failures, as the report shows them."""

from dataclasses import dataclass

from dagster_project.causes.side_by_side import SideBySide
from dagster_project.report.data.counts import Count
from synth.clusters.trend import DayCount
from synth.clusters.versions import VersionCount


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One episode that shows a failure."""

    episode_id: str
    says: str
    """One line: what happened."""
    signals: tuple[str, ...] = ()
    day: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterRow:
    """One failure cluster."""

    app: str
    cluster_id: str
    name: str
    failures: int
    subjects: int | None = None
    """Distinct users; None when the episodes do not say whose they are."""
    named: bool = True
    """False where fewer than k users are behind it, so that the name stays generic."""
    says: str = ""
    """What the episodes of this cluster share, in one sentence."""
    whose: str = ""
    """Whose the cause is: `agent`, `tool`, `user`, `system` or `environment`."""
    agents: tuple[Count, ...] = ()
    """The agents that made the critical steps, where they have names."""
    confirmed: int = 0
    """Failures that an outcome confirms; the others rest on signals."""
    trend: tuple[DayCount, ...] = ()
    movement: str = ""
    """`new`, `growing`, `steady`, `fading`, `quiet`, or by version (`fixed since 2.1`); empty is not known."""
    versions: tuple[VersionCount, ...] = ()
    cost: str = ""
    description: str = ""
    """What holds for how many of its failures."""
    lineage: str = ""
    """Where it comes from, in words."""
    beside: SideBySide | None = None
    """A failing step beside a resolved attempt at the same request."""
    signals: tuple[Count, ...] = ()
    examples: tuple[Example, ...] = ()
    tasks: tuple[Count, ...] = ()
    """What became of its episodes: `accepted`, `needs_review`, `rejected`, `no task`."""
    why: tuple[Count, ...] = ()
    """Why episodes gave no accepted task, by the first reason; `says` is the sentence."""
