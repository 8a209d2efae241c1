"""`tracegym export`: accepted tasks in the format of a consumer."""

import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from dagster_project.cli.apps import asked_apps
from dagster_project.cli.options import HOME, AppOption, HomeOption, JsonOption
from dagster_project.cli.output import notices, print_json, print_pairs
from dagster_project.cli.settings import read_settings
from dagster_project.errors import InputError
from dagster_project.home.layout import Home, open_home

if TYPE_CHECKING:
    from dagster_project.privacy.export_check import Searched
    from environments.runtime.task.attempt import Json
    from environments.runtime.task.manifest import TaskSetManifest

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
    "huggingface",
)
"""As `environments.export.registry` has them, which takes 1 s to import."""
SPLITS = ("train", "validation", "held_out")
SPLIT_BY = ("entity", "cluster", "time")
PAYS = ("all", "share")
"""As `environments.runtime.task.share` has them."""
NO_ROWS = {
    "sft": "none: no task here has a resolved attempt that its world can follow",
    "dpo": "none: no task here has both a resolved and an unresolved attempt that its world can follow",
}
"""What is said of formats whose rows are recorded attempts, where there are none."""


def export(  # noqa: C901, PLR0913, PLR0917 - one parameter per option
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
    split: Annotated[
        str, typer.Option("--split", help="Only the tasks of: train, validation, held_out.")
    ] = "",
    split_by: Annotated[
        str,
        typer.Option(
            "--split-by",
            help="entity (users and records), cluster (kinds of task too), time (the latest are held out).",
        ),
    ] = "entity",
    splits_like: Annotated[
        Path | None,
        typer.Option(
            "--splits-like",
            metavar="TASKSET",
            help="Keep the splits of this earlier version: no task moves from train to held_out.",
        ),
    ] = None,
    shared: Annotated[
        list[str] | None,
        typer.Option(
            "--shared",
            metavar="TABLE",
            help="Records of this table, as the card names it, belong to nobody.",
        ),
    ] = None,
    select: Annotated[
        str,
        typer.Option(
            "--select",
            metavar="cluster=ID",
            help="Only tasks of this failure cluster, by the start of its id: see tracegym failures.",
        ),
    ] = "",
    band: Annotated[
        str,
        typer.Option(
            "--band", metavar="LOW:HIGH", help="Only tasks with a pass rate between, as 0.02:0.8."
        ),
    ] = "",
    band_policy: Annotated[
        str,
        typer.Option(
            "--band-policy",
            metavar="POLICY",
            help="Whose rollouts give the pass rate; tasks it has not tried, and all without this, go by the estimate.",
        ),
    ] = "",
    backtest: Annotated[
        Path | None,
        typer.Option(
            "--backtest",
            metavar="FILE",
            help="What `tracegym backtest --json` wrote: its held-out agreement goes on the card.",
        ),
    ] = None,
    reward: Annotated[
        str,
        typer.Option(
            "--reward",
            metavar="PAYS",
            help="What every attempt earns: all (all or nothing) or share (weighted share of the checks that pass).",
        ),
    ] = "all",
    rekey: Annotated[
        bool,
        typer.Option(
            "--rekey",
            help="Build again under a key that nobody keeps: this export cannot be joined to another.",
        ),
    ] = False,
    signed: Annotated[
        bool,
        typer.Option(
            "--signed", help="Refuse unless somebody signed for the data: tracegym redact sign."
        ),
    ] = False,
    sign: Annotated[
        Path | None,
        typer.Option(
            "--sign",
            metavar="KEY.pem",
            help="Sign every file with this Ed25519 key: tracegym verify.",
        ),
    ] = None,
    yes: Annotated[
        bool,
        typer.Option("--yes", "-y", help="Write over an older export without asking."),
    ] = False,
    license_: Annotated[str, typer.Option("--license", help="The licence on the card.")] = "",
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
    _require(reward in PAYS, f"choose from {', '.join(PAYS)}", "--reward")
    opened = open_home(home)
    apps: Sequence[str] = asked_apps(opened, app, home)
    _require(split in {"", *SPLITS}, f"choose from {', '.join(SPLITS)}", "--split")
    _require(split_by in SPLIT_BY, f"choose from {', '.join(SPLIT_BY)}", "--split-by")
    kind, _, cluster = select.partition("=")
    _require(not select or (kind == "cluster" and bool(cluster)), "write cluster=ID", "--select")
    rates = _band(band)
    _require(rates is not None or not band_policy, "it needs --band", "--band-policy")
    # pyarrow, deltalake and the records: 1 s
    from dagster_project.build.left_out_rows import lines_of  # noqa: PLC0415
    from dagster_project.erasure.withdrawn import keep_exported  # noqa: PLC0415
    from dagster_project.tasks.exporting import ExportRequest, export_tasks  # noqa: PLC0415
    from environments.export.splits import SplitSettings  # noqa: PLC0415

    if sign is not None:
        _require_key(sign)
    _ask_before_overwriting(dest, yes=yes)
    _require(not (signed and rekey), "nobody signed for data under another key", "--signed")
    signatures = () if rekey else _signatures(opened, apps, required=signed)
    asked = ExportRequest(
        format_name=format_name,
        dest=dest,
        name=name,
        extra=extra,
        splits=SplitSettings(by=split_by, shared=frozenset(shared or ())),
        like=splits_like,
        split=split,
        cluster=cluster,
        band=rates,
        band_policy=band_policy,
        backtest=backtest,
        license=license_,
        reward=reward,
        signed=signatures,
    )
    with _source(opened, rekey=rekey) as (source, secret):
        apps, leaking = _past_leak_check(source.clean, apps)
        searched: list[Searched | None] = []

        def look(folder: Path) -> None:
            searched.append(_searched(source, secret, folder, apps))
            if sign is not None:
                _sign(folder, sign)

        exported = export_tasks(source.clean, apps, replace(asked, leaking=leaking), look=look)
    manifest = exported.manifest
    keep_exported(opened, manifest)
    counts: dict[str, object] = {
        "tasks": len(manifest.tasks),
        "version": manifest.task_set_version,
        "reward": manifest.reward,
        "redaction": manifest.redaction,
        "left_out": ", ".join(f"{n} {why}" for why, n in manifest.left_out.items()) or "none",
        "splits": _splits(manifest),
    }
    rows = _rows(dest)
    if format_name in NO_ROWS:
        counts["rows"] = (
            ", ".join(f"{n} {name}" for name, n in rows.items()) or NO_ROWS[format_name]
        )
    for one in filter(None, searched):
        counts["searched"] = one.why_not or f"{one.texts} texts, no identifier"
    notes = manifest.splits.get("notes")
    for told in lines_of(exported.left_out):
        notices().print(told, soft_wrap=True, markup=False)
    if as_json:
        faults = [row.report for row in exported.left_out]
        print_json({"format": format_name, "dest": str(dest), **counts, "faults": faults})
    else:
        print_pairs(f"{format_name}: {dest}", counts)
        for note in notes if isinstance(notes, list) else ():
            typer.echo(f"note: {note}")
        if format_name not in NO_ROWS or "train" in rows:
            typer.echo(f"check it with: {_next_step(format_name, dest)}")


def _ask_before_overwriting(dest: Path, *, yes: bool) -> None:
    """On a terminal; a script has to say that it means it."""
    if yes or not (dest.is_dir() and any(dest.iterdir())):
        return
    if not sys.stdin.isatty():
        raise InputError(f"{dest} holds files; pass --yes to write over an older export there")
    typer.confirm(f"{dest} holds files; write over an older export there?", abort=True, err=True)


def _require_key(key: Path) -> None:
    """Refuse what is no key before anything is written."""
    from environments.export.errors import ExportError  # noqa: PLC0415 - cryptography: 0.1 s
    from environments.export.signature import signing_key  # noqa: PLC0415 - as above

    try:
        signing_key(key)
    except ExportError as fault:
        raise InputError(str(fault)) from fault


def _sign(dest: Path, key: Path) -> None:
    from environments.export.errors import ExportError  # noqa: PLC0415 - as above
    from environments.export.signature import sign_folder  # noqa: PLC0415 - as above

    try:
        sign_folder(dest, key)
    except ExportError as fault:
        raise InputError(str(fault)) from fault


def _signatures(
    home: "Home", apps: Sequence[str], *, required: bool
) -> "tuple[dict[str, Json], ...]":
    """The signatures that hold now."""
    from dagster_project.privacy.signoff import says, signed_now  # noqa: PLC0415 - dagster: 2 s

    found = [(app, signed_now(home, app)) for app in apps]
    if required and (missing := [app for app, one in found if one is None]):
        raise InputError(f"{missing[0]} is not exported: {says(home, missing[0])}")
    return tuple(asdict(one) for _, one in found if one is not None)


@contextmanager
def _source(home: "Home", *, rekey: bool) -> "Iterator[tuple[Home, str | None]]":
    """The home that is exported, itself or one made for this export under another key, and the vault's secret where it was given."""
    if not rekey:
        yield home, read_settings().secret
        return
    from dagster_project.privacy.rekey import rekeyed  # noqa: PLC0415 - dagster: 2 s

    with rekeyed(home) as other:
        yield other


def _searched(
    home: "Home", given: str | None, dest: Path, apps: Sequence[str]
) -> "Searched | None":
    """Search the written files; None where the data was declared free of personal data."""
    from dagster_project.home.settings import redaction_of  # noqa: PLC0415 - beside what is slow
    from dagster_project.privacy.export_check import (  # noqa: PLC0415 - dagster: 2 s
        check_written,
        secret_at_hand,
    )

    if redaction_of(home) == "off":
        return None
    return check_written(home, dest, apps, secret_at_hand(home, given))


def _require(holds: bool, why: str, option: str) -> None:
    if not holds:
        raise typer.BadParameter(why, param_hint=option)


def _band(text: str) -> tuple[float, float] | None:
    if not text:
        return None
    low, _, high = text.partition(":")
    try:
        rates = float(low), float(high)
    except ValueError:
        rates = 1.0, 0.0
    _require(0 <= rates[0] <= rates[1] <= 1, "give two rates, as 0.02:0.8", "--band")
    return rates


def _splits(manifest: "TaskSetManifest") -> str:
    """How many tasks of the export each split has."""
    found = Counter(manifest.split_of(entry.task_id) or "none" for entry in manifest.tasks)
    return ", ".join(f"{found[name]} {name}" for name in (*SPLITS, "none") if found[name])


def _rows(dest: Path) -> dict[str, int]:
    """How many lines the file of each split has; no file and an empty one are no rows."""
    found = {path.stem: path.read_bytes().count(b"\n") for path in dest.glob("*.jsonl")}
    return {name: found[name] for name in SPLITS if found.get(name)}


def _past_leak_check(clean: Path, apps: Sequence[str]) -> tuple[list[str], frozenset[str]]:
    """The apps that can be exported, and our ids of their episodes and tasks in which the leak check found somebody.

    Says in one sentence per app what is left out and why; raises `InputError` where that is every app.
    """
    from dagster_project.home.settings import redaction_of  # noqa: PLC0415 - beside what is slow
    from dagster_project.privacy.leaks import leaks_of, to_settle  # noqa: PLC0415 - dagster: 2 s

    home = Home(path=clean.parent)
    if redaction_of(home) == "off":
        return list(apps), frozenset()
    pieces: set[str] = set()
    kept: list[str] = []
    told: list[str] = []
    for app in apps:
        found = leaks_of(clean, app)
        if found is None:
            told.append(
                f"{app} is not exported: it changed since its last leak check; check it with: tracegym build --home {quote(str(home.path))}"
            )
        elif found.shared:
            told.append(
                f"{app} is not exported: the leak check found {found.shared} identifiers in what all its tasks share "
                f"({', '.join(found.places)}); {to_settle(found)}"
            )
        else:
            kept.append(app)
            pieces.update(found.pieces)
            if found.leaks:
                told.append(
                    f"{app}: tasks with any of {found.leaks} identifiers that the leak check found are not exported; {to_settle(found)}"
                )
    if apps and not kept:
        raise InputError("\n".join(told))
    for sentence in told:
        notices().print(sentence, soft_wrap=True, markup=False)
    return kept, frozenset(pieces)


def _next_step(format_name: str, dest: Path) -> str:
    if format_name == "taskset":
        return f"python {quote(str(dest))} validate"
    from environments.export.registry import FORMATS as WRITTEN_FROM_IT  # noqa: PLC0415 - as above

    # pip asks its index for a bare name, and so does datasets.
    place = str(dest) if dest.is_absolute() else f"./{dest}"
    check = WRITTEN_FROM_IT[format_name].check
    # In Python's quotes it is no word of the shell.
    return re.sub("('?)DIR", lambda at: f"'{place}" if at[1] else quote(place), check)
