"""`rollouts`: attempts of a policy at every accepted task, launched from the UI or by `tracegym rollout`."""

import asyncio
from collections.abc import Iterator

import dagster as dg

from dagster_project.defs.partitions import APP_DAYS, ONE_RUN, app_days
from dagster_project.defs.resources import OWNERS, CleanSide
from dagster_project.defs.result import AssetResult
from dagster_project.defs.show import rows_of
from dagster_project.lake.clean_files import bring
from dagster_project.lake.learnt_tables import ROLLOUTS
from dagster_project.rollouts.policies import ClusterChoice, Launch, PolicyChoice
from dagster_project.rollouts.runs import roll_out
from dagster_project.rollouts.store import rollout_rows
from environments.rollout.causes import nulls_in_words
from environments.rollout.engine import RolloutSettings
from environments.runtime.task.manifest import MANIFEST


class RolloutConfig(dg.Config, use_attribute_docstrings=True):
    """Which policy acts, and how often."""

    policy: str = "solution"
    """A scripted policy, an endpoint's URL, `torch:FOLDER`, or `provider/model`."""
    model: str = ""
    """The model that an endpoint is asked for; empty: the one that it serves."""
    api_key: str = ""
    """Set it with an environment variable: `{"env": "TRACEGYM_POLICY_KEY"}`."""
    samples: int = 1
    """Rollouts of each task."""
    concurrency: int = 64
    """Rollouts at once."""
    ray_address: str = ""
    """A Ray cluster (`auto`, `ray://host:10001`), such as a GPU host's; empty runs in this process."""
    ray_workers: int = 2
    """Processes on that cluster."""
    ray_worker_gpus: float = 0.0
    """GPUs that each of them reserves."""


@dg.asset(
    partitions_def=APP_DAYS,
    backfill_policy=ONE_RUN,
    deps=[dg.AssetDep("task_sets", partition_mapping=dg.AllPartitionMapping())],
    group_name="environments",
    kinds={"delta"},
    owners=OWNERS,
    description="Trajectories, rewards and group advantages of a policy on an app's task set.",
    output_required=False,
)
def rollouts(
    context: dg.AssetExecutionContext, config: RolloutConfig, clean: CleanSide
) -> Iterator[AssetResult]:
    """Run what has not been run yet; where nothing is, nothing is materialised and the log says why."""
    launch = _launch(config)
    ran = graded = failed = before = 0
    for app in app_days(context.partition_keys):
        folder = bring(clean.folder, f"tasksets/{app}")
        if not (folder / MANIFEST).is_file():
            continue
        counts = asyncio.run(roll_out(clean.lake, folder, launch))
        ran += counts.rollouts
        graded += counts.graded
        failed += counts.failed
        before += counts.before
    if not ran:
        context.log.warning(_nothing_done(config.policy, before))
        return
    yield dg.MaterializeResult(
        metadata={
            "rollouts": ran,
            "graded": graded,
            "failed": failed,
            "in_the_lake": sum(clean.lake.counts(ROLLOUTS).values()),
            "by_policy": rows_of(
                ("app", "policy", "tasks", "rollouts", "graded", "mean reward", "null", "note"),
                [
                    (
                        *(row.app, r.policy, r.tasks, r.rollouts, r.graded, r.mean_reward or 0.0),
                        *(nulls_in_words(r.reasons), r.says()),
                    )
                    for row in rollout_rows(clean.lake)
                    for r in [row.found]
                ],
            ),
        }
    )


def _nothing_done(policy: str, before: int) -> str:
    if before:
        return f"nothing to do: policy {policy} has all {before} rollouts of these task sets already; ask for more samples"
    return "nothing to do: no app of these partitions has an accepted task; the report says what each lacks"


def _launch(config: RolloutConfig) -> Launch:
    return Launch(
        choice=PolicyChoice(name=config.policy, model=config.model, api_key=config.api_key),
        settings=RolloutSettings(samples=config.samples, concurrency=config.concurrency),
        cluster=ClusterChoice(
            address=config.ray_address, workers=config.ray_workers, gpus=config.ray_worker_gpus
        )
        if config.ray_address
        else None,
    )
