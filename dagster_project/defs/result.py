"""What an asset body returns: metadata that cannot fail the run, and a check that shows what was left out.

Dagster compares an asset's annotation with the bare class (a subscripted one fails as soon as the asset has a check), mypy strict wants
the argument: one alias serves both.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import dagster as dg

from dagster_project.build.failed_checks import Failing, keep_checks
from dagster_project.build.left_out import SkippedUnit, Skips, skipped_of
from dagster_project.defs.show import rows_of
from dagster_project.lake.freshness import Work
from dagster_project.lake.store import Lake
from environments.runtime.task.verdict import count_text

if TYPE_CHECKING:
    AssetResult = dg.MaterializeResult[Any]
else:
    AssetResult = dg.MaterializeResult

NOTHING_LEFT_OUT: Final = "nothing_left_out"
Metadata = Mapping[str, Any]


def left_out_check(asset: str) -> dg.AssetCheckSpec:
    """The check of every asset whose work may go on without a unit."""
    return dg.AssetCheckSpec(
        NOTHING_LEFT_OUT,
        asset=asset,
        description="No episode, tool, task or app was left out because of a fault of tracegym itself.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What a check found, app by app: a small app must not hide behind a large one."""

    failing: Failing
    metadata: Metadata = field(default_factory=dict)
    severity: dg.AssetCheckSeverity = dg.AssetCheckSeverity.ERROR
    besides: str = ""
    """What else a person may want to know, whether or not it fails."""

    @property
    def passed(self) -> bool:
        """Whether it holds for every app."""
        return not self.failing

    def result(self, name: str) -> dg.AssetCheckResult:
        """The same for Dagster."""
        told = [f"{app}: {says}" for app, says in sorted(self.failing.items())]
        return dg.AssetCheckResult(
            check_name=name,
            passed=self.passed,
            severity=self.severity,
            description="; ".join(filter(None, [*told, self.besides])),
            metadata=dict(self.metadata),
        )


def asset_result(
    clean: Lake,
    todo: Work,
    metadata: Callable[[], Metadata],
    checks: Mapping[str, Callable[[], Checked]] | None = None,
) -> AssetResult:
    """The result of an asset's work: what it shows, its checks, and what was left out."""
    shown = Skips(todo.asset, "")
    what = "partitions" if any(day for _, day in todo.wanted) else "apps"
    told: Metadata = {f"recomputed_{what}": len(todo.stale)}
    with shown.unit("metadata"):
        told = {**metadata(), **told}
    apps = {app for app, _ in todo.wanted}
    results: dict[str, Checked] = {}
    for name, check in (checks or {}).items():
        # What cannot be asked does not hold.
        found = Checked(failing=dict.fromkeys(apps, "it could not be asked; see what was left out"))
        with shown.unit("check", name):
            found = check()
        results[name] = found
    shown.keep(clean)
    left_out = [*skipped_of(clean, {"", *apps}, stages=[todo.asset])]
    results[NOTHING_LEFT_OUT] = _check(left_out)
    keep_checks(clean, todo, {name: one.failing for name, one in results.items()})
    return dg.MaterializeResult(
        metadata={**told, **({"left_out": _table(left_out)} if left_out else {})},
        check_results=[one.result(name) for name, one in results.items()],
    )


def _check(found: Sequence[SkippedUnit]) -> Checked:
    counts = Counter(one.app for one in found)
    return Checked(
        failing={
            app: f"{count_text(n, 'unit was', 'units were')} left out" for app, n in counts.items()
        },
        severity=dg.AssetCheckSeverity.WARN,
        metadata={
            "left_out": len(found),
            **{f"{kind}s": n for kind, n in sorted(Counter(o.kind for o in found).items())},
        },
    )


def _table(found: Sequence[SkippedUnit]) -> dg.MarkdownMetadataValue:
    counts = Counter((one.app, one.kind, one.error, one.place) for one in found)
    rows = [(*which, n) for which, n in sorted(counts.items())]
    return rows_of(("app", "left out", "error", "at", "count"), rows)
