"""Clusters of failures, as the report shows them."""

from dataclasses import dataclass

from dagster_project.causes.side_by_side import SideBySide
from dagster_project.report.data.counts import Count
from synth.clusters.clustering import Cluster


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
    """One failure cluster, and what became of its failures."""

    cluster: Cluster
    whose: str = ""
    """Whose the cause is: `agent`, `tool`, `user`, `system` or `environment`."""
    agents: tuple[Count, ...] = ()
    """The agents that made the critical steps, where they have names."""
    cost: str = ""
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
