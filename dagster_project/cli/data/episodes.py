"""`tracegym episodes`: the canonical episodes as chat-log JSONL."""

import sys
from collections.abc import Iterable
from pathlib import Path
from shlex import quote
from typing import Annotated, TextIO

import typer

from dagster_project.cli.apps import asked_apps
from dagster_project.cli.options import HOME, AppOption, HomeOption, WhoOption
from dagster_project.cli.output import notices
from dagster_project.cli.settings import read_settings
from dagster_project.errors import InputError
from dagster_project.home.layout import open_home
from dagster_project.storage.whole_files import replacing


def episodes(
    home: HomeOption = HOME,
    app: AppOption = None,
    raw: Annotated[
        bool, typer.Option("--raw", help="As it came, before redaction; leaves an audit line.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write there instead of stdout.")
    ] = None,
    who: WhoOption = None,
) -> None:
    """Write the canonical episodes as chat-log JSONL, whatever dialect they came in.

    Example: tracegym episodes --home H > clean.jsonl
    """
    # pyarrow and deltalake: 0.6 s
    from dagster_project.arrival.chat_lines import clean_lines, raw_lines  # noqa: PLC0415
    from dagster_project.privacy.audit import note, person  # noqa: PLC0415

    opened = open_home(home)
    name = person(who, sudo_user=read_settings().sudo_user) if raw else ""
    lines = raw_lines(opened, app=app) if raw else clean_lines(opened, app=app)
    written = _write(lines, out) if out else _write_to(sys.stdout, lines)
    if raw:
        note(opened, "episodes --raw", who=name, app=app, episodes=written)
    if not written:
        _ = asked_apps(opened, app, home)
        raise InputError(_no_episodes(home, raw=raw))
    notices().print(f"{written} episodes")


def _write_to(file: TextIO, lines: Iterable[str]) -> int:
    """How many lines were written."""
    written = 0
    for line in lines:
        file.write(line + "\n")
        written += 1
    return written


def _write(lines: Iterable[str], out: Path) -> int:
    """Write a file that is whole or not there; what stood there stays where nothing is written. A pipe or a device is written as it is."""
    if out.exists() and not out.is_file():
        with out.open("w", encoding="utf-8") as file:
            return _write_to(file, lines)
    with replacing(out.resolve()) as beside:
        with beside.open("w", encoding="utf-8") as file:
            written = _write_to(file, lines)
        if not written:
            beside.unlink()
    return written


def _no_episodes(home: Path, *, raw: bool) -> str:
    if raw:
        return f"no episodes have arrived in {home}; take some in with: tracegym ingest FILE --home {quote(str(home))}"
    return (
        f"no clean episodes in {home} yet; make them with: tracegym build --home {quote(str(home))}"
    )
