"""`episodes`: one canonical episode per conversation or run, whichever dialect it came in."""

import dagster as dg
import pyarrow as pa

from dagster_project.arrival import Arrived, append_outcomes, keep_rejected
from dagster_project.assembly import Assembly, assemble_days
from dagster_project.defs.partitions import APP_DAYS, ONE_RUN, app_days
from dagster_project.defs.resources import PrivateSide
from dagster_project.defs.result import AssetResult
from dagster_project.freshness import Key, Work, digest, made_of, store, work
from dagster_project.lake import Lake, Stamp, digest_of
from dagster_project.progress import tell
from dagster_project.rows import always, looked_up, to_table
from dagster_project.tables import CHATS, EPISODES, RESPONSES

ASSET = "episodes"


@dg.asset(
    partitions_def=APP_DAYS,
    backfill_policy=ONE_RUN,
    deps=["spans"],
    group_name="ingest",
    kinds={"delta"},
    description="Canonical episodes: messages, tool calls, results, tools, subject, consent.",
    check_specs=[
        dg.AssetCheckSpec(
            "nothing_lost",
            asset=ASSET,
            description="Every trace in which a model ran is in an episode, every chat-log line as well; the rest is counted.",
        )
    ],
)
def episodes(context: dg.AssetExecutionContext, private: PrivateSide) -> AssetResult:
    """Assemble the days that changed."""
    lake = private.lake
    todo = work(lake, ASSET, ingredients(lake, app_days(context.partition_keys)))
    spans = idle = refused = 0
    for app, days in todo.days().items():
        tell(ASSET, 0, len(days), app)
        assembly = assemble_days(lake, app, days)
        write(lake, app, days, assembly, todo)
        spans += assembly.spans
        idle += assembly.spans_without_episode
        refused += len(assembly.rejected)
    rows = lake.stamps(ASSET)
    return dg.MaterializeResult(
        metadata={
            "episodes": sum(rows[key].rows for key in todo.wanted if key in rows),
            "recomputed_partitions": len(todo.stale),
            "spans": spans,
            "spans_without_episode": idle,
            "quarantined": refused,
        },
        check_results=[
            dg.AssetCheckResult(
                check_name="nothing_lost",
                passed=_none_vanished(lake, todo),
                metadata={"spans": spans, "without_episode": idle, "quarantined": refused},
            )
        ],
    )


def ingredients(lake: Lake, asked: dict[str, list[str]]) -> dict[Key, str]:
    """What each partition is made of now."""
    arrived = lake.stamps("spans")
    return {
        (app, day): made_of(digest(arrived, (app, day)))
        for app, days in asked.items()
        for day in days
    }


def write(lake: Lake, app: str, days: list[str], assembly: Assembly, todo: Work) -> None:
    """Store assembled episodes, and the outcomes and refusals found on the way."""
    home = {e.episode_id: day for day, group in assembly.episodes.items() for e in group}
    rows = to_table(
        [e for day in days for e in assembly.episodes.get(day, [])],
        EPISODES.schema,
        day=looked_up(home, "episode_id"),
    )
    store(lake, EPISODES, rows, todo, keys=[(app, day) for day in days])
    for day in sorted(set(assembly.episodes) - set(days)):
        _merge(lake, app, day, assembly)
    append_outcomes(lake, assembly.outcomes, home)
    _keep_responses(lake, app, assembly, home)
    keep_rejected(lake, assembly.rejected, Arrived())


def _keep_responses(lake: Lake, app: str, assembly: Assembly, home: dict[str, str]) -> None:
    by_day: dict[str, list[dict[str, str]]] = {}
    for response, episode in sorted(assembly.responses.items()):
        day = home[episode]
        row = {"app": app, "day": day, "response_id": response, "episode_id": episode}
        by_day.setdefault(day, []).append(row)
    rows = [row for group in by_day.values() for row in group]
    table = pa.Table.from_pylist(rows, schema=RESPONSES.schema)
    if rows:
        lake.replace(RESPONSES, table, [(app, day) for day in by_day])


def _none_vanished(lake: Lake, todo: Work) -> bool:
    """Whether every chat-log line and every episode id that was ever given still has its row."""
    stamps = lake.stamps(ASSET)
    chats = lake.counts(CHATS)
    return all(stamps[key].rows >= 1 for key in todo.stale if chats.get(key) and key in stamps)


def _merge(lake: Lake, app: str, day: str, assembly: Assembly) -> None:
    """Put episodes of an earlier day that went on into the days at hand back where they live."""
    fresh = to_table(assembly.episodes[day], EPISODES.schema, day=always(day))
    ids = set(fresh["episode_id"].to_pylist())
    after = fresh

    def edit(before: pa.Table) -> pa.Table:
        nonlocal after
        kept = [row for row in before.to_pylist() if row["episode_id"] not in ids]
        merged = sorted(kept + fresh.to_pylist(), key=lambda r: (r["started_at"], r["episode_id"]))
        after = pa.Table.from_pylist(merged, schema=EPISODES.schema)
        return after

    lake.change(EPISODES, (app, day), edit)
    stamp = lake.stamps(ASSET).get((app, day))
    lake.stamp(
        ASSET,
        [
            Stamp(
                asset=ASSET,
                app=app,
                day=day,
                digest=digest_of(after),
                made_of=stamp.made_of if stamp else "",
                rows=after.num_rows,
            )
        ],
    )
