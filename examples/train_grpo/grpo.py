"""GRPO on exported environments: groups of rollouts, rewards compared within a group, a clipped step towards the better.

In: a model, a task set. Out: the model, trained, and what each step saw. Rollouts are tracegym's own (`run_rollouts`); a
masked rollout (the world answered "unknown") is in no group and teaches nothing. Algorithm: DeepSeekMath, arXiv 2402.03300,
section 4.1, with token-level normalisation and no reference model (as in DAPO, arXiv 2503.14476).
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from transformers import LlamaForCausalLM

from environments.rollout.engine import RolloutSettings, run_rollouts
from environments.rollout.rollout import Rollout, advantages
from environments.rollout.torch_policy import TorchPolicy, TorchSettings
from environments.runtime.task.task_set import TaskSet
from examples.train_grpo.little_model import Learner
from examples.train_grpo.plan import Plan, Reinforcement
from examples.train_grpo.sequences import Batch, Tokens, batches, of_rollout


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What one step of the training saw."""

    step: int
    reward: float
    """Mean over graded rollouts."""
    rollouts: int
    masked: int
    broken: int
    spread: int
    """Groups with unlike rewards: only these teach."""
    groups: int


async def reinforce(
    learner: Learner,
    task_set: TaskSet,
    plan: Plan,
    *,
    on_step: Callable[[Step], None] = lambda _: None,
    kept: Path | None = None,
) -> list[Step]:
    """Train; what each step saw comes back. With `kept` it goes on where the file says, and writes there as it goes."""
    settings, dice = plan.reinforcement, random.Random(plan.seed)
    optimizer = torch.optim.AdamW(learner.model.parameters(), lr=settings.rate, weight_decay=0.0)
    ids = [task.task_id for task in task_set.tasks]
    seen = _go_on(kept, learner, optimizer, dice)
    for number in range(len(seen) + 1, settings.steps + 1):
        tasks = dice.sample(ids, min(settings.tasks, len(ids)))
        rollouts = await sample(learner, task_set, plan, tasks=tasks, salt=number)
        step, sequences = _learnable(number, rollouts)
        for _ in range(settings.epochs):
            _improve(learner, optimizer, sequences, settings)
        seen.append(step)
        on_step(step)
        if kept is not None and number % settings.keep_every == 0:
            _keep(kept, learner, optimizer, dice, seen)
    return seen


def _keep(
    path: Path,
    learner: Learner,
    optimizer: torch.optim.Optimizer,
    dice: random.Random,
    seen: Sequence[Step],
) -> None:
    """Write what the next step needs; a stop in the middle leaves what was there."""
    partly = path.with_suffix(".part")
    torch.save(
        {
            "model": learner.model.state_dict(),
            "optimizer": optimizer.state_dict(),
            "dice": dice.getstate(),
            "torch": torch.get_rng_state(),
            "steps": [asdict(step) for step in seen],
        },
        partly,
    )
    partly.replace(path)


def _go_on(
    path: Path | None, learner: Learner, optimizer: torch.optim.Optimizer, dice: random.Random
) -> list[Step]:
    """Take up what was kept; the steps that were done."""
    if path is None or not path.is_file():
        return []
    found = torch.load(path, map_location=learner.model.device, weights_only=False)
    learner.model.load_state_dict(found["model"])
    optimizer.load_state_dict(found["optimizer"])
    dice.setstate(found["dice"])
    torch.set_rng_state(found["torch"].cpu())
    return [Step(**step) for step in found["steps"]]


async def sample(
    learner: Learner,
    task_set: TaskSet,
    plan: Plan,
    *,
    tasks: Sequence[str],
    salt: int,
) -> list[Rollout]:
    """A group of rollouts for each task."""
    settings = plan.reinforcement
    width = len(tasks) * settings.samples
    writing = TorchSettings(
        name="learner",
        temperature=settings.temperature,
        max_new_tokens=plan.max_new_tokens,
        batch=min(width, 256),
        salt=salt,
    )
    wanted = RolloutSettings(samples=settings.samples, concurrency=width, tasks=frozenset(tasks))
    async with TorchPolicy(learner.model, learner.tokenizer, writing) as policy:
        return [rollout async for rollout in run_rollouts(task_set, policy, wanted)]


def _learnable(number: int, rollouts: Sequence[Rollout]) -> tuple[Step, list[Tokens]]:
    worth = advantages(rollouts)
    sequences = [
        tokens
        for rollout in rollouts
        if (advantage := worth[rollout.rollout_id])
        for tokens in of_rollout(rollout, advantage)
    ]
    rewards = [rollout.reward for rollout in rollouts if rollout.reward is not None]
    taught = {r.group_id for r in rollouts if worth[r.rollout_id]}
    step = Step(
        step=number,
        reward=sum(rewards) / len(rewards) if rewards else 0.0,
        rollouts=len(rollouts),
        masked=sum(r.reward is None and r.error is None for r in rollouts),
        broken=sum(r.error is not None for r in rollouts),
        spread=len(taught),
        groups=len({rollout.group_id for rollout in rollouts}),
    )
    return step, sequences


def _improve(
    learner: Learner,
    optimizer: torch.optim.Optimizer,
    sequences: Sequence[Tokens],
    settings: Reinforcement,
) -> None:
    """One step of the optimizer over all sequences: every token that the model wrote counts alike."""
    written = sum(sum(tokens.own) for tokens in sequences)
    if not written:
        return
    model = learner.model
    model.train()
    optimizer.zero_grad()
    for batch in batches(sequences, size=settings.batch, pad=learner.pad, device=model.device):
        (_loss(model, batch, settings) / written).backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()


def _loss(model: LlamaForCausalLM, batch: Batch, settings: Reinforcement) -> torch.Tensor:
    """Minus the clipped gain, summed over the tokens that the model wrote."""
    logits = model(input_ids=batch.ids, attention_mask=batch.attention).logits[:, :-1].float()
    scaled = torch.log_softmax(logits / settings.temperature, dim=-1)
    now = scaled.gather(2, batch.ids[:, 1:, None])[:, :, 0]
    ratio = torch.exp((now - batch.logprobs) * batch.own)
    clipped = ratio.clamp(1 - settings.clip, 1 + settings.clip)
    gain = torch.minimum(ratio * batch.advantages, clipped * batch.advantages)
    return -(gain * batch.own).sum()
