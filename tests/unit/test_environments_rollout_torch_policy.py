"""A transformers model in this process: batches, dice, logprobs, and learning in a small shop. Needs torch (`train`)."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: the extra `train`")
pytest.importorskip("transformers", reason="transformers is not installed: the extra `train`")

from environments.export.formats.chats import chats_of  # noqa: E402 - torch first, or nothing
from environments.rollout.engine import RolloutSettings, run_rollouts  # noqa: E402
from environments.rollout.errors import RolloutError  # noqa: E402
from environments.rollout.rollout import Rollout  # noqa: E402
from environments.rollout.torch_policy import (  # noqa: E402
    TorchPolicy,
    TorchSettings,
    _Prompt,
    _Writer,
)
from environments.runtime import TaskSet  # noqa: E402
from examples.train_grpo.grpo import reinforce  # noqa: E402
from examples.train_grpo.imitation import imitate  # noqa: E402
from examples.train_grpo.little_model import Learner, make_learner  # noqa: E402
from examples.train_grpo.plan import Imitation, ModelSize, Plan, Reinforcement  # noqa: E402
from tests.environments_shop import call, write_shop  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
SIZE = ModelSize(width=64, layers=2, heads=2, vocabulary=400, context=256)


@pytest.fixture
def shop(tmp_path: Path) -> TaskSet:
    """The small shop with two tasks."""
    write_shop(tmp_path / "set")
    return TaskSet.load(tmp_path / "set")


def conversations(shop: TaskSet) -> list[list[Any]]:
    """The known solutions as they were spoken."""
    return [list(chat.messages) for chats in chats_of(shop) for chat in chats.resolved]


def learner(shop: TaskSet) -> Learner:
    """A model that has seen nothing."""
    torch.manual_seed(0)
    torch.set_num_threads(1)  # so small a model only waits for a second one
    return make_learner(conversations(shop), SIZE, device="cpu")


def play(
    shop: TaskSet,
    one: Learner,
    samples: int = 2,
    **settings: Any,  # noqa: ANN401 - fields of TorchSettings
) -> list[Rollout]:
    """All rollouts, by key."""

    async def gather() -> list[Rollout]:
        writing = TorchSettings(**{"name": "m", "max_new_tokens": 48, **settings})
        async with TorchPolicy(one.model, one.tokenizer, writing) as policy:
            runs = run_rollouts(shop, policy, RolloutSettings(samples=samples))
            return sorted([rollout async for rollout in runs], key=lambda rollout: rollout.key)

    return asyncio.run(gather())


def test_every_token_the_model_wrote_is_kept_with_its_logprob(shop: TaskSet) -> None:
    """A trainer gets what was written and how likely it was, and a forward pass agrees."""
    one = learner(shop)
    rollouts = play(shop, one, temperature=0.7)
    assert len(rollouts) == 4
    for rollout in rollouts:
        assert rollout.error is None
        for turn in json.loads(rollout.tokens or ""):
            prompt, ids = turn["prompt_token_ids"], turn["token_ids"]
            scores = [part["logprob"] for part in turn["logprobs"]["content"]]
            assert len(ids) == len(scores) > 0
            with torch.inference_mode():
                logits = one.model(torch.tensor([prompt + ids])).logits[0, len(prompt) - 1 : -1]
            true = torch.log_softmax(logits / 0.7, -1)[range(len(ids)), ids]
            assert torch.allclose(true, torch.tensor(scores), atol=1e-4)


def test_a_run_does_not_hang_on_its_batch(shop: TaskSet) -> None:
    """One at a time or all together: the same dice, the same words; another salt, others."""
    one = learner(shop)
    alone = [r.trajectory for r in play(shop, one, batch=1)]
    assert alone == [r.trajectory for r in play(shop, one, batch=64)]
    assert alone != [r.trajectory for r in play(shop, one, salt=1)]


def test_a_prompt_near_the_end_of_the_context_cuts_no_other(shop: TaskSet) -> None:
    """The longest prompt of a batch has room for a few tokens; a shorter one beside it still gets all it asks for."""
    one = learner(shop)
    writer = _Writer(one.model, one.tokenizer, TorchSettings(temperature=1, max_new_tokens=48))

    def prompts() -> list[_Prompt]:
        loop = asyncio.new_event_loop()
        return [_Prompt([5] * length, "seed", loop.create_future()) for length in (10, 250)]

    together = writer.write(prompts())
    alone = [writer.write([prompt])[0] for prompt in prompts()]
    assert [written.ids for written in together] == [written.ids for written in alone]
    assert len(together[1].ids) <= 6


def test_a_full_context_is_silence_and_not_a_fault(shop: TaskSet) -> None:
    """A model that has no room left says nothing, and its run ends like any other."""
    one = make_learner(
        conversations(shop), ModelSize(width=32, layers=1, heads=2, vocabulary=400, context=24),
        device="cpu",
    )  # fmt: skip
    for rollout in play(shop, one, samples=1):
        assert rollout.error is None
        assert rollout.reward == 0.0


def test_a_model_that_learnt_the_solutions_earns_the_whole_reward(
    shop: TaskSet, tmp_path: Path
) -> None:
    """Imitation, then saved, loaded and played: calls reach the world, and it pays."""
    one = learner(shop)
    losses = imitate(one, conversations(shop), Imitation(epochs=700, batch=2, rate=3e-3))
    assert losses[-1] < 0.1 * losses[0]
    one.keep(tmp_path / "model")
    loaded = TorchPolicy.load(tmp_path / "model", TorchSettings(temperature=0, max_new_tokens=48))
    assert loaded.name == "model"

    async def gather() -> list[Rollout]:
        async with loaded as policy:
            return [r async for r in run_rollouts(shop, policy, RolloutSettings())]

    rollouts = asyncio.run(gather())
    assert [r.reward for r in rollouts] == [1.0, 1.0]
    assert all(r.calls == 2 and r.malformed == 0 for r in rollouts)


def test_grpo_moves_a_model_towards_what_is_paid(shop: TaskSet) -> None:
    """A model that mostly gives up, and then is paid for not giving up, gives up less."""
    one = learner(shop)
    right = conversations(shop)
    given_up = [[*messages[:4], call("hand_over", {}, "c1")] for messages in right]
    imitate(one, [*right, *given_up, *given_up], Imitation(epochs=500, batch=6, rate=3e-3))
    settings = Reinforcement(steps=8, tasks=2, samples=12, batch=8, rate=3e-4)
    steps = asyncio.run(reinforce(one, shop, Plan(reinforcement=settings, max_new_tokens=48)))
    assert all(step.rollouts == 24 and step.broken == 0 for step in steps)
    assert sum(step.reward for step in steps[-4:]) / 4 > steps[0].reward + 0.2


def test_a_folder_without_a_model_is_named(tmp_path: Path) -> None:
    """One sentence says what is missing, and where."""
    with pytest.raises(RolloutError, match=r"holds no model: config\.json is missing"):
        TorchPolicy.load(tmp_path, TorchSettings())
