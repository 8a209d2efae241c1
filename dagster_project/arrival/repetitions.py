"""What arrived more than once, folded: at least once in, exactly once in the lake.

Comes in: the private lake and partitions. Goes out: the partitions without repetitions, stamped by what had arrived in them.
"""

from dataclasses import replace
from functools import partial
from typing import Final

from dagster_project.build.left_out import Skips
from dagster_project.build.progress import report_each
from dagster_project.lake.freshness import Key, made_of, work, work_to_retry
from dagster_project.lake.store import Lake
from dagster_project.lake.tables import CHATS, LOG_EVENTS, SPANS, Stamp, Table, deduplicate

SPANS_ASSET: Final = "spans"
"""Under whose name partitions are stamped."""
ARRIVING: Final = (SPANS, LOG_EVENTS, CHATS)


def fold(lake: Lake, keys: list[Key]) -> tuple[int, list[Skips]]:
    """Rewrite partitions in which a row arrived twice, and stamp all; says how many rows were repetitions."""
    todo = work(lake, SPANS_ASSET, arrivals(lake, keys))
    stale = sorted(todo.stale)
    repeated = 0
    skipped: list[Skips] = []
    for key in report_each(SPANS_ASSET, stale, "folding repetitions"):
        skips = Skips(SPANS_ASSET, key[0], key[1])
        with skips.unit("day"):
            repeated += _fold_day(lake, key)
        skipped.append(skips)
    now = work_to_retry(
        replace(todo, wanted=arrivals(lake, stale)), [(one.app, one.day) for one in skipped if one]
    )
    made_of = now.wanted
    lake.stamp(
        SPANS_ASSET,
        [
            Stamp(
                asset=SPANS_ASSET, app=key[0], day=key[1], digest=made_of[key], made_of=made_of[key]
            )
            for key in stale
        ],
    )
    return repeated, skipped


def _fold_day(lake: Lake, key: Key) -> int:
    repeated = 0
    for table in ARRIVING:
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
    for app, day in sorted(work(lake, SPANS_ASSET, arrivals(lake, keys)).stale):
        rows = lake.read(table, app=app, days=[day], columns=names)
        counts[app, day] = rows.group_by(names).aggregate([]).num_rows
    return counts


def arrivals(lake: Lake, keys: list[Key]) -> dict[Key, str]:
    """What has arrived in each partition, as a text that changes with it."""
    found = [lake.fingerprints(table) for table in ARRIVING]
    return {key: made_of(*(prints.get(key, "") for prints in found)) for key in keys}


def arrived_keys(lake: Lake) -> list[Key]:
    """Every partition in which anything has arrived."""
    keys = {key for table in ARRIVING for key in lake.counts(table)}
    return sorted((app, day) for app, day in keys)
