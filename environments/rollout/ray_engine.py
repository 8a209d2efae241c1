"""Rollouts over several machines: a Ray cluster whose workers each run the engine on their share of the tasks.

In: a task set's folder, how to open the policy, settings, and the keys of rollouts that exist already. Out: the same
iterator of `Rollout` as `engine.run_rollouts`. The task set travels to the workers, who need only this package. A worker
that dies is started again and goes on with what it had not finished; budgets are divided, so that together they are not
passed. The only file that imports ray, which is the extra `ray`.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Collection, Mapping
from contextlib import AbstractAsyncContextManager, aclosing
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import ray  # pyright: ignore[reportMissingImports]  # the extra `ray`
from ray.exceptions import (  # pyright: ignore[reportMissingImports]
    RayActorError,
    RayError,
    RayTaskError,
)

from environments.rollout.engine import RolloutSettings, run_rollouts
from environments.rollout.errors import RolloutError
from environments.rollout.hearing import hear
from environments.rollout.policy import Policy
from environments.rollout.rollout import Rollout, RolloutKey
from environments.runtime.task.manifest import MANIFEST
from environments.runtime.task.task_set import TaskSet

OpenPolicy = Callable[[TaskSet], AbstractAsyncContextManager[Policy]]
"""Opens the policy inside a worker; it is pickled, so it is a function of a module or a frozen record."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RaySettings:
    """Which cluster, and how many workers."""

    address: str = ""
    """As `ray.init` takes it (`auto`, `ray://host:10001`); empty starts a cluster on this machine."""
    workers: int = 2
    cpus: float = 1.0
    """Processors that a worker reserves."""
    gpus: float = 0.0
    """GPUs that a worker reserves; for policies that run in the worker."""
    restarts: int = 3
    """How often a worker that died is started again."""


async def run_on_ray(
    folder: Path,
    open_policy: OpenPolicy,
    settings: RolloutSettings,
    cluster: RaySettings,
    *,
    done: Collection[RolloutKey] = (),
) -> AsyncGenerator[Rollout]:
    """Run every rollout that is not done yet; they come as they end, in no particular order."""
    shards = _shards(folder, settings, cluster.workers)
    started_here = not ray.is_initialized()
    if started_here:
        _join(cluster)
    heard: asyncio.Queue[Rollout | BaseException | None] = asyncio.Queue()
    files = ray.put(_files(folder))
    shares = [_Share(files, open_policy, shard, cluster, frozenset(done)) for shard in shards]
    hearing = [asyncio.create_task(share.hear(heard)) for share in shares]
    try:
        async with aclosing(hear(heard, hearing)) as rollouts:
            async for rollout in rollouts:
                yield rollout
    finally:
        for share in shares:
            share.stop()
        if started_here:
            ray.shutdown()


def _join(cluster: RaySettings) -> None:
    # Ray reports its use over the network unless it is told not to, and it reads no setting but this.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # noqa: TID251 - read by ray only
    here: dict[str, Any] = {} if cluster.address else {"num_cpus": cluster.workers * cluster.cpus}
    try:
        ray.init(
            address=cluster.address or "local",
            include_dashboard=False if not cluster.address else None,
            log_to_driver=False,
            **here,
        )
    except (ConnectionError, RuntimeError, ValueError) as fault:
        raise RolloutError(
            f"no Ray cluster answers at {cluster.address or 'this machine'}: "
            "start one with `ray start --head`, or leave the address out"
        ) from fault


