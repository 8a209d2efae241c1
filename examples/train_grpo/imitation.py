"""Supervised training: the model learns to write what good attempts wrote, and nothing of what users and tools said.

In: the `sft` export and a fresh model. Out: the same model, trained, and the loss along the way.
"""

import math
import random
from collections.abc import Callable, Sequence

import torch
from transformers import LlamaForCausalLM

from environments.runtime.task.attempt import Json
from examples.production import ExampleError
from examples.train_grpo.little_model import Learner, Message, pieces
from examples.train_grpo.plan import Imitation
from examples.train_grpo.sequences import Tokens, batches

WARM_UP = 0.05
"""Share of the steps in which the rate rises."""


def imitate(
    learner: Learner,
    conversations: Sequence[Sequence[Message]],
    settings: Imitation,
    *,
    tools: Sequence[Json] = (),
    on_step: Callable[[int, int, float], None] = lambda *_: None,
) -> list[float]:
    """Train; the mean loss of each epoch comes back. A conversation that the model's template cannot go through is left out.

    Raises:
        ExampleError: that is so of every conversation, or all are longer than the model reads.
    """
    model = learner.model
    made_of = [_tokens(learner, messages, tools) for messages in conversations]
    sequences = _fitting(model, [tokens for tokens in made_of if tokens is not None])
    if not sequences:
        raise ExampleError(
            "no conversation fits the model and its chat template; pass another --model"
        )
    optimizer = torch.optim.AdamW(model.parameters(), lr=settings.rate, weight_decay=0.01)
    per_epoch = math.ceil(len(sequences) / settings.batch)
    steps = per_epoch * settings.epochs
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: _rate(step, steps))
    dice, losses, step = random.Random(0), [], 0
    model.train()
    for _ in range(settings.epochs):
        made = list(batches(sequences, size=settings.batch, pad=learner.pad, device=model.device))
        dice.shuffle(made)
        total = 0.0
        for batch in made:
            logits = model(input_ids=batch.ids, attention_mask=batch.attention).logits[:, :-1]
            missed = torch.nn.functional.cross_entropy(
                logits.flatten(0, 1).float(), batch.ids[:, 1:].flatten(), reduction="none"
            )
            loss = (missed * batch.own.flatten()).sum() / batch.own.sum()
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            total += loss.item()
            step += 1
            on_step(step, steps, loss.item())
        losses.append(total / len(made))
    return losses


def _tokens(learner: Learner, messages: Sequence[Message], tools: Sequence[Json]) -> Tokens | None:
    ids: list[int] = []
    own: list[bool] = []
    try:
        for some, mine in pieces(learner.tokenizer, messages, tools):
            ids += some
            own += [mine] * len(some)
    except ValueError:
        return None
    return Tokens(ids=ids, own=own, logprobs=[0.0] * len(ids))


def _fitting(model: LlamaForCausalLM, sequences: list[Tokens]) -> list[Tokens]:
    room = model.config.max_position_embeddings
    return [tokens for tokens in sequences if len(tokens.ids) <= room]


def _rate(step: int, steps: int) -> float:
    """Up in a line, down in a cosine."""
    warm = max(1, round(WARM_UP * steps))
    if step < warm:
        return (step + 1) / warm
    return 0.5 * (1 + math.cos(math.pi * (step - warm) / max(1, steps - warm)))
