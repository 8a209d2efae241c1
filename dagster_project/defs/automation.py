"""Automation: a sensor for what arrives (late outcomes too), a daily schedule for what is learnt, one for tidying.

All start stopped: a person switches them on in the UI. They only request what the stamps say is stale.
"""

import dagster as dg

from dagster_project.arrival.files import land
from dagster_project.build.plan import plan_days, ranges, stale_apps
from dagster_project.defs.jobs import make_tasks, redact_days, remove_expired_data
from dagster_project.defs.partitions import APP_DAYS, APPS
from dagster_project.defs.resources import CleanSide, PrivateSide
from dagster_project.home.owner import holder_of
from dagster_project.lake.digests import hash_of
from ingest.receiver.wal import Wal

RANGE_START = "dagster/asset_partition_range_start"
RANGE_END = "dagster/asset_partition_range_end"


@dg.sensor(
    job=redact_days,
    minimum_interval_seconds=60,
    description="Starts a run for days with new records or late outcomes.",
)
def arrivals(
    context: dg.SensorEvaluationContext, private: PrivateSide, clean: CleanSide
) -> dg.SensorResult | dg.SkipReason:
    """Bring what is pending into the lake, and ask for the app-days that it changed."""
    home = private.opened()
    if (holder := holder_of(home)) is not None:
        return dg.SkipReason(f"the home is being built by {holder.says}")
    with Wal(home.wal) as wal:
        land(home, wal)
    plan = plan_days(private, clean)
    if not plan.stale_days:
        return dg.SkipReason("nothing has changed")
    there = list(context.instance.get_dynamic_partitions(APP_DAYS.name or ""))
    new = [key for key in plan.known_days if key not in set(there)]
    return dg.SensorResult(
        dynamic_partitions_requests=[APP_DAYS.build_add_request(new)] if new else [],
        run_requests=[
            dg.RunRequest(
                # The same staleness asks once: a run that failed is started again by a person.
                run_key=hash_of(first, last, plan.state),
                tags={RANGE_START: first, RANGE_END: last},
            )
            for first, last in ranges([*there, *new], plan.stale_days)
        ],
    )


@dg.schedule(
    job=make_tasks,
    cron_schedule="30 3 * * *",
    description="Makes worlds, tasks and task sets, each day.",
)
def daily(
    context: dg.ScheduleEvaluationContext, private: PrivateSide, clean: CleanSide
) -> list[dg.RunRequest] | dg.SkipReason:
    """Ask for the apps whose clean data has changed."""
    if (holder := holder_of(private.opened())) is not None:
        return dg.SkipReason(f"the home is being built by {holder.says}")
    known = plan_days(private, clean).known_apps
    stale = stale_apps(clean, known)
    if not stale:
        return dg.SkipReason("nothing has changed")
    there = list(context.instance.get_dynamic_partitions(APPS.name or ""))
    new = [app for app in known if app not in set(there)]
    context.instance.add_dynamic_partitions(APPS.name or "", new)
    return [
        dg.RunRequest(run_key=None, tags={RANGE_START: first, RANGE_END: last})
        for first, last in ranges([*there, *new], stale)
    ]


nightly_tidy = dg.ScheduleDefinition(
    name="nightly_tidy",
    job=remove_expired_data,
    cron_schedule="0 5 * * *",
    description="Removes raw data that has expired and files of older table versions, each night.",
)
