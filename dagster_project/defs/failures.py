"""`failures`: episodes that went badly, with what shows it."""

from collections import Counter
from functools import partial

import dagster as dg

from dagster_project.calibration import calibration_of, calibration_size
from dagster_project.clean_records import clean_episodes_of, home_days, labels_of
from dagster_project.defs.partitions import APP_DAYS, ONE_RUN, app_days
from dagster_project.defs.resources import CleanSide
from dagster_project.defs.result import AssetResult
from dagster_project.defs.show import rows_of, table_of
from dagster_project.freshness import (
    Key,
    digest,
    digests,
    file_digest,
    made_of,
    store,
    work,
)
from dagster_project.learnt_tables import FAILURES
from dagster_project.progress import counted
from dagster_project.review.store import ASSET as REVIEWS
from dagster_project.rows import looked_up, to_table
from dagster_project.tool_parts import parts_size, reading_of
from synth.failure_calibration import Calibration
from synth.failures import Failure, detect

ASSET = "failures"


@dg.asset(
    partitions_def=APP_DAYS,
    backfill_policy=ONE_RUN,
    deps=["clean_episodes", "clean_outcomes"],
    group_name="synth",
    kinds={"delta"},
    description="Episodes that an outcome or several signals say went badly, with the evidence.",
)
def failures(context: dg.AssetExecutionContext, clean: CleanSide) -> AssetResult:
    """Look for failures in the days that changed."""
    lake = clean.lake
    todo = work(lake, ASSET, ingredients(clean, app_days(context.partition_keys)))
    found: list[Failure] = []
    calibrated: dict[str, Calibration] = {}
    for app, days in todo.days().items():
        episodes = clean_episodes_of(lake, app, days)
        labels = labels_of(lake, app, clean.outcome_policy, days)
        reading = reading_of(lake, app, k=clean.k)
        calibration = calibration_of(lake, app, clean.outcome_policy, reading)
        read_as = partial(
            detect, calibration=calibration, parts=reading.parts, differing=reading.differing
        )
        if calibration is not None:
            calibrated[app] = calibration
        mine = [
            failure
            for episode in counted(ASSET, episodes, app)
            for label in (labels.get(episode.episode_id),)
            if (failure := read_as(episode, label)) is not None
        ]
        home = home_days(lake, app, days)
        rows = to_table(mine, FAILURES.schema, day=looked_up(home, "episode_id"))
        store(lake, FAILURES, rows, todo, keys=[(app, day) for day in days])
        found += mine
    return dg.MaterializeResult(
        metadata={
            "failures": sum(s.rows for k, s in lake.stamps(ASSET).items() if k in todo.wanted),
            "recomputed_partitions": len(todo.stale),
            "by_status": table_of("status", Counter(f.status for f in found)),
            "calibrated": rows_of(
                ("app", "judged episodes", "of them failed", "ranks right (AUC)", "95 % interval"),
                [
                    (app, one.episodes, one.failed, one.auc, f"{one.auc_low} to {one.auc_high}")
                    for app, one in sorted(calibrated.items())
                ],
            ),
            "by_mode": table_of("mode", Counter(f.mode for f in found)),
        }
    )


def ingredients(clean: CleanSide, asked: dict[str, list[str]]) -> dict[Key, str]:
    """What each partition is made of now."""
    episodes, outcomes = clean.lake.stamps("clean_episodes"), clean.lake.stamps("clean_outcomes")
    policy = file_digest(clean.outcome_policy)
    # A reviewer's label is about any day; looking for failures in a day takes milliseconds.
    said = {app: digests(clean.lake, REVIEWS, app) for app in asked}
    sizes = {
        app: calibration_size(clean.lake, app, clean.outcome_policy) if days else 0
        for app, days in asked.items()
    }
    learnt_from = {app: parts_size(clean.lake, app) if days else 0 for app, days in asked.items()}
    return {
        (app, day): made_of(
            digest(episodes, (app, day)),
            digest(outcomes, (app, day)),
            policy,
            said[app],
            f"calibrated on {sizes[app]}",
            f"parts of {learnt_from[app]}, k={clean.k}",
        )
        for app, days in asked.items()
        for day in days
    }
