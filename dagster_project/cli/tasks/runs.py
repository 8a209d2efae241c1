"""`tracegym runs`: look at rollouts, on a local page or in the terminal: what each one did, earned, and why."""

from dataclasses import asdict, replace
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from dagster_project.cli.apps import asked_apps
from dagster_project.cli.local_page import serve_page
from dagster_project.cli.options import HOME, AppOption, JsonOption
from dagster_project.cli.output import notices, print_json, print_pairs, print_table, print_text
from dagster_project.cli.reasons import print_policies, print_reasons
from dagster_project.errors import InputError
from dagster_project.home.layout import open_home
from dagster_project.home.settings import apps_of

if TYPE_CHECKING:
    from dagster_project.runs.choice import Choice
    from dagster_project.runs.run import Line, OpenRun
    from dagster_project.runs.shelf import Shelf

_WORDS = 40
"""Characters of a task's title in a table."""


def runs(  # noqa: PLR0913, PLR0917 - one parameter per option
    file: Annotated[
        Path | None,
        typer.Argument(metavar="[FILE]", help="What rollout --out wrote, instead of a home's."),
    ] = None,
    home: Annotated[Path, typer.Option("--home", metavar="DIR", help="The home folder.")] = HOME,
    app: AppOption = None,
    policy: Annotated[str, typer.Option("--policy", help="Only this policy.")] = "",
    task: Annotated[
        str, typer.Option("--task", metavar="ID", help="Only tasks whose id begins so.")
    ] = "",
    got: Annotated[
        str,
        typer.Option(
            "--got",
            help="Only: rewarded, failed, null (no reward), or one cause of null: unknown_tool, user, judge, limit, undecided, error.",
        ),
    ] = "",
    as_list: Annotated[
        bool, typer.Option("--list", help="Print the rollouts instead of serving the page.")
    ] = False,
    show: Annotated[
        str,
        typer.Option("--show", metavar="ID", help="Print one rollout: verdict and transcript."),
    ] = "",
    most: Annotated[
        int, typer.Option("--most", min=1, help="Rollouts that --list prints at the most.")
    ] = 50,
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="0 takes a free one.")] = 0,
    browser: Annotated[
        bool, typer.Option("--open/--no-open", help="Open the link in a browser.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Look at rollouts on a local page: transcript, verdict check by check, and where nobody knew an answer.

    Example: tracegym runs --home H

    Example: tracegym runs --home H --list --policy m --got null

    Example: tracegym runs --home H --show 3f2a91 --json

    Example: tracegym runs rollouts.jsonl --list
    """
    # pyarrow, deltalake and the records: 1 s
    from dagster_project.runs.choice import GOT, Choice, choose_lines  # noqa: PLC0415

    if got and got not in GOT:
        raise typer.BadParameter(f"choose from {', '.join(GOT)}", param_hint="--got")
    if as_list and show:
        raise typer.BadParameter("pass --list or --show, not both")
    shelf = open_shelf(file, home)
    if file is None:
        _ = asked_apps(open_home(home), app, home)
    choice = Choice(app=app or "", policy=policy, task=task, got=got)
    if show:
        _show(shelf, choose_lines(shelf.lines(), choice), show, as_json=as_json)
    elif as_list or as_json:
        # Shares of null are of all runs, whichever of them are listed.
        every = choose_lines(shelf.lines(), replace(choice, got=""))
        _list([line for line in every if choice.fits(line)], every, most, as_json=as_json)
    else:
        _serve(shelf, choice, port, browser=browser)


def open_shelf(file: Path | None, home: Path) -> "Shelf":
    """A file's rollouts, or a home's where no file is named; lines that are no rollouts are told of."""
    from dagster_project.runs.shelf import FileShelf, LakeShelf  # noqa: PLC0415 - see above

    if file is not None:
        found = FileShelf(file)
        if found.refused:
            number, why = found.refused[0]
            notices().print(
                f"{len(found.refused)} lines of {file} are no rollouts and left out; line {number}: {why}"
            )
        return found
    opened = open_home(home)
    shelf = LakeShelf(opened.clean, apps_of(opened))
    if not shelf.lines():
        raise InputError(
            f"{home} has no rollouts; make some with: tracegym rollout TASKSET --policy solution --home {quote(str(home))}"
        )
    return shelf


def _list(lines: "list[Line]", every: "list[Line]", most: int, *, as_json: bool) -> None:
    from dagster_project.rollouts.reasons import by_policy, count_causes  # noqa: PLC0415 - see above

    policies = by_policy(line.row.model_dump() for line in every)
    causes = count_causes(line.cause.code for line in lines)
    if as_json:
        print_json(
            {
                "rollouts": [line_document(line) for line in lines],
                "reasons": causes,
                "policies": [one.to_json() for one in policies],
            }
        )
        return
    rows = [
        (
            line.row.rollout_id[:12],
            line.row.policy,
            line.row.task_id[:8],
            line.row.seed,
            f"null:{line.cause.code}" if line.cause.is_null else f"{line.row.reward:.3g}",
            line.title if len(line.title) <= _WORDS else f"{line.title[:_WORDS]}…",
        )
        for line in lines[:most]
    ]
    if not rows:
        print_text("no rollout fits these filters")
        return
    headings = ("id", "policy", "task", "seed", "reward", "the user wants")
    print_table("Rollouts", headings, rows)
    if len(lines) > most:
        print_text(f"and {len(lines) - most:,} more; --most N or --json has them")
    print_reasons(causes)
    print_policies(policies)


def _show(shelf: "Shelf", lines: "list[Line]", start: str, *, as_json: bool) -> None:
    found = [line.row.rollout_id for line in lines if line.row.rollout_id.startswith(start)]
    run = shelf.open(found[0]) if len(found) == 1 else None
    if run is None:
        raise InputError(
            f"{len(found)} rollouts have an id that begins with {start!r}; see them with: tracegym runs --list"
        )
    if as_json:
        print_json(run_document(run))
    else:
        _print_run(run)


def _print_run(run: "OpenRun") -> None:
    from dagster_project.review.page.transcript import turns  # noqa: PLC0415 - see above
    from dagster_project.runs.web import group_checks, marks_in  # noqa: PLC0415

    row, cause = run.line.row, run.line.cause
    said = turns(run.messages, sources=run.sources, unanswered=run.unanswered)
    for number, turn in enumerate(said, 1):
        lost = " (the user did not understand)" if turn.unanswered else ""
        print_text(f"{number}. {turn.role}{lost}", bold=True)
        if turn.text:
            print_text(turn.text if turn.role != "system" else f"{turn.text[:200]}…")
        for call in turn.calls:
            print_text(f"  {call.name} {call.arguments}\n  [{call.source or '?'}] {call.result}")
    pairs: dict[str, object] = {
        "rollout": row.rollout_id,
        "task": row.task_id,
        "policy": row.policy,
        "seed": row.seed,
        "reward": row.reward,
        "reason": row.reason,
        "stop": row.stop_reason,
        "error": row.error,
        "why": cause.says,
        "what to do": cause.remedy,
    }
    pairs = {
        name: value for name, value in pairs.items() if name == "reward" or value not in {None, ""}
    }
    print_pairs(run.line.title or "Rollout", pairs)
    checks = group_checks(run.checks)
    rows = [
        (
            _mark(check.score),
            "yes" if check.required else "",
            check.says or check.check_id,
            check.evidence,
        )
        for check in (*checks.deciding, *checks.others, *checks.passed)
    ]
    if rows:
        print_table("Check by check", ("", "required", "check", "found"), rows)
    marks = marks_in(said)
    if marks:
        places = [(mark.turn, mark.says) for mark in marks]
        print_table("Where nobody knew an answer", ("message", "what"), places)


def _mark(score: float | None) -> str:
    if score is None:
        return "not graded"
    return "passed" if score >= 0.5 else "failed"


def line_document(line: "Line") -> dict[str, object]:
    """One rollout of the list as plain JSON values, without its conversation."""
    heavy = {"trajectory", "opening", "checks", "answers", "unanswered"}
    return {
        **line.row.model_dump(exclude=heavy),
        "cause": line.cause.code,
        "remedy": line.cause.remedy,
        "title": line.title,
    }


def run_document(run: "OpenRun") -> dict[str, object]:
    """One rollout with everything that explains it, as plain JSON values."""
    return {
        **line_document(run.line),
        "messages": list(run.messages),
        "checks": [asdict(check) for check in run.checks],
        "answers": run.answers and [{"tool": t, "source": s} for t, s in run.answers],
        "unanswered": list(run.unanswered),
        "graded_later": [asdict(one) for one in run.later],
    }


def _serve(shelf: "Shelf", choice: "Choice", port: int, *, browser: bool) -> None:
    # starlette: 0.2 s
    from dagster_project.review.page.guard import Keys  # noqa: PLC0415
    from dagster_project.runs.web import RunsPage  # noqa: PLC0415

    keys = Keys(command="runs")
    serve_page(RunsPage(shelf, keys, choice).app, keys, port, browser=browser)
    notices().print("stopped")