def _shards(folder: Path, settings: RolloutSettings, workers: int) -> list[RolloutSettings]:
    """Settings of each worker: its tasks, and its part of the budget."""
    wanted = settings.tasks
    ids = [task.task_id for task in TaskSet.load(folder).tasks]
    ids = [task_id for task_id in ids if wanted is None or task_id in wanted]
    count = max(1, min(workers, len(ids)))
    limits = settings.limits
    part = replace(
        limits,
        tokens=None if limits.tokens is None else limits.tokens // count,
        cost=None if limits.cost is None else limits.cost / count,
    )
    return [
        replace(
            settings,
            tasks=frozenset(ids[at::count]),
            limits=part,
            concurrency=max(1, settings.concurrency // count),
        )
        for at in range(count)
    ]


def _files(folder: Path) -> dict[str, bytes]:
    """The task set as it travels: what its manifest names, and nothing else."""
    names = [MANIFEST, *TaskSet.load(folder).manifest.files]
    return {name: (folder / name).read_bytes() for name in names}


@dataclass(slots=True)
class _Share:
    """One worker's part, heard by this process."""

    files: Any
    open_policy: OpenPolicy
    settings: RolloutSettings
    cluster: RaySettings
    done: frozenset[RolloutKey]
    worker: Any = None
    paid: tuple[int, float] = (0, 0.0)
    """Tokens and money of the rollouts that came since the worker was last started."""

    async def hear(self, heard: asyncio.Queue[Rollout | BaseException | None]) -> None:
        """Pass on what the worker yields; start it again where it dies."""
        began, deaths = time.monotonic(), 0
        while True:
            try:
                async for rollout in self._stream():
                    self._count(rollout)
                    heard.put_nowait(rollout)
                heard.put_nowait(None)
                return  # noqa: TRY300 - a loop that only a fault continues
            except RayActorError as fault:
                deaths += 1
                if deaths > self.cluster.restarts:
                    heard.put_nowait(_gave_up(deaths, fault))
                    return
                self._shorten(time.monotonic() - began)
            except RayTaskError as fault:
                cause = fault.cause
                heard.put_nowait(cause if isinstance(cause, RolloutError) else _worker_error(fault))
                return
            except RayError as fault:
                heard.put_nowait(_worker_error(fault))
                return

    async def _stream(self) -> AsyncIterator[Rollout]:
        options = {"num_cpus": self.cluster.cpus, "num_gpus": self.cluster.gpus}
        self.worker = ray.remote(**options)(_Worker).remote(self.files)
        async for reference in self.worker.run.remote(self.open_policy, self.settings, self.done):
            yield await reference

    def _count(self, rollout: Rollout) -> None:
        """What has come is done, and paid for, whatever happens to the worker."""
        if rollout.error is None:
            self.done |= {rollout.key}
        used = (rollout.prompt_tokens or 0) + (rollout.completion_tokens or 0)
        self.paid = (self.paid[0] + used, self.paid[1] + (rollout.cost or 0.0))

    def _shorten(self, seconds: float) -> None:
        limits = self.settings.limits
        tokens, cost = self.paid
        left = replace(
            limits,
            tokens=None if limits.tokens is None else max(0, limits.tokens - tokens),
            cost=None if limits.cost is None else max(0.0, limits.cost - cost),
            seconds=None if limits.seconds is None else max(0.0, limits.seconds - seconds),
        )
        self.settings = replace(self.settings, limits=left)
        self.paid = (0, 0.0)

    def stop(self) -> None:
        """Take the worker off the cluster."""
        if self.worker is not None and ray.is_initialized():
            ray.kill(self.worker)


def _gave_up(deaths: int, fault: Exception) -> RolloutError:
    return RolloutError(
        f"a worker died {deaths} times ({type(fault).__name__}): see its node's memory and logs, "
        "then start again; finished rollouts are kept"
    )


def _worker_error(fault: Exception) -> RolloutError:
    return RolloutError(f"a worker failed ({type(fault).__name__}); see the logs of its node")


class _Worker:
    """Holds a copy of the task set, and runs."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._folder = TemporaryDirectory(prefix="tracegym-")
        for name, data in files.items():
            path = Path(self._folder.name, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)

    async def run(
        self, open_policy: OpenPolicy, settings: RolloutSettings, done: Collection[RolloutKey]
    ) -> AsyncGenerator[Rollout]:
        """The share's rollouts, as they end."""
        task_set = TaskSet.load(self._folder.name)
        async with (
            open_policy(task_set) as policy,
            aclosing(run_rollouts(task_set, policy, settings, done=done)) as rollouts,
        ):
            async for rollout in rollouts:
                yield rollout
