"""What assets of the lake share: the declaration (one run a backfill, owners, the check that shows what was left out), and how an app's rows are made."""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

import dagster as dg
import pyarrow as pa

from dagster_project.build.left_out import Skips
from dagster_project.defs.partitions import ONE_RUN
from dagster_project.defs.resources import OWNERS
from dagster_project.defs.result import left_out_check
from dagster_project.lake.freshness import Work, store
from dagster_project.lake.store import Lake
from dagster_project.lake.tables import Table


def lake_asset(  # noqa: PLR0913 - what assets differ in
    partitions: dg.PartitionsDefinition[Any],
    *,
    group: str,
    says: str,
    deps: Iterable[str | dg.AssetDep] = (),
    checks: Mapping[str, str] | None = None,
    blocking: Collection[str] = (),
    kinds: Collection[str] = ("delta",),
) -> Callable[[Callable[..., Any]], dg.AssetsDefinition]:
    """Declare a function as the asset of its name; `checks` say what holds of it, and those that are `blocking` stop what stands below."""

    def declare(body: Callable[..., Any]) -> dg.AssetsDefinition:
        name = body.__name__
        specs = [
            dg.AssetCheckSpec(check, asset=name, description=told, blocking=check in blocking)
            for check, told in (checks or {}).items()
        ]
        return dg.asset(
            partitions_def=partitions,
            backfill_policy=ONE_RUN,
            deps=list(deps),
            group_name=group,
            kinds=set(kinds),
            owners=OWNERS,
            description=says,
            check_specs=[*specs, left_out_check(name)],
        )(body)

    return declare


def make_each(
    lake: Lake,
    table: Table,
    todo: Work,
    make: Callable[[str, Skips], pa.Table],
    apps: Iterable[str] | None = None,
) -> None:
    """Make the rows of stale apps and store them; one at which that fails has none until the next build."""
    for app in todo.apps() if apps is None else apps:
        skips = Skips(todo.asset, app)
        rows = table.schema.empty_table()
        with skips.unit("app"):
            rows = make(app, skips)
        store(lake, table, rows, todo, keys=[(app, "")], again=bool(skips))
        skips.keep(lake)


def every_part_of(asset: str) -> dg.AssetDep:
    """All partitions of an asset, whichever partition depends on it."""
    return dg.AssetDep(asset, partition_mapping=dg.AllPartitionMapping())
