"""The engine: plays a policy over a task set, many runs at once on one event loop, and yields rollouts as they end.

In: a task set, a policy, settings, and the keys of rollouts that exist already. Out: an iterator of `Rollout`. A fault of
the infrastructure gives a rollout that is marked and not graded; when nothing but faults come, the engine gives up with
one sentence. A run that the budget stops is not yielded: it is not done, and starts again next time.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Callable, Collection, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import TypeVar

from environments.judges.ask import Judge
from environments.judges.question import that_decide
from environments.rollout.budget import Budget, Limits
from environments.rollout.errors import EndpointError, RefusedError, RolloutError
from environments.rollout.explanation import checks_text, explain
from environments.rollout.hearing import hear
from environments.rollout.policy import Policy, Run, Turn
from environments.rollout.rollout import Rollout, RolloutKey
from environments.runtime.play.environment import Environment
from environments.runtime.task.attempt import SIMULATED, Attempt
from environments.runtime.task.task_set import PackedTask, TaskSet
from environments.runtime.task.verdict import Verdict
from environments.simulate import Simulation
from environments.user_model import UserModel

Amount = TypeVar("Amount", int, float)


@dataclass(frozen=True, slots=True, kw_only=True)
class RolloutSettings:
    """How rollouts are run."""

    samples: int = 1
    """Rollouts per task: seeds 0 to samples - 1."""
    concurrency: int = 64
    """Runs in flight."""
    tasks: Collection[str] | None = None
    """Task ids to run; None is all."""
    limits: Limits = field(default_factory=Limits)
    give_up_after: int = 8
    """Faults in a row, without one rollout between them, after which the endpoint counts as dead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clock:
    """Where the time comes from."""

    now: Callable[[], int] = time.time_ns
    ticks: Callable[[], float] = time.monotonic


@dataclass(frozen=True, slots=True)
class _Job:
    task: PackedTask
    seed: int


async def run_rollouts(  # noqa: PLR0913 - what runs, how, and its optional company
    task_set: TaskSet,
    policy: Policy,
    settings: RolloutSettings,
    *,
    done: Collection[RolloutKey] = (),
    clock: Clock | None = None,
    judge: Judge | None = None,
    simulation: Simulation | None = None,
    user: UserModel | None = None,
) -> AsyncGenerator[Rollout]:
    """Run every rollout that is not done yet; they come as they end, in no particular order."""
    play = _Play(task_set, policy, settings, clock or Clock(), judge, simulation, user)
    jobs = list(_jobs(task_set, play.label, settings, frozenset(done)))
    faults = 0
    async with aclosing(_in_parallel(play, jobs, settings.concurrency)) as rollouts:
        async for rollout in rollouts:
            yield rollout
            faults = faults + 1 if rollout.error else 0
            if faults >= settings.give_up_after:
                raise RolloutError(
                    f"{faults} rollouts in a row failed, the last because {rollout.error}: "
                    "see that the endpoint answers, then start again; finished rollouts are kept"
                )


def label_of(policy: str, simulator: str | None, user: str | None = None) -> str:
    """A policy's name in rollouts: with simulated tools or users it plays another game, its rewards are another group."""
    label = f"{policy} with {simulator} simulating" if simulator else policy
    return f"{label}, {user} as the user" if user else label


def _jobs(
    task_set: TaskSet, policy: str, settings: RolloutSettings, done: frozenset[RolloutKey]
) -> Iterator[_Job]:
    """All samples of a task together, so that a group is whole early."""
    for task in task_set.tasks:
        if settings.tasks is not None and task.task_id not in settings.tasks:
            continue
        for seed in range(settings.samples):
            if RolloutKey(task.task_id, task.task_version, policy, seed) not in done:
                yield _Job(task, seed)


async def _in_parallel(play: _Play, jobs: list[_Job], width: int) -> AsyncGenerator[Rollout]:
    """At most `width` runs at once; whoever stops listening stops them all."""
    waiting = iter(jobs)
    finished: asyncio.Queue[Rollout | BaseException | None] = asyncio.Queue()

    async def work() -> None:
        try:
            for job in waiting:
                rollout = await play.run(job)
                if rollout is None:
                    break
                finished.put_nowait(rollout)
            finished.put_nowait(None)
        except BaseException as fault:
            finished.put_nowait(fault)
            raise

    workers = [asyncio.create_task(work()) for _ in range(max(1, min(width, len(jobs))))]
    async with aclosing(hear(finished, workers)) as rollouts:
        async for rollout in rollouts:
            yield rollout


