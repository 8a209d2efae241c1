"""`tracegym compare`: two rollout runs or policies on the same tasks, paired, with what cannot be told."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dagster_project.cli.apps import asked_apps
from dagster_project.cli.options import HOME, AppOption, OutOption
from dagster_project.cli.output import how_many, notices, print_table, print_text, write_document
from dagster_project.cli.reasons import print_policies
from dagster_project.cli.tasks.runs import open_shelf
from dagster_project.errors import InputError
from dagster_project.home.layout import Home, open_home
from dagster_project.home.settings import apps_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dagster_project.runs.comparison import Comparison, TaskFacts, UncomparedTasks, Version
    from dagster_project.runs.paired_policies import PairedDifference
    from dagster_project.runs.run import RunRow

_NAMED = 8
"""Policies that a sentence about an unknown one lists."""
_MOST_CLUSTERS = 5
"""Clusters with a row of their own, those with most tasks; the document has all."""


def compare(  # noqa: PLR0913 - one parameter per option
    a: Annotated[
        str, typer.Argument(metavar="A", help="What rollout --out wrote, or a policy of the home.")
    ],
    b: Annotated[str, typer.Argument(metavar="B", help="The same, of what A is compared with.")],
    *,
    home: Annotated[
        Path | None,
        typer.Option(
            "--home", metavar="DIR", help=f"Where policies' rollouts are; {HOME} if it exists."
        ),
    ] = None,
    task_set: Annotated[
        Path | None,
        typer.Option(
            "--task-set",
            metavar="DIR",
            help="Only its tasks; it also tells their splits and clusters.",
        ),
    ] = None,
    app: AppOption = None,
    out: OutOption = None,
) -> None:
    """Say how much more B earns than A on the tasks of both, with an interval and an exact test.

    Example: tracegym compare policy-1 policy-2 --home H

    Example: tracegym compare before.jsonl after.jsonl --task-set my_tasks --json -
    """
    # pyarrow, deltalake and the records: 1 s
    from dagster_project.runs.comparison import compare as compared  # noqa: PLC0415

    opened = _home(a, b, home)
    if app and opened is not None and not (Path(a).is_file() and Path(b).is_file()):
        _ = asked_apps(opened, app, home or HOME)
    rows_a, rows_b = (_rows(name, opened, app or "") for name in (a, b))
    known = _known_tasks(task_set, opened, {row.app for row in (*rows_a, *rows_b)})
    if task_set is not None:
        tasks = {one.task_id for one in known}
        for name, rows in ((a, rows_a), (b, rows_b)):
            if not any(row.task_id in tasks for row in rows):
                raise InputError(f"{name} has no rollout of a task of {task_set}")
    found = compared((a, rows_a), (b, rows_b), known, only_known=task_set is not None)
    if not write_document(found.to_json(), out):
        _print(found)


def _home(a: str, b: str, given: Path | None) -> Home | None:
    """The home that is needed, given or here; None where two files need none."""
    where = given or (HOME if HOME.is_dir() else None)
    if where is None and not (Path(a).is_file() and Path(b).is_file()):
        lost = b if Path(a).is_file() else a
        raise InputError(f"{lost} is no file; where it is a policy of a home, pass --home DIR")
    return open_home(where) if where is not None else None


def _rows(name: str, home: Home | None, app: str) -> "list[RunRow]":
    """The rollouts of a file's run, or of a home's policy."""
    path = Path(name)
    if path.is_file() or home is None:
        rows = [line.row for line in open_shelf(path, HOME).lines() if app in {"", line.row.app}]
        policies = sorted({row.policy for row in rows})
        if len(policies) > 1:
            raise InputError(
                f"{name} holds rollouts of {len(policies)} policies ({_policy_names(policies)}): "
                "write a file for each, or compare their names with --home"
            )
        if not rows:
            raise InputError(f"{name} holds no rollout of the app {app}")
        return rows
    rows = [line.row for line in open_shelf(None, home.path).lines() if app in {"", line.row.app}]
    mine = [row for row in rows if row.policy == name]
    if not mine:
        there = sorted({row.policy for row in rows})
        raise InputError(
            f"{name} is no file, and {home.path} has no rollouts of such a policy; "
            f"it has those of: {_policy_names(there) or 'none'}"
        )
    return mine


def _policy_names(policies: "Sequence[str]") -> str:
    more = len(policies) - _NAMED
    return ", ".join([*policies[:_NAMED], *([f"{more} more"] if more > 0 else [])])


def _known_tasks(
    task_set: Path | None, home: Home | None, apps: set[str]
) -> "Mapping[Version, TaskFacts]":
    """Splits and clusters, from the task set that was named or from those that the home keeps."""
    from dagster_project.runs.comparison import known_in, known_of  # noqa: PLC0415 - see above
    from environments.runtime.task.task_set import TaskSet  # noqa: PLC0415

    if task_set is not None:
        if not task_set.is_dir():
            raise InputError(f"{task_set} is no folder; make one with: tracegym export taskset")
        return known_of(TaskSet.load(task_set))
    found: dict[Version, TaskFacts] = {}
    if home is None:
        return found
    for app in sorted(apps & set(apps_of(home))):
        found |= known_in(home.clean / "tasksets" / app)
    return found


def _print(found: "Comparison") -> None:
    largest = sorted(found.clusters.items(), key=lambda item: -item[1].tasks)[:_MOST_CLUSTERS]
    print_table(
        "B compared with A; 95 % intervals by bootstrap over tasks",
        ("of", "tasks", "A", "B", "B - A", "from", "to", "A more", "B more", "p", "better"),
        [
            _row("tasks with a reward of both", found.overall),
            _row("null counted as 0", found.null_as_zero),
            *(_row(f"split {name}", one) for name, one in found.splits.items()),
            *(_row(f"cluster {name[:12]}", one) for name, one in largest),
        ],
    )
    if (more := len(found.clusters) - len(largest)) > 0:
        print_text(f"and {how_many(more, 'cluster')} with fewer tasks: --json - tells them")
    print_policies(
        [
            replace(one, policy=f"{side}: {name}")
            for side, name, one in (
                ("A", found.a, found.reasons_a),
                ("B", found.b, found.reasons_b),
            )
            if one is not None
        ]
    )
    for told in _not_compared(found.left):
        print_text(f"not compared: {told}")
    print_text(found.says(), bold=True)
    if found.warns():
        notices().print(f"warning: {found.warns()}", soft_wrap=True)


def _row(name: str, one: "PairedDifference") -> tuple[object, ...]:
    p_value = None if one.p_value is None else f"{one.p_value:.2g} ({one.test.replace('_', ' ')})"
    means = (one.mean_a, one.mean_b, one.difference, one.low, one.high)
    shown = (None if mean is None else f"{mean:.3f}" for mean in means)
    return (name, one.tasks, *shown, one.a_more, one.b_more, p_value, one.better or "?")


def _not_compared(left: "UncomparedTasks") -> list[str]:
    told = (
        (left.only_a, "that only A has rollouts of"),
        (left.only_b, "that only B has rollouts of"),
        (left.other_version, "of which A and B have no version in common"),
        (left.ungraded_a, "at which A has no reward"),
        (left.ungraded_b, "at which B has no reward"),
        (left.ungraded_both, "at which neither has a reward"),
    )
    return [f"{how_many(count, 'task')} {says}" for count, says in told if count]
