"""`difficulty`: how often each task is solved, in production and by the policies that tried it."""

from collections import Counter
from collections.abc import Mapping, Sequence

import dagster as dg

from dagster_project.build.left_out import Skips
from dagster_project.build.progress import report_each
from dagster_project.defs.asset import every_part_of, lake_asset
from dagster_project.defs.partitions import APPS
from dagster_project.defs.resources import CleanSide
from dagster_project.defs.result import AssetResult, Metadata, asset_result
from dagster_project.defs.show import image, rows_of
from dagster_project.difficulty.by_task import AppDifficulty
from dagster_project.difficulty.pass_rates import TaskDifficulty
from dagster_project.difficulty.picture import picture
from dagster_project.difficulty.report import (
    AIM,
    BAND,
    app_difficulty,
    document,
    flat_groups,
    in_band,
    saturation,
)
from dagster_project.lake.documents import Document, records, to_rows
from dagster_project.lake.freshness import Key, digests, made_of, store, work
from dagster_project.lake.learnt_tables import DIFFICULTY, ROLLOUTS
from dagster_project.lake.store import Lake
from dagster_project.rollouts.store import rewards_of

ASSET = "difficulty"
RULES = "estimates, spread"
"""Changes when older rows lack something."""


@lake_asset(
    APPS,
    group="environments",
    deps=["verified_tasks", every_part_of("rollouts")],
    says="How often each task version is solved, with intervals: by recorded agents, and by each policy in rollouts.",
)
def difficulty(context: dg.AssetExecutionContext, clean: CleanSide) -> AssetResult:
    """Count the apps whose verdicts or rollouts changed."""
    lake = clean.lake
    todo = work(lake, ASSET, ingredients(lake, context.partition_keys))
    found = {}
    for app in report_each(ASSET, context.partition_keys):
        skips = Skips(ASSET, app)
        rows = DIFFICULTY.schema.empty_table()
        with skips.unit("app"):
            found[app] = app_difficulty(lake, app)
            rows = to_rows(
                Document(app=app, id=one.task_id, version=one.task_version, content=one)
                for one in found[app].tasks
            )
        if (app, "") in todo.stale:
            store(lake, DIFFICULTY, rows, todo, keys=[(app, "")], again=bool(skips))
        skips.keep(lake)
    return asset_result(
        lake,
        todo,
        lambda: _difficulty_metadata(lake, context, found),
    )


def _difficulty_metadata(
    lake: Lake,
    context: dg.AssetExecutionContext,
    found: Mapping[str, AppDifficulty],
) -> Metadata:
    known = [
        one
        for app in context.partition_keys
        for one in records(lake, DIFFICULTY, app, TaskDifficulty).values()
    ]
    policies: Counter[str] = Counter(name for one in known for name in one.policies)
    lines = saturation(
        row
        for app in context.partition_keys
        for rows in rewards_of(lake, app).values()
        for row in rows
    )
    flat = flat_groups(known)
    return {
        "tasks": len(known),
        "tasks_in_the_band": len(in_band(known, BAND)),
        "tasks_in_the_aim": len(in_band(known, AIM)),
        "policies": rows_of(
            ("policy", "tasks tried", "mean reward", "groups", "groups without spread"),
            [
                (name, n, _mean(known, name), *flat.get(name, (0, 0)))
                for name, n in sorted(policies.items())
            ],
        ),
        "calibration": rows_of(
            ("app", "unseen attempts", "Brier score", "of the mean", "calibration error"),
            [
                (app, c.attempts, c.brier, c.brier_of_mean, c.error)
                for app, one in found.items()
                if (c := one.calibration) is not None
            ],
        ),
        "saturation": rows_of(
            ("policy", "version", "from", "tasks", "mean", "saturated", "in the aim", "flat"),
            [
                (
                    *(s.policy, s.task_set_version[:12], s.first_day),
                    *(s.tasks, s.mean, s.saturated, s.aimed, s.flat),
                )
                for s in lines
            ],
        ),
        "picture": image(
            "pass rates, expected and reached", picture(document(list(found.values()), lines))
        ),
    }


def ingredients(lake: Lake, apps: Sequence[str]) -> dict[Key, str]:
    """What each app's difficulty is made of now."""
    written = lake.fingerprints(ROLLOUTS)
    return {
        (app, ""): made_of(
            digests(lake, "verified_tasks", app),
            digests(lake, "tasks", app),
            digests(lake, "worlds", app),
            RULES,
            *(f"{key}={text}" for key, text in written.items() if key[0] == app),
        )
        for app in apps
    }


def _mean(known: Sequence[TaskDifficulty], policy: str) -> float:
    tried = [one.policies[policy] for one in known if policy in one.policies]
    return sum(r.solved for r in tried) / max(1, sum(r.tried for r in tried))
