"""Rollouts of a policy over a task set, kept in the lake of a home as they end.

Comes in: a task set's folder and what to launch. Goes out: rollouts in the lake and counts. Stopped at any moment it goes on where it was:
what is in the lake is not run again.
"""

import time
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AbstractContextManager, AsyncExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final

from dagster_project.errors import InputError
from dagster_project.lake.digests import hash_of
from dagster_project.lake.store import Lake
from dagster_project.rollouts.policies import Launch
from dagster_project.rollouts.reasons import COLUMNS, PolicyReasons, by_policy
from dagster_project.rollouts.store import finished_rollouts, keep, reasons_of, settle
from dagster_project.storage.file_locks import sole_writer
from dagster_project.tasks.judge_replies import judge_of, judge_says, keep_fresh
from dagster_project.worlds.simulated_replies import keep_simulated, simulation_of, simulation_says
from environments.judges.ask import Judge
from environments.llm import ModelChoice
from environments.rollout.engine import label_of, run_rollouts
from environments.rollout.explanation import answers_of
from environments.rollout.rollout import Rollout, RolloutKey
from environments.runtime.task.attempt import UNKNOWN
from environments.runtime.task.task_set import TaskSet
from environments.simulate import Simulation
from environments.user_model import UserModel

_KEEP_EVERY_S: Final = 2.0
_KEEP_EVERY: Final = 256


@dataclass(slots=True, kw_only=True)
class RolloutCounts:
    """What a run did."""

    policy: str = ""
    rollouts: int = 0
    graded: int = 0
    masked: int = 0
    failed: int = 0
    """Broken by a fault of the infrastructure; they are run again next time."""
    reward: float = 0.0
    passed: int = 0
    """Checks that passed, over all graded rollouts."""
    checks: int = 0
    """Checks of all graded rollouts."""
    before: int = 0
    """Rollouts that were there already."""
    wanted: int = 0
    """Rollouts that this run is to make."""
    cost: float = 0.0
    """In the provider's currency, as far as it says."""
    judge: Mapping[str, object] = field(default_factory=dict)
    """What a judge was asked, and what became of it; empty without a judge."""
    simulated: int = 0
    """Tool answers that a model made up."""
    simulator: Mapping[str, object] = field(default_factory=dict)
    """What a simulating model was asked, and what became of it; empty without one."""
    user: Mapping[str, object] = field(default_factory=dict)
    """What a model that played the users was asked; empty without one."""
    causes: Counter[str] = field(default_factory=Counter)
    """Rollouts of this run by the code of their cause."""
    unknown_tools: Counter[str] = field(default_factory=Counter)
    """Unknown answers of this run's rollouts without a reward, by tool."""
    policies: tuple[PolicyReasons, ...] = ()
    """Every policy's rewards by reason at these tasks, earlier runs included where there is a lake."""

    def add(self, rollout: Rollout) -> None:
        """Count one more."""
        self.rollouts += 1
        self.causes[rollout.cause] += 1
        self.failed += rollout.error is not None
        self.graded += rollout.reward is not None
        self.masked += rollout.reward is None and rollout.error is None
        self.reward += rollout.reward or 0.0
        if rollout.reward is not None:
            self.passed += rollout.passed
            self.checks += rollout.total
        self.cost += rollout.cost or 0.0
        self.simulated += rollout.simulated
        if rollout.reward is None:
            answers = answers_of(rollout.answers) or ()
            self.unknown_tools.update(tool for tool, source in answers if source == UNKNOWN)

    @property
    def mean_reward(self) -> float | None:
        """Over graded rollouts; None while there is none."""
        return self.reward / self.graded if self.graded else None


