"""Every two policies of an app compared on the tasks that both tried, as the report shows them.

Comes in: the clean side's rollouts and task sets. Goes out: `ComparisonRow`.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Final

from dagster_project.lake.learnt_tables import ROLLOUTS
from dagster_project.lake.store import Lake
from dagster_project.rollouts.reasons import PolicyReasons
from dagster_project.rollouts.store import explained_rollouts
from dagster_project.runs.comparison import compare, known_in
from dagster_project.runs.run import LISTED, RunRow

MOST_POLICIES: Final = 5
"""Of an app, those that were run last: ten pairs are as many as anybody reads."""


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


def comparison_rows(clean: Path) -> Iterator[ComparisonRow]:
    """The pairs of each app, the policies that were run first before the others."""
    lake = Lake(clean / "lake")
    for app in sorted({key[0] for key in lake.counts(ROLLOUTS)}):
        runs: dict[str, list[RunRow]] = defaultdict(list)
        for row in explained_rollouts(lake, app, LISTED):
            found = RunRow.model_validate(row)
            runs[found.policy].append(found)
        last = sorted(runs, key=lambda name: max(row.started_at for row in runs[name]))
        known = known_in(clean / "tasksets" / app) if len(runs) > 1 else {}
        for a, b in combinations(last[-MOST_POLICIES:], 2):
            found_both = compare((a, runs[a]), (b, runs[b]), known)
            both = found_both.overall
            yield ComparisonRow(
                app=app,
                a=a,
                b=b,
                tasks=both.tasks,
                mean_a=both.mean_a,
                mean_b=both.mean_b,
                low=both.low,
                high=both.high,
                null_a=_null_of(found_both.reasons_a),
                null_b=_null_of(found_both.reasons_b),
                says="; ".join(filter(None, (found_both.says(), found_both.warns()))),
            )


def _null_of(found: PolicyReasons | None) -> tuple[int, int]:
    return (found.null, found.rollouts) if found is not None else (0, 0)
