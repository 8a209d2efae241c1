"""Options that commands share: which home, JSON or for people."""

from pathlib import Path
from typing import Annotated, Any

import typer

from dagster_project.cli.apps import stored_name
from dagster_project.home.layout import DEFAULT_HOME


def _url(flag: str, *, of: str) -> Any:  # noqa: ANN401 - as typer says
    return typer.Option(
        flag, metavar="URL", help=f"{of} OpenAI-compatible endpoint (http://host/v1)."
    )


HomeOption = Annotated[
    Path,
    typer.Option(
        "--home",
        metavar="DIR",
        help="The home: a folder, or s3://BUCKET/PREFIX.",
        show_default=True,
    ),
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Print one JSON document instead of text for people.")
]
OutOption = Annotated[
    Path | None,
    typer.Option("--json", metavar="OUT", help="Write the document there; - is stdout."),
]
WhoOption = Annotated[
    str | None,
    typer.Option(
        "--as",
        metavar="NAME",
        help="Who you are, for the audit log; else the login from which the command runs.",
    ),
]
AppOption = Annotated[
    str | None, typer.Option("--app", help="Only this app.", callback=stored_name)
]
JudgeOption = Annotated[
    str,
    typer.Option(
        "--judge",
        metavar="MODEL",
        help="Ask this model the rubrics' judge checks; without it they are answered from earlier replies only.",
    ),
]
JudgeUrlOption = Annotated[str, _url("--judge-url", of="The judge's")]
SimulateOption = Annotated[
    str,
    typer.Option(
        "--simulate",
        metavar="MODEL",
        help="Let this model answer where nobody knows, for tools that worlds.toml says may be simulated.",
    ),
]
SimulateUrlOption = Annotated[str, _url("--simulate-url", of="The simulating model's")]
UserModelOption = Annotated[
    str,
    typer.Option(
        "--user-model",
        metavar="MODEL",
        help="Let this model play the users, from the recordings' persona and facts, instead of the script.",
    ),
]
UserUrlOption = Annotated[str, _url("--user-url", of="That model's")]
RefsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--refs",
        metavar="PREFIX",
        help="Fetch content that spans name by URI (*_ref) below this folder or https:// address; may be repeated.",
    ),
]
WorkersOption = Annotated[
    int,
    typer.Option(
        "--workers",
        metavar="N",
        min=0,
        help="Worker processes; 1: everything in this process; 0: one per core that this process may use.",
        show_default=True,
    ),
]
MemoryOption = Annotated[
    int,
    typer.Option(
        "--memory",
        metavar="MIB",
        min=0,
        help="MiB that all workers on this machine together may take; 0: four fifths of what is free.",
        show_default=True,
    ),
]
EngineOption = Annotated[
    str,
    typer.Option(
        "--engine",
        metavar="local|ray|ADDRESS",
        help="Where the heavy steps run: processes here, Ray here, or a Ray cluster (the extra ray).",
        show_default=True,
    ),
]
LOCAL = "local"
HOME = DEFAULT_HOME
