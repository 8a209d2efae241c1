"""`outcomes`: what users got, joined to their episodes; late ones reach back to the day they are about."""

from functools import partial

import dagster as dg

from dagster_project.arrival.outcome_days import outcome_digests, outcomes_by_day
from dagster_project.build.left_out import Skips
from dagster_project.build.progress import tell
from dagster_project.defs.asset import lake_asset
from dagster_project.defs.partitions import APP_DAYS, app_days
from dagster_project.defs.resources import PrivateSide
from dagster_project.defs.result import AssetResult, asset_result
from dagster_project.lake.freshness import Key, leave, made_of, or_unknown, store, work
from dagster_project.lake.rows import looked_up, to_table
from dagster_project.lake.store import Lake
from dagster_project.lake.tables import OUTCOMES

ASSET = "outcomes"


@lake_asset(
    APP_DAYS,
    group="ingest",
    deps=["episodes"],
    says="What users got, with source and time, joined to episodes by conversation, trace, user or task key.",
)
def outcomes(context: dg.AssetExecutionContext, private: PrivateSide) -> AssetResult:
    """Join what arrived; outcomes without an episode wait with the day they were said."""
    lake = private.lake
    asked = app_days(context.partition_keys)
    todo = work(lake, ASSET, ingredients(lake, asked))
    joined = waiting = 0
    for app, days in todo.days().items():
        tell(ASSET, 0, len(days), app)
        skips = Skips(ASSET, app, days[0])
        keys = [(app, day) for day in days]
        with skips.unit("app") as joining:
            by_day = outcomes_by_day(lake, app)
            home = {o.outcome_id: day for day in days for o in by_day.get(day, [])}
            said = [o for day in days for o in by_day.get(day, [])]
            rows = to_table(said, OUTCOMES.schema, day=looked_up(home, "outcome_id"))
            store(lake, OUTCOMES, rows, todo, keys=keys)
            joined += sum(outcome.episode_id is not None for outcome in said)
            waiting += sum(outcome.episode_id is None for outcome in said)
        if joining.failed:
            leave(lake, todo, keys)
        skips.keep(private.clean_lake, days)
    return asset_result(
        private.clean_lake,
        todo,
        lambda: {
            "joined": joined,
            "waiting_for_an_episode": waiting,
        },
    )


def ingredients(lake: Lake, asked: dict[str, list[str]]) -> dict[Key, str]:
    """What each partition is made of now: the joined outcomes themselves."""
    found: dict[Key, str] = {}
    for app, days in asked.items():
        found |= or_unknown([(app, day) for day in days], partial(_of_app, lake, app, days))
    return found


def _of_app(lake: Lake, app: str, days: list[str]) -> dict[Key, str]:
    by_day = outcome_digests(lake, app)
    return {(app, day): made_of(by_day.get(day, "")) for day in days}
