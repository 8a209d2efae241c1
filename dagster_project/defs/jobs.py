"""Jobs: what arrives by app and day, and what is learnt by app. `tracegym build` runs the same two."""

import dagster as dg

from dagster_project.defs.partitions import APP_DAYS, APPS

ARRIVING = ("spans", "episodes", "outcomes", "clean_episodes", "clean_outcomes", "failures")
LEARNT = ("failure_clusters", "worlds", "tasks", "verified_tasks", "task_sets")

days = dg.define_asset_job(
    "days",
    selection=dg.AssetSelection.assets(*ARRIVING),
    partitions_def=APP_DAYS,
    description="Telemetry to failures, for the app-days that changed.",
    executor_def=dg.in_process_executor,
)
apps = dg.define_asset_job(
    "apps",
    selection=dg.AssetSelection.assets(*LEARNT),
    partitions_def=APPS,
    description="Clusters, worlds, tasks and task sets of the apps that changed.",
    executor_def=dg.in_process_executor,
)
