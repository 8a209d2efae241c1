"""The exam: requests that were never seen, served at the *real* support desk, and judged by its database.

In: a model and a plan. Out: which requests it resolved. Nothing of tracegym takes part but the code that runs the model:
the tools are the app's own, over SQLite. Conversations run in threads, whose model calls become batches.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final

from environments.rollout.policy import Run
from environments.rollout.torch_policy import TorchPolicy
from environments.runtime.play.message import requests_of
from examples.support_desk.agents.agent import Message, Reply, ToolCall
from examples.support_desk.backend.database import copy_of
from examples.support_desk.backend.generator import START, make_shop
from examples.support_desk.request_kinds_other import make_request
from examples.support_desk.scene import Scene
from examples.support_desk.season import PAUSE, Visit, hold_one
from examples.support_desk.season import Plan as Season
from examples.support_desk.telemetry import Telemetry
from examples.support_desk.variant import Json, make_variant
from examples.train_grpo.plan import Plan

FIRST: Final = 1_000_000
"""Positions of exam requests: production's begin at 0."""


@dataclass(slots=True, kw_only=True)
class PolicyAgent:
    """The policy as the app's agent: called from a thread, written on the event loop."""

    policy: TorchPolicy
    loop: asyncio.AbstractEventLoop
    conversation: str
    name: str = "policy"
    model: str = "policy"
    acted: int = 0

    def act(self, messages: Sequence[Message], tools: Sequence[Mapping[str, Json]]) -> Reply:
        """The model's next message."""
        run = Run(task_id=self.conversation, seed=0, acted=self.acted)
        self.acted += 1
        wanted = self.policy.act(messages, tools, run=run)
        turn = asyncio.run_coroutine_threadsafe(wanted, self.loop).result()
        calls = tuple(
            ToolCall(call_id=f"call_{self.acted}_{at}", name=request.name, arguments=request.text)
            for at, request in enumerate(requests_of(turn.message, first=0))
        )
        content = turn.message.get("content")
        return Reply(content=str(content or ""), tool_calls=calls)


async def examine(policy: TorchPolicy, plan: Plan, *, threads: int = 64) -> list[bool]:
    """Whether each held-out request was resolved, in order."""
    loop = asyncio.get_running_loop()
    with ThreadPoolExecutor(max_workers=threads, thread_name_prefix="exam") as pool:
        visits = _visits(policy, plan, loop)
        return await asyncio.gather(*(loop.run_in_executor(pool, visit) for visit in visits))


def _visits(
    policy: TorchPolicy, plan: Plan, loop: asyncio.AbstractEventLoop
) -> list[Callable[[], bool]]:
    """One customer each, who meets the shop that production started from."""
    variant = make_variant(0)
    season = Season(
        app="exam",
        variant=variant,
        seed=plan.seed,
        conversations=plan.held_out,
        make_agent=lambda _policy, _variant, seed: PolicyAgent(
            policy=policy, loop=loop, conversation=seed
        ),
    )
    shop = make_shop(variant, plan.seed)

    def visit(position: int) -> Callable[[], bool]:
        dice = season.dice("request", position)
        request = make_request(Scene(db=shop, variant=variant, rng=dice, now=START))
        coming = Visit(
            request=request,
            policy="",
            position=position,
            started=START + PAUSE * (position - FIRST),
        )
        db = copy_of(shop)

        def hold() -> bool:
            held = hold_one(season, coming, db=db, frozen=START, telemetry=Telemetry())
            return held.judgement.resolved

        return hold

    return [visit(FIRST + number) for number in range(plan.held_out)]
