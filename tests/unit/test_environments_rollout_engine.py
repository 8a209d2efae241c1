"""Rollouts over a task set: every run once, faults marked, resumed without doubles, within the budget."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from dagster_project.cli.tasks.rollout import SCRIPTS as NAMES
from environments.rollout.budget import Limits
from environments.rollout.endpoint import EndpointPolicy, EndpointSettings
from environments.rollout.engine import Clock, RolloutSettings, run_rollouts
from environments.rollout.errors import EndpointError, RefusedError, RolloutError
from environments.rollout.policy import Message, Policy, Run, Turn, Usage
from environments.rollout.rollout import Rollout, RolloutKey
from environments.rollout.scripts import SCRIPTS, scripted_policy
from environments.runtime import TaskSet
from tests.environments_shop import call, entry, write_shop
from tests.openai_server import ModelServer, serving, shop_clerk


@pytest.fixture
def shop(tmp_path: Path) -> TaskSet:
    """The small shop with two tasks."""
    write_shop(tmp_path / "set")
    return TaskSet.load(tmp_path / "set")


def collect(
    shop: TaskSet,
    policy: Policy,
    *,
    done: Collection[RolloutKey] = (),
    clock: Clock | None = None,
    **settings: Any,  # noqa: ANN401 - fields of RolloutSettings
) -> list[Rollout]:
    """All rollouts of a run."""

    async def gather() -> list[Rollout]:
        runs = run_rollouts(shop, policy, RolloutSettings(**settings), done=done, clock=clock)
        return [rollout async for rollout in runs]

    return asyncio.run(gather())


def collect_from(
    shop: TaskSet,
    server: ModelServer,
    **settings: Any,  # noqa: ANN401 - fields of RolloutSettings
) -> list[Rollout]:
    """All rollouts of a run against a server."""

    async def gather() -> list[Rollout]:
        endpoint = EndpointSettings(base_url=server.url, model="m", backoff=0.01, retries=1)
        async with EndpointPolicy(endpoint) as policy:
            runs = run_rollouts(shop, policy, RolloutSettings(**settings))
            return [rollout async for rollout in runs]

    return asyncio.run(gather())


@dataclass
class Flaky:
    """A policy whose calls fail or cost as told."""

    fault: Exception | None = None
    failing: Collection[int] = ()
    """Seeds whose calls fail; empty is all, if there is a fault."""
    usage: Usage = field(default_factory=Usage)
    calls: int = 0
    name: str = "flaky"

    async def act(self, messages: Sequence[Message], tools: Sequence[Message], *, run: Run) -> Turn:
        """One message, or the fault."""
        assert messages
        assert tools
        await asyncio.sleep(0)
        if self.fault and (not self.failing or run.seed in self.failing):
            raise self.fault
        self.calls += 1
        return Turn(message={"role": "assistant", "content": "Hm."}, usage=self.usage)


@pytest.mark.parametrize(
    ("name", "rewards"),
    [
        ("solution", {1.0}),
        ("noop", {0.0}),
        ("claim", {0.0}),
        ("copy", {0.0}),
        ("random_calls", {0.0, None}),
    ],
)
def test_scripted_policies_earn_what_they_should(
    shop: TaskSet, name: str, rewards: set[float | None]
) -> None:
    """The solution scores 1 on every task, the four others nothing (or null after an unknown write)."""
    rollouts = collect(shop, scripted_policy(name, shop), samples=2)
    assert {r.task_id for r in rollouts} == {"task1", "task3"}
    assert {r.reward for r in rollouts} <= rewards
    assert all(r.stop_reason for r in rollouts)


def test_an_unknown_script_is_named(shop: TaskSet) -> None:
    """The choices stand in the error."""
    with pytest.raises(RolloutError, match="solution"):
        scripted_policy("nope", shop)
    assert {scripted_policy(name, shop).name for name in SCRIPTS} == set(NAMES)


def test_a_rollout_holds_the_whole_story(shop: TaskSet) -> None:
    """Conversation, tools, counts and versions are in the record."""
    rollout = collect(shop, scripted_policy("solution", shop), tasks=["task1"])[0]
    messages = json.loads(rollout.trajectory)
    assert [m["role"] for m in messages[: rollout.opening]] == ["system", "user"]
    assert messages[-1]["content"] == "Thanks, bye."
    assert json.loads(rollout.tools)[0]["function"]["name"] == "get_order"
    assert (rollout.messages, rollout.calls, rollout.malformed, rollout.unknown) == (4, 2, 0, 0)
    assert rollout.task_version == shop.task("task1").task_version
    assert rollout.task_set_version == shop.manifest.task_set_version
    assert (rollout.passed, rollout.graded, rollout.total) == (2, 2, 2)


@pytest.mark.parametrize("stream", [False, True])
def test_a_model_does_the_tasks_through_an_endpoint(shop: TaskSet, stream: bool) -> None:
    """Many runs at once against one server, each with its own state."""
    with serving(shop_clerk, delay=0.02) as server:

        async def gather() -> list[Rollout]:
            endpoint = EndpointSettings(base_url=server.url, model="clerk", stream=stream)
            async with EndpointPolicy(endpoint) as policy:
                runs = run_rollouts(shop, policy, RolloutSettings(samples=20, concurrency=16))
                return [rollout async for rollout in runs]

        rollouts = asyncio.run(gather())
    assert [r.reward for r in rollouts] == [1.0] * 40
    assert {r.policy for r in rollouts} == {"clerk"}
    assert {r.completion_tokens for r in rollouts} == {15}
    assert 8 <= server.most_in_flight <= 16


def test_a_resumed_run_loses_and_doubles_nothing(shop: TaskSet) -> None:
    """Stopped in the middle and started again, every rollout exists once."""
    policy = scripted_policy("solution", shop)

    async def some() -> list[Rollout]:
        runs = run_rollouts(shop, policy, RolloutSettings(samples=10, concurrency=3))
        kept = []
        async for rollout in runs:
            kept.append(rollout)
            if len(kept) == 7:
                break
        await runs.aclose()
        return kept

    first = asyncio.run(some())
    rest = collect(shop, policy, samples=10, done=[r.key for r in first])
    keys = [r.key for r in first + rest]
    assert len(keys) == len(set(keys)) == 20


def test_another_version_of_a_task_is_another_rollout(shop: TaskSet, tmp_path: Path) -> None:
    """Keys carry the task's version: what was done on the old one does not count."""
    changed = entry(1)
    changed = replace(changed, task=replace(changed.task, tools=changed.task.tools[:2]))
    write_shop(tmp_path / "new", entries=[changed])
    done = [r.key for r in collect(shop, scripted_policy("noop", shop))]
    new = TaskSet.load(tmp_path / "new")
    assert len(collect(new, scripted_policy("noop", new), done=done)) == 1


