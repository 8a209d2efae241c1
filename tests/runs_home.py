"""A home of a small shop with rollouts of every kind, and their file, for tests of `tracegym runs`. Not a test module."""

import asyncio
import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from dagster_project.home.layout import Home, open_home
from dagster_project.home.settings import add_apps
from dagster_project.lake.store import Lake
from dagster_project.rollouts.store import keep, settle
from environments.rollout.engine import RolloutSettings, run_rollouts
from environments.rollout.rollout import Rollout
from environments.rollout.scripts import ScriptedPolicy
from environments.runtime.task.candidate import Action
from environments.runtime.task.task_set import TaskSet
from tests.environments_shop import call, say, write_shop
from tests.review_home import HOSTILE

APP = "shop"


@dataclass(frozen=True)
class Shop:
    """The home, its task set, and the rollouts in it by policy."""

    home: Home
    task_set: Path
    rollouts: dict[str, Rollout]
    """Each policy's rollout at the first task."""


def runs_home(folder: Path, *, hostile: bool = False) -> Shop:
    """A policy that solves, one that idles, one that also does what nobody knows the effect of, and one that broke."""
    home = open_home(folder / "home", create=True)
    add_apps(home, [APP])
    task_set = home.clean / "tasksets" / APP
    write_shop(task_set)
    opened = TaskSet.load(task_set)
    words = HOSTILE if hostile else "Xyzzy plugh?"
    lost = (
        say(words),
        call("get_order", {"order_id": words if hostile else "o77"}, "c1"),
        call("cancel_order", {"order_id": "o1"}, "c2"),
        call("cancel_order", {"order_id": "o77"}, "c3"),
    )
    made = [
        *_rolled(opened, "solver", None),
        *_rolled(opened, "idler", (say("Hello."),)),
        *_rolled(opened, "stranger", lost),
    ]
    made.append(
        replace(
            made[0], policy="broken", reward=None, error="no connection", cause="error", checks="[]"
        )
    )
    lake = Lake(home.clean / "lake")
    keep(lake, made)
    settle(lake, [APP])
    first = opened.tasks[0].task_id
    return Shop(
        home=home,
        task_set=task_set,
        rollouts={one.policy: one for one in made if one.task_id == first},
    )


def _rolled(opened: TaskSet, name: str, actions: Sequence[Action] | None) -> list[Rollout]:
    """A script's rollouts; without actions the task's own solution."""

    def act(_messages: object, _tools: object, run: object) -> Action:
        task_id: str = run.task_id  # type: ignore[attr-defined]
        acted: int = run.acted  # type: ignore[attr-defined]
        mine = opened.solution(task_id) if actions is None else actions
        return mine[acted] if acted < len(mine) else say("Goodbye.")

    async def gather() -> list[Rollout]:
        policy = ScriptedPolicy(name, act)
        return [one async for one in run_rollouts(opened, policy, RolloutSettings())]

    # In a thread of its own: a browser's driver has a running loop in this one.
    with ThreadPoolExecutor(1) as apart:
        return apart.submit(lambda: asyncio.run(gather())).result()


def written(shop: Shop, path: Path) -> Path:
    """The shop's rollouts as `tracegym rollout --out` writes them."""
    rows = [json.dumps(one.to_row()) for one in shop.rollouts.values()]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path
