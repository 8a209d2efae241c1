"""`failure_clusters`: failures that fail in the same way, with ids that stay."""

from collections.abc import Sequence

import dagster as dg

from dagster_project.build.budgets import meter_of
from dagster_project.build.left_out import Skips
from dagster_project.build.progress import report_each
from dagster_project.causes.cluster_rows import cost_of, lineage_of
from dagster_project.causes.model_names import naming_of
from dagster_project.clean_records import clusters_of, failures_of, versions_seen
from dagster_project.defs.asset import every_part_of, lake_asset
from dagster_project.defs.partitions import APPS
from dagster_project.defs.resources import CleanSide
from dagster_project.defs.result import AssetResult, Metadata, asset_result
from dagster_project.defs.show import bars, rows_of
from dagster_project.lake.freshness import Key, Work, digests, leave, made_of, store, work
from dagster_project.lake.learnt_tables import CLUSTERS
from dagster_project.lake.rows import to_table
from dagster_project.lake.store import Lake
from synth.clusters.clustering import Clusters, ClusterSettings, cluster

ASSET = "failure_clusters"
DEFAULT_K = ClusterSettings().k


@lake_asset(
    APPS,
    group="synth",
    deps=[every_part_of("failures")],
    says="Failures grouped by cause. Each group has a name, a trend and examples, and keeps its id from build to build.",
    kinds=("delta", "scikitlearn"),
)
def failure_clusters(context: dg.AssetExecutionContext, clean: CleanSide) -> AssetResult:
    """Place new failures among the clusters that are known."""
    lake = clean.lake
    meter = meter_of(ASSET, clean.limits)
    todo = work(lake, ASSET, ingredients(lake, context.partition_keys, k=clean.k))
    for app in report_each(ASSET, todo.apps()):
        skips = Skips(ASSET, app)
        with skips.unit("app") as clustering:
            known = Clusters(clusters=tuple(clusters_of(lake, app)))
            found = cluster(
                failures_of(lake, app),
                known,
                settings=ClusterSettings(k=clean.k),
                naming=naming_of(clean, meter),
                versions={app: versions_seen(lake, app)},
            )
            store(lake, CLUSTERS, to_table(found.clusters, CLUSTERS.schema), todo, keys=[(app, "")])
        if clustering.failed:
            # Clusters keep their ids for ever: those of before stay.
            leave(lake, todo, [(app, "")])
        skips.keep(lake)
    return asset_result(lake, todo, lambda: _cluster_metadata(lake, todo))


def _cluster_metadata(lake: Lake, todo: Work) -> Metadata:
    known = [c for app, _ in sorted(todo.wanted) for c in clusters_of(lake, app)]
    shown = [c for c in known if c.failures]
    shown.sort(key=lambda c: (-c.failures, c.cluster_id))
    return {
        "clusters": len(shown),
        "largest": rows_of(
            ("app", "cluster", "failures", "confirmed", "users", "trend", "cost"),
            [
                (c.app, c.name, c.failures, c.confirmed, c.subjects, c.moves, cost_of(c))
                for c in shown
            ],
        ),
        "came_and_went": rows_of(
            ("app", "cluster", "what became of it"),
            [(c.app, c.name, told) for c in known for told in [lineage_of(c, known)] if told],
        ),
        "picture": bars("failures by cluster", {c.name: c.failures for c in shown}),
    }


def ingredients(lake: Lake, apps: Sequence[str], *, k: int) -> dict[Key, str]:
    """What each app's clusters are made of now."""
    asked = () if k == DEFAULT_K else (f"k={k}",)  # homes that say nothing of it are not made again

    def of_app(app: str) -> str:
        versions = versions_seen(lake, app)
        counted_in = [f"{one.name}: {one.episodes} since {one.first}" for one in versions]
        return made_of(digests(lake, "failures", app), *asked, *counted_in)

    return {(app, ""): of_app(app) for app in apps}
