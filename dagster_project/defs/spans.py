"""`spans`: what telemetry arrived for an app and day, each span once."""

import dagster as dg

from dagster_project.arrival.repetitions import ARRIVING, SPANS_ASSET, fold
from dagster_project.build.left_out import keep_all
from dagster_project.defs.asset import lake_asset
from dagster_project.defs.partitions import APP_DAYS, app_days
from dagster_project.defs.resources import PrivateSide
from dagster_project.defs.result import AssetResult, asset_result
from dagster_project.lake.freshness import Work


@lake_asset(
    APP_DAYS,
    group="ingest",
    says="Spans, log events and chat episodes as they arrived, each once.",
)
def spans(context: dg.AssetExecutionContext, private: PrivateSide) -> AssetResult:
    """Fold what arrived more than once: at least once in, exactly once here."""
    asked = app_days(context.partition_keys)
    keys = [(app, day) for app, days in asked.items() for day in days]
    folded, skipped = fold(private.lake, keys)
    keep_all(private.clean_lake, skipped)
    todo = Work(asset=SPANS_ASSET, wanted=dict.fromkeys(keys, ""), stale=frozenset(keys))
    counts = {table.name: private.lake.counts(table) for table in ARRIVING}
    return asset_result(
        private.clean_lake,
        todo,
        lambda: {
            **{name: sum(found.get(key, 0) for key in keys) for name, found in counts.items()},
            "folded_repetitions": folded,
        },
    )
