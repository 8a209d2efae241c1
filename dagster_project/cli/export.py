"""`tracegym export`: accepted tasks in the format of a consumer."""

import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from dagster_project.cli.options import HOME, AppOption, HomeOption, JsonOption
from dagster_project.cli.output import print_json, print_pairs
from dagster_project.errors import InputError
from dagster_project.home import apps_of, open_home

FORMATS = (
    "taskset",
    "verifiers",
    "sft",
    "dpo",
    "skyrl",
    "inspect",
    "openenv",
    "trl",
    "verl",
    "harbor",
    "nemo-gym",
)
"""As `environments.export.formats` has them, which takes 1 s to import."""


def export(  # noqa: PLR0913, PLR0917 - one parameter per option
    format_name: Annotated[
        str, typer.Argument(metavar="FORMAT", help=f"One of: {', '.join(FORMATS)}.")
    ],
    dest: Annotated[Path, typer.Argument(metavar="DEST", help="The folder to write.")],
    home: HomeOption = HOME,
    app: AppOption = None,
    include: Annotated[
        list[str] | None,
        typer.Option(
            "--include", metavar="STATUS", help="Also tasks of this status: needs_review."
        ),
    ] = None,
    name: Annotated[str | None, typer.Option("--name", help="The task set's name.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Write verified tasks as a task set, or as a package for a trainer.

    Example: tracegym export taskset my_tasks --home H && python my_tasks validate
    """
    if format_name not in FORMATS:
        raise typer.BadParameter(f"choose from {', '.join(FORMATS)}", param_hint="FORMAT")
    extra = tuple(include or ())
    if not set(extra) <= {"needs_review"}:
        raise typer.BadParameter("only needs_review can be added", param_hint="--include")
    opened = open_home(home)
    known = apps_of(opened)
    if app is not None and app not in known:
        raise InputError(f"{home} knows no app {app!r}; it knows: {', '.join(known) or 'none yet'}")
    counts = _write(opened.clean, [app] if app else list(known), (format_name, dest), extra, name)
    if as_json:
        print_json({"format": format_name, "dest": str(dest), **counts})
    else:
        print_pairs(f"{format_name}: {dest}", counts)
        typer.echo(f"check it with: {_next_step(format_name, dest)}")


def _write(
    clean: Path,
    apps: Sequence[str],
    target: tuple[str, Path],
    extra: tuple[str, ...],
    name: str | None,
) -> dict[str, object]:
    # pyarrow, deltalake and scikit-learn (through the records): 2 s
    from dagster_project.lake import Lake  # noqa: PLC0415
    from dagster_project.task_set_parts import parts_of  # noqa: PLC0415
    from environments.export.formats import FORMATS as WRITTEN_FROM_IT  # noqa: PLC0415
    from environments.export.taskset import ACCEPTED, write_task_set  # noqa: PLC0415

    _require_no_leaks(clean, apps)
    parts = parts_of(Lake(clean / "lake"), apps, name=name)
    statuses = (ACCEPTED, *extra)
    if not any(entry.status in statuses for entry in parts.entries):
        found = Counter(entry.status for entry in parts.entries)
        why = (
            f"none of its {len(parts.entries)} tasks is accepted ({dict(found)}); "
            "see the report for the reasons, or pass --include needs_review"
            if parts.entries
            else f"make tasks with: tracegym build --home {clean.parent}"
        )
        raise InputError(f"there is nothing to export from {clean.parent}: {why}")
    format_name, dest = target
    with tempfile.TemporaryDirectory() as scratch:
        folder = dest if format_name == "taskset" else Path(scratch) / "task_set"
        manifest = write_task_set(
            folder, parts.entries, parts.worlds, provenance=parts.provenance, statuses=statuses
        )
        if format_name != "taskset":
            WRITTEN_FROM_IT[format_name].write(folder, dest, name=name or "")
    return {
        "tasks": len(manifest.tasks),
        "version": manifest.task_set_version,
        "redaction": manifest.redaction,
        "left_out": ", ".join(f"{n} {why}" for why, n in manifest.left_out.items()) or "none",
    }


def _require_no_leaks(clean: Path, apps: Sequence[str]) -> None:
    """Refuse what the independent leak check did not pass as it stands now."""
    from dagster_project.home import Home, redaction_of  # noqa: PLC0415 - beside what is slow
    from dagster_project.leak_check import leaks_of  # noqa: PLC0415 - dagster: 2 s

    home = Home(path=clean.parent)
    if redaction_of(home) == "off":
        return
    for app in apps:
        found = leaks_of(clean, app)
        if found is None:
            raise InputError(
                f"{app} changed since its last leak check; check it with: tracegym build --home {home.path}"
            )
        if found.leaks:
            raise InputError(
                f"{app} is not exported: the leak check found {found.leaks} identifiers past the gate, in "
                f"{', '.join(found.places)}; name their keys in redaction.toml and build again"
            )


def _next_step(format_name: str, dest: Path) -> str:
    if format_name == "taskset":
        return f"python {dest} validate"
    from environments.export.formats import FORMATS as WRITTEN_FROM_IT  # noqa: PLC0415 - as above

    return WRITTEN_FROM_IT[format_name].check.replace("DIR", str(dest))