class _Play:
    """Plays single runs; what they share is the budget."""

    def __init__(  # noqa: PLR0913, PLR0917 - what runs, how, and its optional company
        self,
        task_set: TaskSet,
        policy: Policy,
        settings: RolloutSettings,
        clock: Clock,
        judge: Judge | None,
        simulation: Simulation | None,
        user: UserModel | None,
    ) -> None:
        self._judge = judge
        self._user = user
        self._simulation = simulation
        self._simulator = simulation.model if simulation is not None else None
        self.label = label_of(policy.name, self._simulator, user.model if user else None)
        self._threads = ThreadPoolExecutor(settings.concurrency) if simulation or user else None
        self._task_set = task_set
        self._policy = policy
        self._clock = clock
        self._budget = Budget(settings.limits, clock.ticks)

    async def run(self, job: _Job) -> Rollout | None:
        """One rollout; None if the budget does not allow it to end."""
        started_at, started = self._clock.now(), self._clock.ticks()
        environment = self._environment(job)
        turns: list[Turn] = []
        error = None
        while environment.stop_reason is None:
            try:
                turn = await self._act(environment, job, len(turns))
                if turn is None:
                    return None
                turns.append(turn)
                await self._step(environment, turn)
            except RefusedError as fault:
                if fault.status in {401, 403, 404}:
                    raise
                error = str(fault)
                break
            except EndpointError as fault:
                error = str(fault)
                break
        seconds = self._clock.ticks() - started
        attempt = environment.attempt()
        verdict = await self._grade(job.task, attempt, broken=error is not None)
        return self._record(
            attempt, verdict, job, turns=turns, error=error, times=(started_at, seconds)
        )

    def _environment(self, job: _Job) -> Environment:
        if self._simulation is None and self._user is None:
            return self._task_set.environment(job.task.task_id, job.seed)
        world = (self._simulation or self._task_set).world(job.task.task_id)
        user = self._user.user_of(job.task) if self._user is not None else None
        return Environment(job.task, world, seed=job.seed, user=user)

    async def _step(self, environment: Environment, turn: Turn) -> None:
        """The world's answers; where a model may give them, in a thread, so that the other runs go on."""
        if self._threads is None:
            environment.step(turn.message)
        else:
            loop = asyncio.get_running_loop()
            await loop.run_in_executor(self._threads, environment.step, turn.message)

    async def _grade(self, task: PackedTask, attempt: Attempt, *, broken: bool) -> Verdict:
        """The verdict, with a judge's replies where one is asked; a broken run is worth no question."""
        recordings = None
        if self._judge is not None and not broken:
            pays = self._task_set.manifest.reward
            rubric = that_decide(self._task_set.rubric(task.task_id), pays)
            recordings = await self._judge.recordings(rubric, attempt, app=task.app)
        return self._task_set.verdict(task.task_id, attempt, recordings=recordings)

    async def _act(self, environment: Environment, job: _Job, acted: int) -> Turn | None:
        messages = environment.messages
        await self._budget.price()
        reserved = self._budget.reserve(messages, job.task.tools)
        if reserved is None:
            return None
        run = Run(task_id=job.task.task_id, seed=job.seed, acted=acted)
        usage = None
        try:
            turn = await self._policy.act(messages, job.task.tools, run=run)
            usage = turn.usage
        finally:
            self._budget.settle(reserved, usage)
        if self._budget.unpriced:
            raise RolloutError(
                f"{self._policy.name} does not say what its calls cost, so a limit on money cannot hold: "
                "limit tokens or time"
            )
        return turn

    def _record(  # noqa: PLR0913 - one parameter per thing a rollout is made of
        self,
        attempt: Attempt,
        verdict: Verdict,
        job: _Job,
        *,
        turns: list[Turn],
        error: str | None,
        times: tuple[int, float],
    ) -> Rollout:
        task = job.task
        unknown = attempt.unknown_answers
        simulated = sum(call.result.source == SIMULATED for call in attempt.calls)
        tokens = [turn.tokens for turn in turns]
        why = explain(attempt, verdict, self._task_set.rubric(task.task_id), error=error)
        return Rollout(
            app=task.app,
            task_id=task.task_id,
            task_version=task.task_version,
            policy=self.label,
            seed=job.seed,
            task_set_version=self._task_set.manifest.task_set_version,
            reward=None if error else verdict.reward,
            predicted=None if error else verdict.predicted,
            reason="not graded: the run broke" if error else verdict.reason,
            passed=verdict.score.passed,
            graded=verdict.score.graded,
            total=verdict.score.total,
            stop_reason=attempt.stop_reason,
            error=error,
            trajectory=json.dumps(attempt.messages, ensure_ascii=False, default=dict),
            opening=attempt.opening,
            tools=json.dumps(task.tools, ensure_ascii=False, default=dict),
            messages=len(turns),
            calls=len(attempt.calls),
            malformed=sum(call.malformed for call in attempt.calls),
            unknown=unknown + attempt.user_unknown,
            simulated=simulated,
            simulator=self._simulator,
            user_model=self._user.model if self._user is not None else None,
            user_unknown=attempt.user_unknown,
            cause=why.cause.code,
            checks=checks_text(why.checks),
            answers=json.dumps(why.answers, ensure_ascii=False),
            unanswered=json.dumps(why.unanswered),
            prompt_tokens=_total(turn.usage.prompt_tokens for turn in turns),
            completion_tokens=_total(turn.usage.completion_tokens for turn in turns),
            cost=_total(turn.usage.cost for turn in turns),
            tokens=json.dumps(tokens, default=dict) if any(tokens) else None,
            started_at=times[0],
            seconds=times[1],
        )


def _total(amounts: Iterable[Amount | None]) -> Amount | None:
    known = [amount for amount in amounts if amount is not None]
    return sum(known[1:], known[0]) if known else None
