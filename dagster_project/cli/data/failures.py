"""`tracegym failures`: failure clusters, and the episodes behind one."""

from collections.abc import Sequence
from dataclasses import replace
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Final

import typer

from dagster_project.cli.apps import asked_apps
from dagster_project.cli.options import HOME, AppOption, HomeOption, JsonOption
from dagster_project.cli.output import print_json, print_table, print_text
from dagster_project.errors import InputError
from dagster_project.home.layout import open_home

if TYPE_CHECKING:
    from dagster_project.lake.store import Lake
    from synth.clusters.clustering import Cluster
    from synth.failures.detection import Failure

MOST: Final = 20
"""Failures of a cluster that are listed."""


def failures(
    home: HomeOption = HOME,
    app: AppOption = None,
    cluster: Annotated[
        str | None, typer.Option("--cluster", metavar="ID", help="The episodes of this cluster.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show what fails and why: causes with their size and trend, or the episodes of one with step and agent.

    Example: tracegym failures --home H --cluster 3f2a
    """
    opened = open_home(home)
    # pyarrow, deltalake and the records: 1 s
    from dagster_project.causes.cluster_rows import cost_of  # noqa: PLC0415
    from dagster_project.clean_records import home_days  # noqa: PLC0415
    from dagster_project.lake.rows import plain_json  # noqa: PLC0415
    from dagster_project.lake.store import Lake  # noqa: PLC0415
    from synth.failures.causes import PARTIES  # noqa: PLC0415

    lake = Lake(opened.clean / "lake")
    apps = asked_apps(opened, app, home)
    found = _clusters(lake, apps)
    if not found:
        raise InputError(
            f"no failures are known in {home}; look for them with: tracegym build --home {quote(str(home))}"
        )
    if cluster is not None:
        chosen = [one for one in found if one.cluster_id.startswith(cluster)]
        if len(chosen) != 1:
            raise InputError(f"{len(chosen)} clusters have an id that starts with {cluster!r}")
        _show_one(lake, chosen[0], as_json=as_json)
        return
    if as_json:
        print_json([plain_json(said_of(one)) for one in found])
        return
    seen = {name: len(home_days(lake, name)) for name in {one.app for one in found}}
    listed = [
        (
            c.cluster_id[:12],
            c.app,
            c.name,
            PARTIES.get(c.cause, "agent"),
            c.failures,
            f"{100 * c.failures / max(seen[c.app], 1):.1f} %",
            c.confirmed,
            c.subjects,
            c.moves,
            cost_of(c),
        )
        for c in found
    ]
    headings = (
        "id",
        "app",
        "what fails",
        "whose",
        "failures",
        "of all",
        "confirmed",
        "users",
        "trend",
        "cost",
    )
    kept = len(headings) - (not any(c.amounts for c in found))
    print_table("Failure clusters", headings[:kept], [row[:kept] for row in listed])
    _show_lineage(lake, sorted(seen))
    _show_agreement(lake, sorted(seen))


def _show_lineage(lake: "Lake", apps: "Sequence[str]") -> None:
    """Clusters that were split, merged or retired."""
    from dagster_project.causes.cluster_rows import lineage_of  # noqa: PLC0415 - see above
    from dagster_project.clean_records import clusters_of  # noqa: PLC0415 - see above

    known = [one for app in apps for one in clusters_of(lake, app)]
    rows = [
        (one.cluster_id[:12], one.app, one.name, told)
        for one in known
        if (told := lineage_of(one, known))
    ]
    if rows:
        print_table(
            "Clusters that came or went", ("id", "app", "what fails", "what became of it"), rows
        )


def _show_facts(lake: "Lake", one: "Cluster") -> None:
    """Where a cluster comes from, what it cost, and how often it happens in each version of the agent."""
    from dagster_project.causes.cluster_rows import cost_of, lineage_of  # noqa: PLC0415 - see above
    from dagster_project.clean_records import clusters_of  # noqa: PLC0415 - see above

    told = [one.description, lineage_of(one, clusters_of(lake, one.app))]
    if one.moves:
        told.append(f"trend: {one.moves}")
    if one.amounts:
        told.append(f"cost: {cost_of(one)}")
    for line in filter(None, told):
        print_text(line)
    if one.versions:
        rows = [
            (v.version, v.failures, v.episodes, f"{100 * v.failures / max(v.episodes, 1):.1f} %")
            for v in one.versions
        ]
        print_table("By version of the agent", ("version", "failures", "episodes", "share"), rows)


def _show_agreement(lake: "Lake", apps: "Sequence[str]") -> None:
    """How often evidence and a model name what people name, where people labelled failures."""
    from dagster_project.causes.cluster_rows import AGREEMENT, agreement_rows  # noqa: PLC0415 - see above
    from dagster_project.clean_records import failures_of  # noqa: PLC0415 - see above

    rows = [row for app in apps for row in agreement_rows(app, failures_of(lake, app))]
    if rows:
        print_table("Causes beside the labels of people", ("app", *AGREEMENT), rows)


def _show_one(lake: "Lake", one: "Cluster", *, as_json: bool) -> None:
    """The failures of a cluster, and one of them beside a resolved attempt at the same request."""
    from dagster_project.lake.rows import plain_json  # noqa: PLC0415 - see above

    members = _members(lake, one)
    if as_json:
        shown = [member if one.named else replace(member, error="") for member in members]
        print_json({"cluster": plain_json(said_of(one)), "failures": plain_json(shown)})
        return
    rows = [
        (
            f.episode_id,
            f.status,
            f.agent or "-",
            "-" if f.step is None else f.step,
            f.named_by,
            _shows(f),
        )
        for f in members[:MOST]
    ]
    headings = ("episode", "status", "agent", "step", "named by", "what shows it")
    print_table(one.name, headings, rows)
    if len(members) > MOST:
        print_text(f"and {len(members) - MOST} more; --json has all of them")
    _show_facts(lake, one)
    if one.named:
        _show_beside(lake, members)
    print_text(
        f"tasks of this cluster: tracegym export taskset DEST --select cluster={one.cluster_id[:12]}"
    )


def _show_beside(lake: "Lake", members: "Sequence[Failure]") -> None:
    """The critical step of a failure beside what a resolved attempt at the same request did there."""
    from dagster_project.causes.side_by_side import side_by_side  # noqa: PLC0415 - see above

    found = side_by_side(lake, members)
    if found is None:
        return
    failed, resolved = found.failed, found.resolved
    rows = [
        ("episode", failed.episode_id, resolved.episode_id),
        ("step", failed.step, resolved.step),
        ("before it", failed.before, resolved.before),
        ("what was done", failed.done, resolved.done),
        ("what came back", failed.back, resolved.back),
    ]
    print_table("The same request, failed and resolved", ("", "failed", "resolved"), rows)


def _shows(failure: "Failure") -> str:
    """What the evidence says of the critical step, else what the signals say."""
    at = [piece.says for piece in failure.evidence if piece.step == failure.step]
    signals = [signal.says for signal in failure.signals if signal.family != "outcome"]
    return " ".join(dict.fromkeys(at or signals)) or "Only the outcome."


def said_of(one: "Cluster") -> "Cluster":
    """What of a cluster may be told: below k users its error's template and its users' wishes are one person's words."""
    return replace(one, error=one.says, exemplars=one.exemplars if one.named else ())


def _clusters(lake: "Lake", apps: "Sequence[str]") -> list["Cluster"]:
    from dagster_project.clean_records import clusters_of  # noqa: PLC0415 - see above

    found = [one for app in apps for one in clusters_of(lake, app) if one.failures]
    return sorted(found, key=lambda c: (-c.failures, c.cluster_id))


def _members(lake: "Lake", cluster: "Cluster") -> list["Failure"]:
    from dagster_project.clean_records import failures_of  # noqa: PLC0415 - see above

    ids = {member.episode_id for member in cluster.members}
    return [one for one in failures_of(lake, cluster.app) if one.episode_id in ids]
