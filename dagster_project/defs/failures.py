"""`failures`: episodes that went badly, with what shows it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import dagster as dg

from dagster_project.build.budgets import Meter, meter_of
from dagster_project.build.left_out import Skips
from dagster_project.build.progress import report_each
from dagster_project.causes.cluster_rows import AGREEMENT, agreement_rows
from dagster_project.causes.opinions import asked_for, said_of
from dagster_project.clean_records import (
    clean_episodes_of,
    clean_outcomes_of,
    failures_of,
    home_days,
    labels_of,
    outcome_policy_of,
)
from dagster_project.defs.asset import lake_asset
from dagster_project.defs.partitions import APP_DAYS, app_days
from dagster_project.defs.resources import CleanSide
from dagster_project.defs.result import AssetResult, asset_result
from dagster_project.defs.show import rows_of, table_of
from dagster_project.lake.freshness import (
    Key,
    clear,
    digest,
    digests,
    file_digest,
    made_of,
    or_unknown,
    store,
    work,
)
from dagster_project.lake.learnt_tables import FAILURES
from dagster_project.lake.rows import constant_column, looked_up, to_table
from dagster_project.review.store import ASSET as REVIEWS
from dagster_project.worlds.calibration import first_labelled, outcomes_size
from dagster_project.worlds.operations import parts_size, reading_of
from redact.records.clean_episode import CleanEpisode
from synth.failures.calibration import Calibration
from synth.failures.detection import Failure, calibrate_on, called_in, detect
from synth.failures.judging.opinion import NOTHING, SaidOpinions
from synth.failures.reading import PLAIN, AppReading
from synth.failures.reference import Called, Reference, learn_reference
from synth.labels.label import Label, amounts_of
from synth.labels.policy import load_outcome_policy

ASSET = "failures"


@lake_asset(
    APP_DAYS,
    group="synth",
    deps=["clean_episodes", "clean_outcomes"],
    says="Episodes that failed, by their outcome or by several signals, with the evidence.",
)
def failures(context: dg.AssetExecutionContext, clean: CleanSide) -> AssetResult:
    """Look for failures in the days that changed."""
    lake = clean.lake
    todo = work(lake, ASSET, ingredients(clean, app_days(context.partition_keys)))
    found: list[Failure] = []
    calibrated: dict[str, Calibration] = {}
    meter = meter_of(ASSET, clean.limits)
    for app, days in todo.days().items():
        skips = Skips(ASSET, app, days[0])
        keys = [(app, day) for day in days]
        with skips.unit("app") as looking:
            mine, calibration = _failures_of(clean, app, days, skips, meter)
            if calibration is not None:
                calibrated[app] = calibration
            home = home_days(lake, app, days)
            rows = to_table(mine, FAILURES.schema, day=looked_up(home, "episode_id"))
            store(lake, FAILURES, rows, todo, keys=keys, again=bool(skips))
            found += mine
        if looking.failed:
            clear(lake, FAILURES, todo, keys)
        skips.keep(lake, days)
    return asset_result(
        lake,
        todo,
        lambda: {
            "failures": sum(s.rows for k, s in lake.stamps(ASSET).items() if k in todo.wanted),
            "by_status": table_of("status", Counter(f.status for f in found)),
            "calibrated": rows_of(
                ("app", "judged episodes", "of them failed", "ranks right (AUC)", "95 % interval"),
                [
                    (app, one.episodes, one.failed, one.auc, f"{one.auc_low} to {one.auc_high}")
                    for app, one in sorted(calibrated.items())
                ],
            ),
            "by_cause": table_of("cause", Counter(f.cause for f in found)),
            "named_by": table_of("named by", Counter(f.named_by for f in found)),
            "agreement": rows_of(
                ("app", *AGREEMENT),
                [
                    row
                    for app in app_days(context.partition_keys)
                    for row in agreement_rows(app, failures_of(lake, app))
                ],
            ),
        },
    )


def _failures_of(
    clean: CleanSide, app: str, days: Sequence[str], skips: Skips, meter: Meter
) -> tuple[list[Failure], Calibration | None]:
    """The failures of some days, and what the app's signals are worth; without what calls mean where that cannot be told."""
    lake = clean.lake
    episodes = clean_episodes_of(lake, app, days)
    labels = labels_of(lake, app, clean.outcome_policy, days)
    reading, calibration = PLAIN, None
    with skips.unit("reading"):
        reading = reading_of(lake, app, k=clean.k)
    with skips.unit("calibration"):
        first = first_labelled(lake, app, clean.outcome_policy)
        reading = replace(reading, reference=_reference(first, reading, skips))
        calibration = calibrate_on(first, reading)
    found: dict[str, Failure] = {}

    def look(episode: CleanEpisode, said: SaidOpinions = NOTHING) -> None:
        with skips.unit("episode", episode.episode_id):
            failure = detect(
                episode,
                labels.get(episode.episode_id),
                calibration=calibration,
                app=reading,
                said=said,
            )
            # As a row at once: what cannot be one costs only its own episode.
            to_table(
                [failure] if failure is not None else [], FAILURES.schema, day=constant_column("")
            )
            if failure is not None:
                cost = amounts.get(episode.episode_id, ())
                found[episode.episode_id] = replace(failure, amounts=cost)

    policy = load_outcome_policy(clean.outcome_policy)
    amounts = amounts_of(clean_outcomes_of(lake, app, days), policy)

    for episode in report_each(ASSET, episodes, app):
        look(episode)
    failed = [one for one in episodes if one.episode_id in found]
    said = said_of(clean, app, failed, meter=meter, skips=skips)
    for episode in failed:
        if episode.episode_id in said:
            look(episode, said[episode.episode_id])
    return list(found.values()), calibration


def _reference(
    labelled: Sequence[tuple[CleanEpisode, Label]], reading: AppReading, skips: Skips
) -> Reference:
    """What the app's resolved episodes did, without those that cannot be read."""
    called: list[Called] = []
    for episode, label in labelled:
        if label.resolved is True:
            with skips.unit("resolved episode", episode.episode_id):
                called.append(called_in(episode, reading))
    return learn_reference(called)


def ingredients(clean: CleanSide, asked: dict[str, list[str]]) -> dict[Key, str]:
    """What each partition is made of now."""
    episodes, outcomes = clean.lake.stamps("clean_episodes"), clean.lake.stamps("clean_outcomes")
    policy = file_digest(clean.outcome_policy)

    def of_app(app: str, days: Sequence[str]) -> dict[Key, str]:
        # A reviewer's label is about any day; looking for failures in a day takes milliseconds.
        said = digests(clean.lake, REVIEWS, app)
        size = outcomes_size(clean.lake, app, clean.outcome_policy) if days else 0
        read = outcome_policy_of(clean.lake, app, clean.outcome_policy).read
        learnt_from = parts_size(clean.lake, app) if days else 0
        asked_causes = asked_for(clean, app) if days else ()
        return {
            (app, day): made_of(
                digest(episodes, (app, day)),
                digest(outcomes, (app, day)),
                policy,
                *(f"{name}: {rule}" for name, rule in sorted(read.items())),
                said,
                f"outcomes of {size}",
                f"parts of {learnt_from}, k={clean.k}",
                *asked_causes,
            )
            for day in days
        }

    return {
        key: told
        for app, days in asked.items()
        for key, told in or_unknown([(app, d) for d in days], partial(of_app, app, days)).items()
    }
