"""Learnt worlds and their tools, as the report shows them."""

from dataclasses import dataclass

from dagster_project.report.data.counts import Count, Fidelity
from environments.unsettled_calls import UnsettledCall


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRow:
    """What was learnt of one tool."""

    name: str
    kind: str
    """`constant`, `pure`, `read`, `search`, `write`, `act`, `unknown`."""
    support: int
    """Recorded calls it was learnt from."""
    evidence: str = ""
    fidelity: Fidelity | None = None
    """None when it was not measured."""
    tape: Fidelity | None = None
    """For comparison: the recorded answer to the same tool and arguments, whatever came before."""
    unknowns: tuple[UnsettledCall, ...] = ()
    sources: tuple[Count, ...] = ()
    """Held-out answers by source."""
    real_ms: float | None = None
    """Median time of the real tool, from its spans; None where no span says."""
    ours_ms: float | None = None
    """Median processor time of the world's answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionRow:
    """A tool that became another one at some time."""

    tool: str
    version: int
    """2 for the first change."""
    since: str
    calls_before: int
    """Recorded calls of the version before."""
    changes: tuple[str, ...]
    """What changed, by names of fields and arguments."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldRow:
    """The rebuilt backend of one app."""

    app: str
    continuity: str
    """`reset`, `living` or `unknown`."""
    continuity_says: str = ""
    continuity_evidence: tuple[str, ...] = ()
    episodes: int = 0
    calls: int = 0
    measured_on: str = ""
    """How the held-out calls were chosen, in one sentence."""
    reads: Fidelity | None = None
    writes: Fidelity | None = None
    tape: Fidelity | None = None
    unseen_tasks: Fidelity | None = None
    """Calls of tasks of which no attempt was learnt from."""
    sources: tuple[Count, ...] = ()
    """Answers by source: `recorded`, `derived`, `simulated`, `unknown`."""
    tools: tuple[ToolRow, ...] = ()
    versions: tuple[VersionRow, ...] = ()
    """Tools that drifted."""
    risk: float = 0.0
    """The share of returned answers that may be wrong."""
    frontier: tuple[tuple[str, int, int, str, int, str], ...] = ()
    """Held-out calls at several risks (`environments.frontier.points`)."""
