"""`tracegym failures`: failure clusters, and the episodes behind one."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from dagster_project.cli.options import HOME, AppOption, HomeOption, JsonOption
from dagster_project.cli.output import print_json, print_table
from dagster_project.errors import InputError
from dagster_project.home.layout import apps_of, open_home

if TYPE_CHECKING:
    from dagster_project.lake.store import Lake
    from synth.clusters.clustering import Cluster
    from synth.failures.detection import Failure


def failures(
    home: HomeOption = HOME,
    app: AppOption = None,
    cluster: Annotated[
        str | None, typer.Option("--cluster", metavar="ID", help="The episodes of this cluster.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show how the agent fails: clusters with their size and trend, or the episodes of one.

    Example: tracegym failures --home H --cluster 3f2a
    """
    opened = open_home(home)
    # pyarrow, deltalake and the records: 1 s
    from dagster_project.lake.rows import plain_json  # noqa: PLC0415
    from dagster_project.lake.store import Lake  # noqa: PLC0415

    lake = Lake(opened.clean / "lake")
    apps = [app] if app else list(apps_of(opened))
    found = _clusters(lake, apps)
    if not found:
        raise InputError(f"no failures are known in {home}; look for them with: tracegym build")
    if cluster is not None:
        chosen = [one for one in found if one.cluster_id.startswith(cluster)]
        if len(chosen) != 1:
            raise InputError(f"{len(chosen)} clusters have an id that starts with {cluster!r}")
        members = _members(lake, chosen[0])
        if as_json:
            shown = [one if chosen[0].named else replace(one, error="") for one in members]
            print_json({"cluster": plain_json(said_of(chosen[0])), "failures": plain_json(shown)})
        else:
            rows = [
                (f.episode_id, f.status, f.cause, " ".join(s.says for s in f.signals))
                for f in members
            ]
            print_table(chosen[0].name, ("episode", "status", "cause", "what shows it"), rows)
        return
    if as_json:
        print_json([plain_json(said_of(one)) for one in found])
        return
    listed = [
        (c.cluster_id[:12], c.app, c.name, c.failures, c.confirmed, c.subjects, c.movement)
        for c in found
    ]
    headings = ("id", "app", "how it fails", "failures", "confirmed", "users", "trend")
    print_table("Failure clusters", headings, listed)


def said_of(one: "Cluster") -> "Cluster":
    """What of a cluster may be told: below k users its error's template and its users' wishes are one person's words."""
    return replace(one, error=one.says, exemplars=one.exemplars if one.named else ())


def _clusters(lake: "Lake", apps: list[str]) -> list["Cluster"]:
    from dagster_project.lake.clean_records import clusters_of  # noqa: PLC0415 - see above

    found = [one for app in apps for one in clusters_of(lake, app) if one.failures]
    return sorted(found, key=lambda c: (-c.failures, c.cluster_id))


def _members(lake: "Lake", cluster: "Cluster") -> list["Failure"]:
    from dagster_project.lake.clean_records import failures_of  # noqa: PLC0415 - see above

    ids = {member.episode_id for member in cluster.members}
    return [one for one in failures_of(lake, cluster.app) if one.episode_id in ids]
