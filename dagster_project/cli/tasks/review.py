"""`tracegym review`: the page on which people label episodes and correct rubrics, or the same through a spreadsheet."""

import getpass
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from dagster_project.build.progress import Step
from dagster_project.cli.bars import Bars
from dagster_project.cli.local_page import serve_page
from dagster_project.cli.options import HOME, HomeOption, JsonOption
from dagster_project.cli.output import notices, print_json, print_pairs, print_table
from dagster_project.errors import InputError
from dagster_project.home.layout import Home, open_home
from dagster_project.home.settings import apps_of

if TYPE_CHECKING:
    from dagster_project.review.desk import Desk
    from dagster_project.review.entry import Entry
    from dagster_project.review.store import Reviews


def review(  # noqa: PLR0913, PLR0917 - one parameter per option
    home: HomeOption = HOME,
    author: Annotated[
        str | None, typer.Option("--as", metavar="NAME", help="Who reviews; else your user name.")
    ] = None,
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="0 takes a free one.")] = 0,
    browser: Annotated[
        bool, typer.Option("--open/--no-open", help="Open the link in a browser.")
    ] = False,
    export_to: Annotated[
        Path | None,
        typer.Option("--export", metavar="FILE.csv", help="Write a spreadsheet instead."),
    ] = None,
    import_from: Annotated[
        Path | None,
        typer.Option("--import", metavar="FILE.csv", help="Take in a spreadsheet's labels."),
    ] = None,
    reviewers: Annotated[
        str | None,
        typer.Option(
            "--reviewers",
            metavar="NAMES",
            help="Share the tasks among these: ada,bob. Empty ends it.",
        ),
    ] = None,
    overlap: Annotated[
        float,
        typer.Option("--overlap", min=0, max=1, help="Share of the tasks that two reviewers get."),
    ] = 0.2,
    as_json: JsonOption = False,
) -> None:
    """Review tasks on a local page: label episodes, correct rubrics, see at once what that changes.

    Example: tracegym review --home H, or: tracegym review --home H --export labels.csv,
    or for several people: tracegym review --home H --reviewers ada,bob --overlap 0.2
    """
    if sum(one is not None for one in (export_to, import_from, reviewers)) > 1:
        raise typer.BadParameter("pass one of --export, --import and --reviewers")
    opened = open_home(home)
    name = " ".join((author or _user()).split())[:60]
    if not name:
        raise typer.BadParameter("a reviewer needs a name", param_hint="--as")
    if reviewers is not None:
        _share(opened, home, reviewers, overlap, as_json=as_json)
        return
    desk, entries = _desk(opened, home)
    if export_to is not None:
        _export(desk, entries, export_to, as_json=as_json)
    elif import_from is not None:
        _import(opened, desk, entries, import_from, author=name, as_json=as_json)
    else:
        _serve(desk, name, port, browser=browser, home=opened)


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "reviewer"


def _desk(opened: Home, home: Path) -> "tuple[Desk, list[Entry]]":
    """The desk with every attempt graded once, so that the page answers at once."""
    # pyarrow, deltalake and the records: 1 s
    from dagster_project.review.desk import Desk  # noqa: PLC0415

    desk = Desk(opened.clean, opened.outcome_policy, apps_of(opened))
    with Bars(notices()) as bars:

        def show_progress(done: int, total: int) -> None:
            bars.hear(Step(asset="grading attempts", done=done, total=total))

        entries = list(desk.entries(show_progress))
    if not entries:
        raise InputError(
            f"{home} has no tasks to review; make some with: tracegym build --home {quote(str(home))}"
        )
    return desk, entries


