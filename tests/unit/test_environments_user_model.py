"""Users played by a model: what it is told, how its runs end, are graded, and are graded again without it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from environments.regrade import StoredRun, regrade
from environments.rollout.endpoint import EndpointPolicy, EndpointSettings
from environments.rollout.engine import RolloutSettings, run_rollouts
from environments.rollout.errors import EndpointError
from environments.rollout.rollout import Rollout
from environments.runtime import TaskSet
from environments.runtime.play.user import NEUTRAL, RecordedUser
from environments.runtime.task.attempt import SIMULATED, UNKNOWN
from environments.user_model import ModelledUser, UserModel
from tests.environments_shop import write_shop
from tests.openai_server import serving, shop_clerk


@pytest.fixture
def shop(tmp_path: Path) -> TaskSet:
    """The small shop."""
    write_shop(tmp_path / "set")
    return TaskSet.load(tmp_path / "set")


def talker(shop: TaskSet) -> Callable[[str, str], Any]:
    """A model that finds the order in the recording it is shown, in words of its own, and leaves when all is done."""

    async def complete(_instructions: str, request: str) -> str:
        shown = json.loads(request)
        if "cancelled" in shown["the agent says now"]:
            return "Thank you so much!\nEND"
        if "Which order" not in shown["the agent says now"]:
            return "UNKNOWN"
        said = " ".join(turn["user"] for turn in shown["recorded"]["later turns"])
        order = next(word for word in said.replace(".", " ").split() if word[0] == "o")
        return f"It is {order}..."

    return complete


def play(shop: TaskSet, complete: Callable[[str, str], Any]) -> list[Rollout]:
    """Rollouts of the clerk with users by that model."""

    async def gather() -> list[Rollout]:
        with serving(shop_clerk) as server:
            settings = EndpointSettings(base_url=server.url, model="clerk", retries=0)
            async with EndpointPolicy(settings) as policy:
                user = UserModel("people", complete)
                try:
                    found = run_rollouts(shop, policy, RolloutSettings(samples=2), user=user)
                    return [rollout async for rollout in found]
                finally:
                    user.close()

    return asyncio.run(gather())


def stored(rollout: Rollout) -> StoredRun:
    """A rollout as the lake has it."""
    row = asdict(rollout) | {"rollout_id": rollout.rollout_id}
    return StoredRun(**{name: row[name] for name in StoredRun.__slots__})


def test_a_model_plays_the_users_and_its_runs_are_graded_again_without_it(shop: TaskSet) -> None:
    """Its words stand in the conversation, its name in the policy's; the same run gets the same reward later."""
    rollouts = play(shop, talker(shop))
    assert [r.reward for r in rollouts] == [1.0] * 4
    assert {r.policy for r in rollouts} == {"clerk, people as the user"}
    assert {r.user_model for r in rollouts} == {"people"}
    assert {r.stop_reason for r in rollouts} == {"user_ended"}
    assert all("Thank you so much!" in r.trajectory and "END" not in r.trajectory for r in rollouts)
    again = regrade(shop, [stored(rollout) for rollout in rollouts])
    assert {one.change for one in again.regraded} == {"same"}
    assert all(one.same_run for one in again.regraded)


def test_without_its_turns_the_run_would_be_another(shop: TaskSet) -> None:
    """Graded again by the script, the same actions meet other words: that it was a model is part of the record."""
    (first, *_) = play(shop, talker(shop))
    row = {**asdict(stored(first)), "user_model": None}
    assert not regrade(shop, [StoredRun(**row)]).regraded[0].same_run


def test_a_dead_model_breaks_the_run_and_is_no_zero(shop: TaskSet) -> None:
    """A user who cannot be asked is a fault of the infrastructure: no reward, made again next time."""

    async def dead(_instructions: str, _request: str) -> str:
        raise EndpointError("the provider failed")

    rollouts = play(shop, dead)
    assert {(r.reward, r.error) for r in rollouts} == {(None, "the provider failed")}


@pytest.mark.parametrize(
    ("answer", "text", "source", "ended"),
    [
        ("It is o1.", "It is o1.", SIMULATED, False),
        ("Bye.\nEND", "Bye.", SIMULATED, True),
        ("END", "", SIMULATED, True),
        ("In the END it is o1.", "In the END it is o1.", SIMULATED, False),
        (None, NEUTRAL, UNKNOWN, False),
    ],
)
def test_what_a_model_may_answer(
    shop: TaskSet, answer: str | None, text: str, source: str, ended: bool
) -> None:
    """Words, a farewell, silence at the end, or that the recording does not say."""
    reply = ModelledUser(shop.tasks[0], lambda _: answer).reply("Which order?")
    assert (reply.text, reply.source, reply.ended) == (text, source, ended)


def test_a_model_is_shown_the_users_words_and_nothing_else(shop: TaskSet) -> None:
    """No rubric, tool result or system prompt: what the user said, to what, and this conversation."""
    asked: list[str] = []

    def ask(request: str) -> str:
        asked.append(request)
        return "It is o1."

    user = ModelledUser(shop.tasks[0], ask)
    user.reply("Which order?")
    user.reply("x" * 100_000)
    shown = json.loads(asked[1])
    assert shown["conversation so far"] == [{"agent": "Which order?", "user": "It is o1."}]
    assert len(shown["the agent says now"]) == 20_000
    assert set(shown) == {"recorded", "conversation so far", "the agent says now"}
    system = next(m["content"] for m in shop.tasks[0].opening if m["role"] == "system")
    assert str(system) not in asked[0]


def test_a_recorded_user_leaves_with_the_last_words() -> None:
    """And at once where nothing was said."""
    user = RecordedUser(["One.", NEUTRAL])
    first, second = user.reply("?"), user.reply("?")
    assert (first.text, first.source, first.ended) == ("One.", SIMULATED, False)
    assert (second.source, second.ended) == (UNKNOWN, True)
    assert user.reply("?").ended