async def roll_out(  # noqa: PLR0913 - what runs, how, and its optional company
    lake: Lake | None,
    folder: Path,
    launch: Launch,
    *,
    judged_by: ModelChoice | None = None,
    simulated_by: ModelChoice | None = None,
    user_by: ModelChoice | None = None,
    on_rollout: Callable[[Rollout, RolloutCounts], None] = lambda *_: None,
) -> RolloutCounts:
    """Run what is not in the lake yet; without a lake, everything."""
    if launch.cluster is not None:
        _require_no_company(judged_by, simulated_by, user_by)
    task_set = TaskSet.load(folder)
    counts = RolloutCounts()
    async with AsyncExitStack() as stack:
        simulation = None
        if simulated_by is not None:
            simulation = simulation_of(simulated_by, lake, task_set)
            stack.callback(simulation.close)
        user = _user(user_by, stack)
        simulator = simulation.model if simulation is not None else None
        counts.policy = label_of(launch.choice.label, simulator, user.model if user else None)
        apps = {task.app for task in task_set.tasks}
        judge = judge_of(judged_by, lake, apps)
        if lake is not None:
            stack.enter_context(_lock_policy(lake, task_set, counts.policy))
        there = finished_rollouts(lake, apps) if lake is not None else set()
        mine = {(task.task_id, task.task_version) for task in task_set.tasks}
        counts.before = sum(
            key.policy == counts.policy and (key.task_id, key.task_version) in mine for key in there
        )
        counts.wanted = len(task_set.tasks) * launch.settings.samples - counts.before
        seen: list[dict[str, object]] = []
        rollouts = await _rollouts(
            task_set, launch, stack, there=there, judge=judge, simulation=simulation, user=user
        )
        batch: list[Rollout] = []
        kept_at = time.monotonic()
        try:
            async for rollout in rollouts:
                counts.add(rollout)
                seen.append({name: getattr(rollout, name) for name in COLUMNS})
                batch.append(rollout)
                on_rollout(rollout, counts)
                if len(batch) >= _KEEP_EVERY or time.monotonic() - kept_at > _KEEP_EVERY_S:
                    keep_simulated(lake, simulation)
                    _keep(lake, batch)
                    keep_fresh(lake, judge)
                    kept_at = time.monotonic()
        finally:
            # Before the rollouts: a stored run can then always be made again.
            keep_simulated(lake, simulation)
            _keep(lake, batch)
            keep_fresh(lake, judge)
            if lake is not None:
                settle(lake, apps)
    versions = {task.task_id: task.task_version for task in task_set.tasks}
    counts.policies = reasons_of(lake, versions, apps) if lake is not None else by_policy(seen)
    counts.judge = judge_says(judge) if judged_by is not None else {}
    if simulation is not None:
        counts.simulator = simulation_says(simulation)
    if user is not None:
        counts.user = {"model": user.model, **asdict(user.counts)}
    return counts


def _lock_policy(lake: Lake, task_set: TaskSet, policy: str) -> AbstractContextManager[None]:
    """Nobody else runs this policy at this task set: everything would be done, paid and stored twice."""
    folder = lake.folder.parent / "rolling"
    folder.mkdir(exist_ok=True)
    version = task_set.manifest.task_set_version
    return sole_writer(
        folder / hash_of(version, policy),
        f"another command is running {policy} at this task set; wait for it, or stop it: what it has done is kept",
        remove=True,
    )


def _require_no_company(
    judge: ModelChoice | None, simulator: ModelChoice | None, user: ModelChoice | None
) -> None:
    """What only this process can do; whoever asks a cluster for it is told before anything runs."""
    if judge is not None:
        raise InputError(
            "the workers of a cluster ask no judge: run without one, then `tracegym regrade --judge`"
        )
    if simulator is not None:
        raise InputError("the workers of a cluster simulate no tool: run with --engine local")
    if user is not None:
        raise InputError("the workers of a cluster ask no model for users: run with --engine local")


def _user(choice: ModelChoice | None, stack: AsyncExitStack) -> UserModel | None:
    if choice is None:
        return None
    user = UserModel(choice.model, choice.complete())
    stack.callback(user.close)
    return user


def _keep(lake: Lake | None, batch: list[Rollout]) -> None:
    if lake is not None and batch:
        keep(lake, batch)
    batch.clear()


async def _rollouts(  # noqa: PLR0913 - what runs, how, and its optional company
    task_set: TaskSet,
    launch: Launch,
    stack: AsyncExitStack,
    *,
    there: set[RolloutKey],
    judge: Judge,
    simulation: Simulation | None,
    user: UserModel | None,
) -> AsyncGenerator[Rollout]:
    """From this process, or from the workers of a cluster, which open the policy themselves."""
    cluster = launch.cluster
    if cluster is None:
        policy = await stack.enter_async_context(launch.choice.open(task_set))
        return run_rollouts(
            task_set,
            policy,
            launch.settings,
            done=there,
            judge=judge,
            simulation=simulation,
            user=user,
        )
    try:
        from environments.rollout.ray_engine import RaySettings, run_on_ray  # noqa: PLC0415 - extra
    except ModuleNotFoundError as fault:
        raise InputError(f"a cluster needs {fault.name}: pip install 'tracegym[ray]'") from fault
    on = RaySettings(address=cluster.address, workers=cluster.workers, gpus=cluster.gpus)
    return run_on_ray(task_set.path, launch.choice.open, launch.settings, on, done=there)