def test_a_broken_run_is_marked_not_graded(shop: TaskSet) -> None:
    """An infrastructure fault gives no reward, and the others go on."""
    rollouts = collect(
        shop, Flaky(EndpointError("it failed"), failing=[1]), samples=3, concurrency=1
    )
    broken = [r for r in rollouts if r.error]
    assert [(r.seed, r.reward, r.error) for r in broken] == [(1, None, "it failed")] * 2
    assert {r.reward for r in rollouts if not r.error} == {0.0}


def test_a_dead_endpoint_ends_the_run_with_one_sentence(shop: TaskSet) -> None:
    """When nothing but faults come, the engine gives up instead of trying thousands."""
    policy = Flaky(EndpointError("no connection"))
    with pytest.raises(RolloutError, match=r"5 rollouts in a row failed.*no connection"):
        collect(shop, policy, samples=1000, concurrency=4, give_up_after=5)


@pytest.mark.parametrize("status", [401, 403, 404])
def test_wrong_credentials_end_the_run_at_once(shop: TaskSet, status: int) -> None:
    """No run can succeed, so none is tried again."""
    policy = Flaky(RefusedError("refused", status=status))
    with pytest.raises(RefusedError):
        collect(shop, policy, samples=100, concurrency=2)


def test_a_refused_request_marks_only_its_run(shop: TaskSet) -> None:
    """A conversation that is too long for the model is that run's fault."""
    policy = Flaky(RefusedError("refused with status 400", status=400), failing=[0])
    rollouts = collect(shop, policy, samples=2, concurrency=1)
    assert [r.error is not None for r in rollouts] == [True, False, True, False]


def test_an_unforeseen_fault_is_not_swallowed(shop: TaskSet) -> None:
    """A bug in a policy reaches whoever started the run."""
    with pytest.raises(ZeroDivisionError):
        collect(shop, Flaky(ZeroDivisionError()), samples=5)


def test_a_server_that_answers_nonsense_marks_its_runs(shop: TaskSet) -> None:
    """Replies that are not the protocol are faults; afterwards the model goes on."""
    with serving(shop_clerk, faults=["not_json"] * 2) as server:
        rollouts = collect_from(shop, server, concurrency=1)
    assert [(r.reward, bool(r.error)) for r in rollouts] == [(None, True), (1.0, False)]


