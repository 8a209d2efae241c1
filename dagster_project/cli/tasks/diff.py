"""`tracegym diff`: two task sets compared, task by task."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dagster_project.cli.options import JsonOption
from dagster_project.cli.output import notices, print_json, print_pairs, print_table

if TYPE_CHECKING:
    from environments.diff import Difference, TaskChange, TaskName

SHOWN = 50
REASONS = 3


def diff(
    before: Annotated[Path, typer.Argument(metavar="A", help="The earlier task set's folder.")],
    after: Annotated[Path, typer.Argument(metavar="B", help="The later task set's folder.")],
    as_json: JsonOption = False,
) -> None:
    """Say which tasks came, went and changed between two task sets, and why.

    Example: tracegym diff tasks_monday tasks_friday
    """
    # The runtime alone, but `--help` of every command imports this file.
    from environments.diff import diff as compare  # noqa: PLC0415
    from environments.runtime.task.task_set import TaskSet  # noqa: PLC0415

    found = compare(TaskSet.load(before), TaskSet.load(after))
    if as_json:
        print_json(found.to_json())
    else:
        _print(found)


def _print(found: "Difference") -> None:
    print_pairs(
        "from A to B",
        {
            "version": f"{found.before[:12]} → {found.after[:12]}",
            "the same": found.same,
            "came": len(found.came),
            "went": len(found.went),
            "changed": len(found.changed),
        },
    )
    _list("Came", found.came)
    _list("Went", found.went)
    if found.changed:
        rows = [(one.task_id[:12], one.title, _reasons_text(one)) for one in found.changed[:SHOWN]]
        print_table("Changed", ("task", "request", "why"), rows)
    moved = [(why, a, b) for why, (a, b) in found.left_out.items() if a != b]
    if moved:
        print_table("Left out of the set", ("reason", "A", "B"), moved)
    if found.runtime:
        notices().print(
            f"{len(found.runtime)} files of the runtime differ: equal tasks may run or be graded otherwise"
        )
    if found.beside:
        notices().print(f"beside the tasks these differ: {', '.join(found.beside)}", soft_wrap=True)
    longest = max(len(found.came), len(found.went), len(found.changed))
    if longest > SHOWN:
        notices().print(f"at most {SHOWN} of each are shown; --json has all")


def _reasons_text(one: "TaskChange") -> str:
    """The reasons of one task, the first few in words."""
    told = [f"{reason.part}: {reason.says}" for reason in one.reasons[:REASONS]]
    more = len(one.reasons) - len(told)
    return "; ".join([*told, f"and {more} more"] if more else told)


def _list(title: str, tasks: "tuple[TaskName, ...]") -> None:
    if tasks:
        rows = [(one.task_id[:12], one.app, one.title) for one in tasks[:SHOWN]]
        print_table(title, ("task", "app", "request"), rows)
