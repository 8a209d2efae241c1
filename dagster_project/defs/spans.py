"""`spans`: what telemetry arrived for an app and day, each span once."""

from functools import partial

import dagster as dg

from dagster_project.defs.partitions import APP_DAYS, ONE_RUN, app_days
from dagster_project.defs.resources import PrivateSide
from dagster_project.defs.result import AssetResult
from dagster_project.freshness import Key, made_of
from dagster_project.lake import Lake, Stamp
from dagster_project.progress import counted
from dagster_project.tables import CHATS, LOG_EVENTS, SPANS, once

_ARRIVING = (SPANS, LOG_EVENTS, CHATS)


@dg.asset(
    partitions_def=APP_DAYS,
    backfill_policy=ONE_RUN,
    group_name="ingest",
    kinds={"delta"},
    description="Spans, log events and chat episodes as they arrived, folded by identity.",
)
def spans(context: dg.AssetExecutionContext, private: PrivateSide) -> AssetResult:
    """Fold what arrived more than once: at least once in, exactly once here."""
    asked = app_days(context.partition_keys)
    keys = [(app, day) for app, days in asked.items() for day in days]
    folded = fold(private.lake, keys)
    counts = {table.name: private.lake.counts(table) for table in _ARRIVING}
    return dg.MaterializeResult(
        metadata={
            **{name: sum(found.get(key, 0) for key in keys) for name, found in counts.items()},
            "folded_repetitions": folded,
            "partitions": len(keys),
        }
    )


def fold(lake: Lake, keys: list[Key]) -> int:
    """Rewrite partitions in which a row arrived twice, and stamp all; says how many rows were repetitions."""
    stamps = lake.stamps("spans")
    wanted = arrivals(lake, keys)
    stale = [key for key in keys if key not in stamps or stamps[key].made_of != wanted[key]]
    repeated = 0
    for key in counted("spans", stale, "folding repetitions"):
        for table in _ARRIVING:
            before = lake.read(table, app=key[0], days=[key[1]])
            after = once(before, table)
            if after.num_rows < before.num_rows:
                repeated += before.num_rows - after.num_rows
                lake.change(table, key, partial(once, table=table))
    now = arrivals(lake, stale)
    lake.stamp(
        "spans",
        [
            Stamp(asset="spans", app=key[0], day=key[1], digest=now[key], made_of=now[key])
            for key in stale
        ],
    )
    return repeated


def arrivals(lake: Lake, keys: list[Key]) -> dict[Key, str]:
    """What has arrived in each partition, as a text that changes with it."""
    found = [lake.fingerprints(table) for table in _ARRIVING]
    return {key: made_of(*(prints.get(key, "") for prints in found)) for key in keys}


def arrived_keys(lake: Lake) -> list[Key]:
    """Every partition in which anything has arrived."""
    keys = {key for table in _ARRIVING for key in lake.counts(table)}
    return sorted((app, day) for app, day in keys)
