"""`spans`: what telemetry arrived for an app and day, each span once."""

from dataclasses import replace
from functools import partial

import dagster as dg

from dagster_project.build.left_out import Skips, keep_all
from dagster_project.build.progress import report_each
from dagster_project.defs.asset import lake_asset
from dagster_project.defs.partitions import APP_DAYS, app_days
from dagster_project.defs.resources import PrivateSide
from dagster_project.defs.result import AssetResult, asset_result
from dagster_project.lake.freshness import Key, made_of, work, work_to_retry
from dagster_project.lake.store import Lake
from dagster_project.lake.tables import CHATS, LOG_EVENTS, SPANS, Stamp, Table, deduplicate

ASSET = "spans"
_ARRIVING = (SPANS, LOG_EVENTS, CHATS)


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
    counts = {table.name: private.lake.counts(table) for table in _ARRIVING}
    return asset_result(
        ASSET,
        private.clean_lake,
        asked,
        lambda: {
            **{name: sum(found.get(key, 0) for key in keys) for name, found in counts.items()},
            "folded_repetitions": folded,
            "partitions": len(keys),
        },
    )


def fold(lake: Lake, keys: list[Key]) -> tuple[int, list[Skips]]:
    """Rewrite partitions in which a row arrived twice, and stamp all; says how many rows were repetitions."""
    todo = work(lake, ASSET, arrivals(lake, keys))
    stale = sorted(todo.stale)
    repeated = 0
    skipped: list[Skips] = []
    for key in report_each(ASSET, stale, "folding repetitions"):
        skips = Skips(ASSET, key[0], key[1])
        with skips.unit("day"):
            repeated += _fold_day(lake, key)
        skipped.append(skips)
    now = work_to_retry(
        replace(todo, wanted=arrivals(lake, stale)), [(one.app, one.day) for one in skipped if one]
    )
    made_of = now.wanted
    lake.stamp(
        ASSET,
        [
            Stamp(asset=ASSET, app=key[0], day=key[1], digest=made_of[key], made_of=made_of[key])
            for key in stale
        ],
    )
    return repeated, skipped


def _fold_day(lake: Lake, key: Key) -> int:
    repeated = 0
    for table in _ARRIVING:
        before = lake.read(table, app=key[0], days=[key[1]])
        after = deduplicate(before, table)
        if after.num_rows < before.num_rows:
            repeated += before.num_rows - after.num_rows
            lake.change(table, key, partial(deduplicate, table=table))
    return repeated


def counts_once(lake: Lake, table: Table) -> dict[tuple[str, ...], int]:
    """Rows per partition, each identity once, also where what was sent again has not been folded yet."""
    counts = lake.counts(table)
    keys = [(app, day) for app, day in counts]
    names = [*table.by, *table.identity]
    for app, day in sorted(work(lake, ASSET, arrivals(lake, keys)).stale):
        rows = lake.read(table, app=app, days=[day], columns=names)
        counts[app, day] = rows.group_by(names).aggregate([]).num_rows
    return counts


def arrivals(lake: Lake, keys: list[Key]) -> dict[Key, str]:
    """What has arrived in each partition, as a text that changes with it."""
    found = [lake.fingerprints(table) for table in _ARRIVING]
    return {key: made_of(*(prints.get(key, "") for prints in found)) for key in keys}


def arrived_keys(lake: Lake) -> list[Key]:
    """Every partition in which anything has arrived."""
    keys = {key for table in _ARRIVING for key in lake.counts(table)}
    return sorted((app, day) for app, day in keys)
