"""What an asset body returns: metadata that cannot fail the run, and a check that shows what was left out.

Dagster compares an asset's annotation with the bare class (a subscripted one fails as soon as the asset has a check), mypy strict wants
the argument: one alias serves both.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import dagster as dg

from dagster_project.build.left_out import SkippedUnit, Skips, skipped_of
from dagster_project.defs.show import rows_of
from dagster_project.lake.freshness import Work
from dagster_project.lake.store import Lake

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


def asset_result(
    clean: Lake,
    todo: Work,
    metadata: Callable[[], Metadata],
    checks: Mapping[str, Callable[[], dg.AssetCheckResult | bool]] | None = None,
) -> AssetResult:
    """The result of an asset's work: what it shows, its checks, and what was left out."""
    shown = Skips(todo.asset, "")
    what = "partitions" if any(day for _, day in todo.wanted) else "apps"
    told: Metadata = {f"recomputed_{what}": len(todo.stale)}
    with shown.unit("metadata"):
        told = {**metadata(), **told}
    results = []
    for name, check in (checks or {}).items():
        found: dg.AssetCheckResult | bool = False  # what cannot be asked does not hold
        with shown.unit("check", name):
            found = check()
        told_of = dg.AssetCheckResult(passed=found) if isinstance(found, bool) else found
        results.append(told_of._replace(check_name=name))
    shown.keep(clean)
    left_out = [*skipped_of(clean, {"", *(app for app, _ in todo.wanted)}, stages=[todo.asset])]
    return dg.MaterializeResult(
        metadata={**told, **({"left_out": _table(left_out)} if left_out else {})},
        check_results=[*results, _check(left_out)],
    )


def _check(found: Sequence[SkippedUnit]) -> dg.AssetCheckResult:
    return dg.AssetCheckResult(
        check_name=NOTHING_LEFT_OUT,
        passed=not found,
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