def _share(opened: Home, home: Path, names: str, overlap: float, *, as_json: bool) -> None:
    """Keep who reviews, and say how many of today's tasks each of them gets."""
    from dagster_project.lake.documents import contents  # noqa: PLC0415 - see below
    from dagster_project.lake.learnt_tables import TASKS  # noqa: PLC0415
    from dagster_project.lake.store import Lake  # noqa: PLC0415
    from dagster_project.review.team.plan import save_team, team_of  # noqa: PLC0415

    team = team_of(names, overlap)
    lake = Lake(opened.clean / "lake")
    tasks = [task for app in apps_of(opened) for task in contents(lake, TASKS, app)]
    save_team(opened.clean, team)
    shares = {name: sum(name in team.reviewers_of(task) for task in tasks) for name in team.names}
    document = {
        "reviewers": ", ".join(team.names) or "everybody looks at everything",
        "tasks": len(tasks),
        "for two reviewers": sum(team.is_shared(task) for task in tasks),
        **{f"for {name}": count for name, count in shares.items()},
    }
    if as_json:
        shared = document["for two reviewers"]
        print_json(
            {
                "reviewers": list(team.names),
                "overlap": overlap,
                "tasks": len(tasks),
                "shared": shared,
                "shares": shares,
            }
        )
        return
    print_pairs("reviewers", document)
    if team.names:
        notices().print(
            f"each starts: tracegym review --home {quote(str(home))} --as {quote(team.names[0])}"
        )


def _reviews(desk: "Desk") -> "dict[str, Reviews]":
    return {name: found.reviews for name in desk.apps if (found := desk.app(name)) is not None}


def _export(desk: "Desk", entries: "list[Entry]", dest: Path, *, as_json: bool) -> None:
    from dagster_project.review.queue import queue  # noqa: PLC0415 - see above
    from dagster_project.review.spreadsheet import write_csv  # noqa: PLC0415

    rows = write_csv(queue(entries, _reviews(desk)), dest)
    document = {"file": str(dest), "tasks": len(entries), "rows": rows}
    if as_json:
        print_json(document)
    else:
        print_pairs("review spreadsheet", document)
        notices().print(
            f"fill in the column label, then: tracegym review --import {quote(str(dest))}"
        )


def _import(  # noqa: PLR0913 - what a row is checked against
    opened: Home,
    desk: "Desk",
    entries: "list[Entry]",
    path: Path,
    *,
    author: str,
    as_json: bool,
) -> None:
    from dagster_project.lake.store import Lake  # noqa: PLC0415 - see above
    from dagster_project.review.spreadsheet import read_csv  # noqa: PLC0415
    from dagster_project.review.store import keep  # noqa: PLC0415

    found = read_csv(path, entries, _reviews(desk), author=author)
    keep(Lake(opened.clean / "lake"), found.reviews)
    document = {
        "labels": len(found.reviews),
        "unchanged": found.unchanged,
        "refused": len(found.refused),
        "by": author,
    }
    if as_json:
        rows = [{"line": one.line, "why": one.why} for one in found.refused]
        print_json({**document, "refused_rows": rows})
    else:
        print_pairs(f"labels of {path.name}", document)
        if found.refused:
            shown = [(one.line, one.why) for one in found.refused[:20]]
            print_table("Refused", ("line", "why"), shown)
    if found.refused and not found.reviews and not found.unchanged:
        raise InputError(f"no row of {path} could be used: {found.refused[0].why}")


def _serve(desk: "Desk", author: str, port: int, *, browser: bool, home: Home) -> None:
    # starlette and uvicorn: 0.3 s
    from dagster_project.review.page.guard import Keys  # noqa: PLC0415
    from dagster_project.review.page.web import ReviewPage  # noqa: PLC0415
    from dagster_project.review.team.plan import load_team  # noqa: PLC0415

    keys = Keys()
    team = load_team(home.clean)
    if team.names and author not in team.names:
        notices().print(
            f"{author} is none of the reviewers ({', '.join(team.names)}) and sees all tasks"
        )
    serve_page(ReviewPage(desk, author, keys, team).app, keys, port, browser=browser)
    notices().print(
        f"stopped. What was saved takes effect with: tracegym build --home {quote(str(home.path))}"
    )