def test_malformed_calls_of_a_model_are_its_own(shop: TaskSet) -> None:
    """Bad JSON and unknown tools are answered by the environment and cost the reward, not the run."""

    def brain(body: Any) -> dict[str, Any]:  # noqa: ANN401 - a request body
        if body["messages"][-1]["role"] == "tool":
            return {"content": "Sorry."}
        calls: Any = [call("nope", {}), call("get_order", {})]
        calls[1]["tool_calls"][0]["function"]["arguments"] = "{"
        return {"tool_calls": [c["tool_calls"][0] for c in calls]}

    with serving(brain) as server:
        rollouts = collect_from(shop, server)
    assert {(r.reward, r.error, r.malformed > 0) for r in rollouts} == {(0.0, None, True)}


def test_a_model_that_never_stops_is_stopped(tmp_path: Path) -> None:
    """A run ends at its task's limit whatever the model does."""
    write_shop(tmp_path / "set")
    task_set = TaskSet.load(tmp_path / "set")
    with serving(
        lambda _body: {"tool_calls": call("get_order", {"order_id": "o1"})["tool_calls"]}
    ) as server:
        rollouts = collect_from(task_set, server, tasks=["task1"])
    assert [(r.stop_reason, r.messages) for r in rollouts] == [("limit", 60)]


def test_the_token_budget_is_never_passed(shop: TaskSet) -> None:
    """Calls stop before they could pass the limit; a run that cannot end is not reported as done."""
    policy = Flaky(usage=Usage(prompt_tokens=100, completion_tokens=50))
    limits = Limits(tokens=1000, completion_tokens=50)
    rollouts = collect(shop, policy, samples=50, concurrency=4, limits=limits)
    assert policy.calls * 150 <= 1000
    assert 0 < len(rollouts) < 100


def test_the_money_budget_is_never_passed(shop: TaskSet) -> None:
    """Each call to come is taken to cost what the dearest so far did."""
    policy = Flaky(usage=Usage(cost=0.3))
    collect(shop, policy, samples=50, concurrency=1, limits=Limits(cost=1.0))
    assert policy.calls == 3


@pytest.mark.parametrize("concurrency", [2, 64])
def test_the_money_budget_holds_before_any_price_is_known(shop: TaskSet, concurrency: int) -> None:
    """The first call goes alone; however many runs wait, the limit is not passed, and it is used as far as it goes."""
    policy = Flaky(usage=Usage(cost=0.3))
    collect(shop, policy, samples=50, concurrency=concurrency, limits=Limits(cost=1.0))
    assert policy.calls == 3


def test_a_limit_on_money_without_a_price_is_refused(shop: TaskSet) -> None:
    """The first reply that does not say what it cost ends everything with a sentence: the limit could not hold."""
    policy = Flaky(usage=Usage(prompt_tokens=1))
    with pytest.raises(RolloutError, match="does not say what its calls cost"):
        collect(shop, policy, samples=3, concurrency=8, limits=Limits(cost=1.0))
    assert policy.calls == 1


def test_calls_that_fail_name_no_price_and_block_nobody(shop: TaskSet) -> None:
    """While nothing but faults come each run is tried alone, and none waits for ever."""
    policy = Flaky(fault=EndpointError("gone"), failing=(0,), usage=Usage(cost=0.3))
    rollouts = collect(shop, policy, samples=4, concurrency=8, limits=Limits(cost=1.0))
    assert policy.calls == 3
    assert {r.error for r in rollouts if r.seed == 0} <= {"gone"}


def test_a_megabyte_from_the_model_ends_the_run_and_nothing_else(shop: TaskSet) -> None:
    """Words and arguments of a megabyte are kept, count against the task's limit, and earn nothing."""
    long = "x" * 2**20
    calls = call("get_order", {"order_id": long})["tool_calls"]
    messages: list[dict[str, Any]] = [{"content": long}, {"tool_calls": calls}]
    for message in messages:

        def says(_body: object, message: dict[str, Any] = message) -> dict[str, Any]:
            return message

        with serving(says) as server:
            rollouts = collect_from(shop, server, samples=2)
        assert len(rollouts) == 4
        assert {r.stop_reason for r in rollouts} == {"limit"}
        assert all(not r.reward and r.error is None and long in r.trajectory for r in rollouts)


def test_the_time_budget_ends_the_run(shop: TaskSet) -> None:
    """When the time is used up nothing new is asked."""
    ticks = iter(range(10_000))
    clock = Clock(now=lambda: 5, ticks=lambda: float(next(ticks)))
    policy = Flaky()
    rollouts = collect(
        shop, policy, samples=1000, concurrency=1, limits=Limits(seconds=50), clock=clock
    )
    assert 0 < policy.calls < 60
    assert {r.started_at for r in rollouts} == {5}
