"""`tracegym attack`: a search for attempts that a task set pays although they do not do the job."""

from collections.abc import Sequence
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Final

import typer

from dagster_project.build.progress import Step
from dagster_project.cli.bars import Bars
from dagster_project.cli.options import HOME, JsonOption
from dagster_project.cli.output import how_many, notices, print_json, print_table, print_text
from dagster_project.cli.settings import read_settings
from dagster_project.errors import InputError, Interrupted
from dagster_project.home.layout import Home, open_home
from dagster_project.home.settings import apps_of

if TYPE_CHECKING:
    from dagster_project.tasks.attacks import Attacked, AttackSettings
    from environments.runtime.task.task_set import PackedTask, TaskSet
    from environments.search.found_cheats import FoundCheat

FOUND: Final = 4
"""Exit code where cheats were paid."""
SCRIPTED: Final = "scripted"
URLS: Final = ("http://", "https://")


def attack(  # noqa: PLR0913, PLR0917 - one parameter per option
    task_set: Annotated[
        Path,
        typer.Argument(
            metavar="TASKSET",
            help="A task set's folder; or a file that --out wrote, to keep its cheats in a home.",
        ),
    ],
    policy: Annotated[
        str, typer.Option("--policy", help="scripted; http://host/v1; or provider/model.")
    ] = SCRIPTED,
    model: Annotated[str, typer.Option("--model", help="The model behind an http policy.")] = "",
    budget: Annotated[
        int | None,
        typer.Option("--budget", min=1, help="Attempts per task.  [default: 200, for a model 4]"),
    ] = None,
    max_minutes: Annotated[
        float | None, typer.Option("--max-minutes", min=0, help="Start no attempt after this.")
    ] = None,
    max_cost: Annotated[
        float | None, typer.Option("--max-cost", min=0, help="Stop before this much is spent.")
    ] = None,
    seed: Annotated[
        int, typer.Option("--seed", help="The same seed makes the same scripted attempts.")
    ] = 0,
    task: Annotated[
        str, typer.Option("--task", metavar="ID", help="Only tasks whose id begins so.")
    ] = "",
    home: Annotated[
        Path | None,
        typer.Option(
            "--home",
            metavar="DIR",
            help=f"Keep found cheats there; without it in the home that the task set lies in, or {HOME}.",
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Also write them as JSON lines.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Search for attempts that are paid without doing the job; each one found is tried by every later build.

    Ends with exit code 4 where some were found, with 0 where none was.

    Example: tracegym attack my_tasks --home H

    Example: tracegym attack my_tasks --policy openai/gpt-5 --budget 3 --max-cost 5 --home H

    Example: tracegym attack found.jsonl --home H
    """
    _require_policy(policy, model)
    # pyarrow, deltalake and the records: 1 s
    from dagster_project.rollouts.policies import PolicyChoice  # noqa: PLC0415
    from dagster_project.tasks.attacks import (  # noqa: PLC0415
        BUDGET,
        MODEL_BUDGET,
        AttackSettings,
        attack,
    )
    from dagster_project.tasks.found_cheats import read_cheats, write_cheats  # noqa: PLC0415
    from environments.runtime.task.task_set import TaskSet  # noqa: PLC0415

    if task_set.is_file():
        _keep_file(read_cheats(task_set), home, as_json=as_json)
        return
    if not task_set.is_dir():
        raise InputError(f"{task_set} is no folder; make a task set with: tracegym export taskset")
    opened = TaskSet.load(task_set)
    tasks = _tasks(opened, task)
    kept_in = _home_of(task_set, home, {one.app for one in tasks})
    choice = None
    if policy != SCRIPTED:
        choice = PolicyChoice(name=policy, model=model, api_key=read_settings().policy_key or "")
    settings = AttackSettings(
        policy=choice,
        budget=budget or (BUDGET if choice is None else MODEL_BUDGET),
        seconds=None if max_minutes is None else 60 * max_minutes,
        cost=max_cost,
        seed=seed,
    )
    fresh = 0
    with Bars(notices()) as bars:

        def hear(told: "Attacked") -> None:
            # A search that is killed leaves what it has found: with a model, it was paid for.
            nonlocal fresh
            fresh += _keep(kept_in, told.tasks[-1].found)
            bars.hear(
                Step(asset="attack", done=len(told.tasks), total=len(tasks), says=_says(told))
            )

        try:
            told = attack(opened, tasks, settings, on_task=hear)
        except KeyboardInterrupt:
            raise Interrupted(
                f"interrupted; {how_many(fresh, 'cheat')} found so far kept"
            ) from None
    if out is not None:
        write_cheats(out, told.found_cheats)
    if as_json:
        print_json(_document(opened, told, settings, kept_in, fresh))
    else:
        _print(told, kept_in, fresh)
    if told.found_cheats:
        raise typer.Exit(FOUND)


def _require_policy(policy: str, model: str) -> None:
    if policy.startswith(URLS):
        if not model:
            raise typer.BadParameter("an http policy needs the model's name", param_hint="--model")
    elif policy != SCRIPTED and (policy.startswith("torch:") or "/" not in policy):
        raise typer.BadParameter(
            f"there is no policy {policy!r} that attacks: choose scripted, http://host/v1 or provider/model",
            param_hint="--policy",
        )


def _tasks(task_set: "TaskSet", prefix: str) -> "list[PackedTask]":
    chosen = [one for one in task_set.tasks if one.task_id.startswith(prefix)]
    if not chosen:
        about = f"whose id begins with {prefix}" if prefix else "at all"
        raise InputError(f"{task_set.path} has no task {about}: tasks.jsonl in it lists its tasks")
    return chosen


def _home_of(task_set: Path, given: Path | None, apps: set[str]) -> Home | None:
    """The home that is given, that the task set lies in, or that stands here; the last two only where they know the apps."""
    if given is not None:
        opened = open_home(given)
        if foreign := sorted(apps - set(apps_of(opened))):
            raise InputError(
                f"{given} knows no app {', '.join(foreign)}, so that no build of it would try the cheats: "
                "pass the home that the task set was made in, or write them with --out FILE"
            )
        return opened
    around = [path for path in task_set.resolve().parents if (path / "home.json").exists()]
    for path in [*around[:1], HOME]:
        if (path / "home.json").exists() and apps <= set(apps_of(found := open_home(path))):
            return found
    return None


def _keep(home: Home | None, found: "Sequence[FoundCheat]") -> int:
    if home is None or not found:
        return 0
    from dagster_project.lake.store import Lake  # noqa: PLC0415 - see above
    from dagster_project.tasks.found_cheats import keep_cheats  # noqa: PLC0415 - see above

    return keep_cheats(Lake(home.clean / "lake"), found)


def _keep_file(found: "list[FoundCheat]", home: Path | None, *, as_json: bool) -> None:
    """Keep the cheats of a file in a home."""
    kept_in = _home_of(Path(), home or HOME, {one.app for one in found})
    fresh = _keep(kept_in, found)
    if as_json:
        print_json({"cheats": len(found), "new": fresh})
    else:
        print_text(f"{how_many(len(found), 'cheat')} read, {fresh} of them new")
        notices().print(f"next: tracegym build --home {quote(str(home or HOME))}")


def _says(told: "Attacked") -> str:
    """The line beside the bar."""
    return f"{told.attempts:,} attempts, {how_many(len(told.found_cheats), 'paid cheat')}"


def _print(told: "Attacked", home: Home | None, fresh: int) -> None:
    skipped = [one for one in told.tasks if one.skipped]
    rows = [
        (one.task_id, one.attempts, one.cheats, one.ungraded, _best(one.best_share), len(one.found))
        for one in told.tasks
        if not one.skipped
    ]
    headings = ("task", "tried", "cheats", "null", "best", "paid")
    print_table("attempts that do not do the job", headings, rows)
    best = _best(told.best_share)
    tasks = sum(bool(one.found) for one in told.tasks)
    print_text(
        f"{told.attempts:,} attempts at {how_many(len(rows), 'task')}, best share of a cheat {best}, "
        f"{how_many(len(told.found_cheats), 'paid cheat')} at {how_many(tasks, 'task')}"
    )
    for cheat in told.found_cheats:
        print_text(f"{cheat.task_id} pays {cheat.reward:g}: {cheat.says}")
    for judged in told.to_judge:
        print_text(
            f"{judged.task_id} pays {judged.reward:g}: to be judged by a person (see --json)"
        )
    blind = sum(not one.cheats and not one.skipped for one in told.tasks)
    if blind:
        print_text(
            f"of no attempt at {how_many(blind, 'task')} is it sure that it is bad: they prove nothing here"
        )
    for one in skipped:
        print_text(f"{one.task_id} was not attacked: {one.skipped}")
    if told.unfinished:
        notices().print("time or money ended the search before every task had its attempts")
    if told.found_cheats and home is not None:
        notices().print(
            f"{fresh} new ones kept; next: tracegym build --home {quote(str(home.path))}"
        )
    elif told.found_cheats:
        notices().print("kept nowhere; --home DIR keeps them, --out FILE writes them")


def _best(share: float | None) -> str:
    return "-" if share is None else f"{share:.3f}"


def _document(
    task_set: "TaskSet",
    told: "Attacked",
    settings: "AttackSettings",
    home: Home | None,
    fresh: int,
) -> dict[str, object]:
    return {
        "task_set_version": task_set.manifest.task_set_version,
        "policy": told.policy,
        "seed": settings.seed,
        "budget": settings.budget,
        "attempts": told.attempts,
        "failed": sum(one.failed for one in told.tasks),
        "best_share": told.best_share,
        "unfinished": told.unfinished,
        "kept": home is not None,
        "new": fresh,
        **({"cost": round(told.cost, 6)} if told.cost else {}),
        "cheats": [{**one.to_json(), "says": one.says} for one in told.found_cheats],
        "to_judge": [
            {
                "task_id": one.task_id,
                "reward": one.reward,
                "share": one.share,
                "actions": [dict(action) for action in one.actions],
            }
            for one in told.to_judge
        ],
        "tasks": [
            {
                "task_id": one.task_id,
                "attempts": one.attempts,
                "cheats": one.cheats,
                "without_reward": one.ungraded,
                "failed": one.failed,
                "best_share": one.best_share,
                "paid": len(one.found),
                **({"skipped": one.skipped} if one.skipped else {}),
            }
            for one in told.tasks
        ],
    }
