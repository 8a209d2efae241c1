"""What an asset body returns: metadata that cannot fail the run, and a check that shows what was left out.

Dagster compares an asset's annotation with the bare class (a subscripted one fails as soon as the asset has a check), mypy strict wants
the argument: one alias serves both.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import dagster as dg

from dagster_project.build.left_out import SkippedUnit, Skips, skipped_of
from dagster_project.defs.show import rows_of
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
    asset: str,
    clean: Lake,
    apps: Iterable[str],
    metadata: Callable[[], Metadata],
    checks: Mapping[str, Callable[[], dg.AssetCheckResult]] | None = None,
) -> AssetResult:
    """The result of an asset over some apps: what it shows, its checks, and what was left out."""
    shown = Skips(asset, "")
    told: Metadata = {}
    with shown.unit("metadata"):
        told = metadata()
    results = []
    for name, check in (checks or {}).items():
        with shown.unit("check", name) as asked:
            results.append(check())
        if asked.failed:  # what cannot be asked does not hold
            results.append(dg.AssetCheckResult(check_name=name, passed=False))
    shown.keep(clean)
    found = [*skipped_of(clean, {*apps, ""}, stages=[asset])]
    return dg.MaterializeResult(
        metadata={**told, **({"left_out": _table(found)} if found else {})},
        check_results=[*results, _check(found)],
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
