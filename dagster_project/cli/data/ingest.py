"""`tracegym ingest`: files and folders of telemetry into the home."""

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from dagster_project.cli.apps import stored_name
from dagster_project.cli.explanations import show_explained
from dagster_project.cli.options import HOME, HomeOption, JsonOption, RefsOption
from dagster_project.cli.output import notices, print_json, print_pairs, print_table
from dagster_project.errors import InputError
from dagster_project.home.layout import open_home

if TYPE_CHECKING:
    from dagster_project.arrival.files import ArrivalCounts


def ingest(  # noqa: PLR0913, PLR0917 - one parameter per option
    paths: Annotated[list[Path], typer.Argument(help="Files or folders.", metavar="PATH...")],
    home: HomeOption = HOME,
    app: Annotated[
        str | None,
        typer.Option(
            "--app", help="The app's name, where the data does not say.", callback=stored_name
        ),
    ] = None,
    mapping: Annotated[
        Path | None,
        typer.Option(
            "--map",
            metavar="MAPPING.toml",
            help="Read JSON in a layout of your own: JMESPath expressions to messages, roles, calls, outcomes.",
        ),
    ] = None,
    explain: Annotated[
        bool,
        typer.Option(
            "--explain",
            help="Store nothing: say what each file is, its keys, what is missing, and print a mapping to start from.",
        ),
    ] = False,
    refs: RefsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Take in files: chat logs, any JSON with messages in it, traces (OTLP, Langfuse, LangSmith, Phoenix), agents' trajectories.

    Example: tracegym ingest chats.jsonl traces/ --app support --home H

    A file in a layout that nobody knows: look at it, keep the mapping that is printed, fill in its blanks, take the file in.

    tracegym ingest FILE --explain

    tracegym ingest FILE --map mapping.toml --explain

    tracegym ingest FILE --map mapping.toml --home H
    """
    from ingest.files.mapping import load_mapping  # noqa: PLC0415 - pydantic and jmespath: 0.1 s

    layout = load_mapping(mapping) if mapping else None
    for path in paths:
        if not path.exists():
            raise InputError(f"{path} does not exist; check the path")
    if explain:
        show_explained(paths, layout, as_json=as_json)
        return
    from dagster_project.arrival.files import take_in  # noqa: PLC0415 - pyarrow and deltalake: 0.6 s
    from ingest.assembly.stored_content import elsewhere_of  # noqa: PLC0415 - pyarrow, as above

    elsewhere = elsewhere_of(refs or [])
    console = notices()
    opened = open_home(home, create=True)
    with console.status("reading") as status:
        arrived = take_in(
            opened,
            paths,
            app=app,
            on_file=lambda path: status.update(f"reading {path.name}"),
            elsewhere=elsewhere,
            layout=layout,
        )
    if as_json:
        print_json(_document(arrived))
    else:
        _show(arrived, home)
    for told in arrived.faults:
        console.print(told, soft_wrap=True, markup=False)
    if app is None:
        _tell_named_after_files(arrived, paths)
    for unfound in layout.unfound() if layout else ():
        console.print(f"the mapping's {unfound} found nothing in any record", markup=False)
    # Bodies that were stored but neither used nor refused here were decoded by a command beside this one.
    if not arrived.usable and (arrived.rejected or not (arrived.bodies or arrived.repeated)):
        reason = next(iter(arrived.reasons.values()), "the files are empty")
        raise InputError(f"nothing could be used: {reason}")


def _tell_named_after_files(arrived: "ArrivalCounts", paths: list[Path]) -> None:
    """Say that data without an app's name went to an app a file, where that were several."""
    from ingest.files.file_facts import stem_of  # noqa: PLC0415 - as above
    from ingest.records.app_name import safe_app_name  # noqa: PLC0415 - pyarrow, as above

    named = {safe_app_name(stem_of(path.resolve().name)) for path in paths} & arrived.apps
    if len(named) > 1:
        notices().print(
            f"{len(named)} apps are named after their files; if they are one app, give it a name with --app, "
            "or take in the folder that they lie in"
        )


def _document(arrived: "ArrivalCounts") -> dict[str, object]:
    return {
        "files": arrived.files,
        "bodies": arrived.bodies,
        "repeated": arrived.repeated,
        "spans": arrived.spans,
        "log_events": arrived.log_events,
        "episodes": arrived.chats,
        "outcomes": arrived.outcomes,
        "apps": sorted(arrived.apps),
        "quarantined": dict(sorted(arrived.rejected.items())),
        "reasons": arrived.reasons,
        "places": arrived.places,
    }


def _show(arrived: "ArrivalCounts", home: Path) -> None:
    pairs = {
        "files": arrived.files,
        "new bodies": arrived.bodies,
        "bodies already there": arrived.repeated,
        "spans": arrived.spans,
        "log events": arrived.log_events,
        "conversations": arrived.chats,
        "outcomes": arrived.outcomes,
        "apps": ", ".join(sorted(arrived.apps)) or None,
        "quarantined": sum(arrived.rejected.values()),
    }
    print_pairs("Arrived", pairs)
    if arrived.rejected:
        rows = [
            (code, n, arrived.places[code], arrived.reasons[code])
            for code, n in sorted(arrived.rejected.items())
        ]
        print_table("Quarantined", ("reason", "records", "first place", "example"), rows)
    if arrived.usable:
        notices().print(f"next: tracegym build --home {quote(str(home))}")
