"""Rollouts over Ray workers: each once, whatever dies; budgets together, not each. Needs ray (the extra `ray`)."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

ray = pytest.importorskip("ray", reason="ray is not installed: the extra `ray`")

from environments.rollout.budget import Limits  # noqa: E402 - ray first, or nothing
from environments.rollout.engine import RolloutSettings  # noqa: E402
from environments.rollout.errors import RefusedError  # noqa: E402
from environments.rollout.policy import Message, Policy, Run, Turn, Usage  # noqa: E402
from environments.rollout.ray_engine import RaySettings, run_on_ray  # noqa: E402
from environments.rollout.rollout import Rollout, RolloutKey  # noqa: E402
from environments.rollout.scripts import scripted_policy  # noqa: E402
from environments.runtime import TaskSet  # noqa: E402
from tests.environments_shop import write_shop  # noqa: E402

pytestmark = [
    pytest.mark.filterwarnings("ignore"),  # ray's own, at its import and its end
    pytest.mark.timeout(180),
]


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[None]:
    """One cluster for all tests: to start it takes seconds."""
    ray.init(address="local", num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The small shop with two tasks."""
    write_shop(tmp_path / "set")
    return tmp_path / "set"


@asynccontextmanager
async def solution(task_set: TaskSet) -> AsyncIterator[Policy]:
    """The known solutions."""
    yield scripted_policy("solution", task_set)


@dataclass(frozen=True, slots=True)
class Dying:
    """Kills its own worker process once, in the middle of a share."""

    inner: Policy
    marker: Path
    name: str = "solution"

    async def act(self, messages: Sequence[Message], tools: Sequence[Message], *, run: Run) -> Turn:
        """The solution, or death."""
        if run.seed == 3 and not self.marker.exists():
            self.marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return await self.inner.act(messages, tools, run=run)


@dataclass(frozen=True, slots=True)
class DyingOnce:
    """Opens `Dying` in a worker."""

    marker: Path

    @asynccontextmanager
    async def __call__(self, task_set: TaskSet) -> AsyncIterator[Policy]:
        """The policy."""
        yield Dying(scripted_policy("solution", task_set), self.marker)


@dataclass(frozen=True, slots=True)
class Dear:
    """Says that each turn took a thousand tokens."""

    inner: Policy
    name: str = "solution"

    async def act(self, messages: Sequence[Message], tools: Sequence[Message], *, run: Run) -> Turn:
        """The solution, expensively."""
        turn = await self.inner.act(messages, tools, run=run)
        return Turn(message=turn.message, usage=Usage(prompt_tokens=900, completion_tokens=100))


@asynccontextmanager
async def dear(task_set: TaskSet) -> AsyncIterator[Policy]:
    """An expensive policy."""
    yield Dear(scripted_policy("solution", task_set))


@asynccontextmanager
async def refused(_task_set: TaskSet) -> AsyncIterator[Policy]:
    """A policy that cannot be opened."""
    if not _task_set.path.name:
        yield scripted_policy("solution", _task_set)
    raise RefusedError("the endpoint refused the request with status 401", status=401)


def collect(
    folder: Path, opens: object, done: frozenset[RolloutKey] = frozenset(), **more: object
) -> list[Rollout]:
    """All rollouts of a run."""

    async def gather() -> list[Rollout]:
        settings = RolloutSettings(samples=8, **more)  # type: ignore[arg-type]  # fields of the settings
        runs = run_on_ray(folder, opens, settings, RaySettings(workers=2), done=done)  # type: ignore[arg-type]  # fakes
        return [rollout async for rollout in runs]

    return asyncio.run(gather())


def test_two_workers_run_everything_once(folder: Path) -> None:
    """Both shares together are the whole, with the rewards that one machine gives."""
    rollouts = collect(folder, solution)
    assert len({rollout.key for rollout in rollouts}) == len(rollouts) == 16
    assert {rollout.reward for rollout in rollouts} == {1.0}


def test_a_worker_that_dies_goes_on_where_it_was(folder: Path, tmp_path: Path) -> None:
    """Nothing is lost and nothing is doubled when a process is killed in the middle."""
    rollouts = collect(folder, DyingOnce(tmp_path / "died"))
    assert (tmp_path / "died").exists()
    assert len({rollout.key for rollout in rollouts}) == len(rollouts) == 16


def test_what_is_there_already_is_not_run_again(folder: Path) -> None:
    """Resuming asks only for the rest."""
    there = frozenset(rollout.key for rollout in collect(folder, solution)[:10])
    assert {rollout.key for rollout in collect(folder, solution, there)}.isdisjoint(there)


def test_the_budget_is_for_all_workers_together(folder: Path) -> None:
    """Two workers with 40,000 tokens between them do not take 80,000."""
    limits = Limits(tokens=40_000, completion_tokens=100)
    rollouts = collect(folder, dear, limits=limits, concurrency=2)
    used = sum((r.prompt_tokens or 0) + (r.completion_tokens or 0) for r in rollouts)
    assert 0 < len(rollouts) < 16
    assert used <= 40_000


def test_a_refusal_in_a_worker_is_heard_here(folder: Path) -> None:
    """The sentence of the worker's fault is the sentence that the user reads."""
    with pytest.raises(RefusedError, match="refused the request with status 401"):
        collect(folder, refused)
