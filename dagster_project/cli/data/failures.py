"""`tracegym failures`: failure clusters, and the episodes behind one."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Final

import typer

from dagster_project.cli.options import HOME, AppOption, HomeOption, JsonOption
from dagster_project.cli.output import print_json, print_table, print_text
from dagster_project.errors import InputError
from dagster_project.home.layout import apps_of, open_home

if TYPE_CHECKING:
    from dagster_project.lake.store import Lake
    from redact.records.clean_episode import CleanStep
    from synth.clusters.clustering import Cluster
    from synth.failures.detection import Failure

LONGEST: Final = 400
"""Characters of a step that are shown."""


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
    from dagster_project.lake.clean_records import home_days  # noqa: PLC0415
    from dagster_project.lake.rows import plain_json  # noqa: PLC0415
    from dagster_project.lake.store import Lake  # noqa: PLC0415
    from synth.failures.causes import PARTIES  # noqa: PLC0415

    lake = Lake(opened.clean / "lake")
    apps = [app] if app else list(apps_of(opened))
    found = _clusters(lake, apps)
    if not found:
        raise InputError(f"no failures are known in {home}; look for them with: tracegym build")
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
            c.movement,
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
    )
    print_table("Failure clusters", headings, listed)
    _show_agreement(lake, sorted(seen))


def _show_agreement(lake: "Lake", apps: "Sequence[str]") -> None:
    """How often evidence and a model name what people name, where people labelled failures."""
    from dagster_project.causes.agreement_rows import AGREEMENT, agreement_row  # noqa: PLC0415 - see above
    from dagster_project.lake.clean_records import failures_of  # noqa: PLC0415 - see above
    from synth.failures.judging.agreement import agreement_of  # noqa: PLC0415 - see above

    rows = [
        (app, *agreement_row(row)) for app in apps for row in agreement_of(failures_of(lake, app))
    ]
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
            " ".join(
                dict.fromkeys(
                    [
                        *(e.says for e in f.evidence if e.step == f.step),
                        *(s.says for s in f.signals),
                    ]
                )
            ),
        )
        for f in members
    ]
    print_table(one.name, ("episode", "status", "agent", "step", "named by", "what shows it"), rows)
    if one.named:
        _show_beside(lake, one, members)
    print_text(
        f"tasks of this cluster: tracegym export taskset DEST --select cluster={one.cluster_id[:12]}"
    )


def _show_beside(lake: "Lake", one: "Cluster", members: "Sequence[Failure]") -> None:
    """The critical step of the first failure that has a resolved attempt beside it."""
    from dagster_project.lake.clean_records import clean_episodes_of  # noqa: PLC0415 - see above
    from synth.failures.resolved_twin import step_beside  # noqa: PLC0415

    compared = [f for f in members if f.beside is not None and f.step is not None]
    if not compared:
        return
    first = compared[0]
    ids = {first.episode_id, first.beside}
    found = {e.episode_id: e for e in clean_episodes_of(lake, one.app) if e.episode_id in ids}
    failed, resolved = found.get(first.episode_id), found.get(first.beside or "")
    if failed is None or resolved is None or first.step is None:
        return
    beside = step_beside(failed.steps, first.step, resolved.steps)
    rows = [("fails", first.episode_id, first.step, _said(failed.steps[first.step]))]
    if beside is not None:
        rows.append(("resolved", resolved.episode_id, beside, _said(resolved.steps[beside])))
    print_table(
        "The critical step beside a resolved attempt at the same request",
        ("", "episode", "step", "what was done"),
        rows,
    )


def _said(step: "CleanStep") -> str:
    """A step in one line, cut where it is long."""
    calls = [f"{call.name} {call.arguments}" for call in step.tool_calls]
    text = " ".join(" ".join([step.content or "", *calls]).split())
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


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
