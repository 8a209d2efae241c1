"""Jobs: what arrives by app and day, what is learnt by app, rollouts, tidying. `tracegym build` runs the first two."""

import dagster as dg

from dagster_project.build.executors import executor_of
from dagster_project.defs.partitions import APP_DAYS, APPS
from dagster_project.defs.resources import PrivateSide, executor_choice
from dagster_project.home.tidy import tidy as tidy_home

ARRIVING = ("spans", "episodes", "outcomes", "clean_episodes", "clean_outcomes", "failures")
LEARNT = (
    *("failure_clusters", "worlds", "tasks", "agreement", "verified_tasks"),
    *("task_sets", "difficulty"),
)
EXECUTOR = executor_of(executor_choice())
"""Where the steps of all runs happen; `tracegym build` takes it over."""

redact_days = dg.define_asset_job(
    "redact_days",
    selection=dg.AssetSelection.assets(*ARRIVING),
    partitions_def=APP_DAYS,
    description="From telemetry to failures, for each day of an app that changed.",
    executor_def=EXECUTOR.definition,
)
make_tasks = dg.define_asset_job(
    "make_tasks",
    selection=dg.AssetSelection.assets(*LEARNT),
    partitions_def=APPS,
    description="From failures to task sets, for each app that changed.",
    executor_def=EXECUTOR.definition,
)
run_rollouts = dg.define_asset_job(
    "run_rollouts",
    selection=dg.AssetSelection.assets("rollouts"),
    partitions_def=APP_DAYS,
    description="Run a policy on the task sets; the run's configuration names the policy.",
    executor_def=EXECUTOR.definition,
)


@dg.op(description="Remove raw data that has expired and files of older table versions.")
def remove_expired(context: dg.OpExecutionContext, private: PrivateSide) -> None:
    """Tidy the home."""
    done = tidy_home(private.opened())
    context.log.info(
        "removed: %d raw app-days, %d log records, %d files",
        done.expired_days,
        done.log_records,
        done.files,
    )


@dg.job(description="Remove raw data that has expired and files of older table versions.")
def remove_expired_data() -> None:
    """One step."""
    remove_expired()
