"""`tracegym regrade`: stored rollouts graded again with the rubrics of a task set."""

from collections import Counter
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from dagster_project.cli.models import chosen_judge
from dagster_project.cli.options import (
    HOME,
    HomeOption,
    JsonOption,
    JudgeOption,
    JudgeUrlOption,
)
from dagster_project.cli.output import notices, print_json, print_pairs, print_table
from dagster_project.errors import InputError
from dagster_project.home.layout import open_home
from environments.runtime.values.grouping import by_key

if TYPE_CHECKING:
    from environments.regrade import Regraded, Regrading

SHOWN = 25
CHANGES = ("same", "up", "down", "masked", "unmasked")


def regrade(
    task_set: Annotated[Path, typer.Argument(metavar="TASKSET", help="A task set's folder.")],
    home: HomeOption = HOME,
    judge: JudgeOption = "",
    judge_url: JudgeUrlOption = "",
    as_json: JsonOption = False,
) -> None:
    """Grade stored rollouts with a task set's rubrics, after a rubric changed; old verdicts stay beside the new.

    Example: tracegym regrade my_tasks --home H
    """
    judged_by = chosen_judge(judge, judge_url)
    opened = open_home(home)
    # pyarrow, deltalake and the records: 1 s
    from dagster_project.lake.store import Lake  # noqa: PLC0415
    from dagster_project.review.verdicts import regrade_stored  # noqa: PLC0415
    from dagster_project.tasks.judge_replies import judge_of, judge_says  # noqa: PLC0415
    from environments.runtime.task.task_set import TaskSet  # noqa: PLC0415

    opened_set = TaskSet.load(task_set)
    lake = Lake(opened.clean / "lake")
    asked = None
    if judged_by is not None:
        asked = judge_of(judged_by, lake, {task.app for task in opened_set.tasks})
    found = regrade_stored(lake, opened_set, judge=asked)
    said = judge_says(asked) if asked is not None else {}
    if not found.regraded:
        raise InputError(
            f"{home} holds no rollout of a task in {task_set}; "
            f"make some with: tracegym rollout {quote(str(task_set))} --policy solution --home {quote(str(home))}"
        )
    version = opened_set.manifest.task_set_version
    if as_json:
        judged = {"judge": said} if said else {}
        print_json({"task_set_version": version, **_document(found), **judged})
    else:
        _print(found)
        if said:
            print_pairs("judge", said)


def _print(found: "Regrading") -> None:
    rows = [
        (
            policy,
            len(mine),
            *(counts[change] for change in CHANGES),
            _mean(mine, now=False),
            _mean(mine, now=True),
        )
        for policy, mine in _by_policy(found).items()
        if (counts := Counter(one.change for one in mine)) is not None
    ]
    headings = ("policy", "rollouts", *CHANGES, "mean before", "mean now")
    print_table("Rollouts graded again", headings, rows)
    changed = [one for one in found.regraded if one.change != "same"]
    if changed:
        listed = [
            (
                one.run.task_id[:12],
                one.run.policy,
                one.run.seed,
                one.run.reward,
                one.verdict.reward,
                one.verdict.score.says,
                one.verdict.rubric[:12],
                one.verdict.reason if one.same_run else f"{one.verdict.reason} (another run)",
            )
            for one in changed[:SHOWN]
        ]
        titles = ("task", "policy", "seed", "before", "now", "checks", "rubric", "why")
        print_table("What changed", titles, listed)
    _notes(found, len(changed))


def _notes(found: "Regrading", changed: int) -> None:
    other = sum(not one.same_run for one in found.regraded)
    said = [
        (changed - SHOWN, "further changes are not shown; --json has all"),
        (other, "re-runs met other answers than the stored ones: their task or world changed"),
        (found.gone, "rollouts belong to tasks that the set does not have"),
        (found.unreadable, "stored conversations cannot be read"),
    ]
    for count, says in said:
        if count > 0:
            notices().print(f"{count} {says}")


def _by_policy(found: "Regrading") -> dict[str, list["Regraded"]]:
    return dict(sorted(by_key((one.run.policy, one) for one in found.regraded).items()))


def _mean(mine: list["Regraded"], *, now: bool) -> float | None:
    rewards = [one.verdict.reward if now else one.run.reward for one in mine]
    graded = [reward for reward in rewards if reward is not None]
    return sum(graded) / len(graded) if graded else None


def _document(found: "Regrading") -> dict[str, object]:
    return {
        "rollouts": len(found.regraded),
        "changes": dict(Counter(one.change for one in found.regraded)),
        "another_run": sum(not one.same_run for one in found.regraded),
        "gone": found.gone,
        "unreadable": found.unreadable,
        "changed": [
            {
                "rollout_id": one.run.rollout_id,
                "task_id": one.run.task_id,
                "policy": one.run.policy,
                "seed": one.run.seed,
                "before": {"task_version": one.run.task_version, "reward": one.run.reward},
                "now": {
                    "task_version": one.verdict.task_version,
                    "rubric": one.verdict.rubric,
                    "reward": one.verdict.reward,
                    "checks_passed": one.verdict.score.says,
                    "reason": one.verdict.reason,
                },
                "same_run": one.same_run,
            }
            for one in found.regraded
            if one.change != "same"
        ],
    }
