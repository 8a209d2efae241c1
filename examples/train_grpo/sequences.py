"""Token sequences with what is to be learnt from them, padded into batches.

In: token ids of conversations or rollouts. Out: tensors. A rollout's turns become one sequence where each prompt goes on
from what stood before; where a prompt was written anew (a template normalises a call), a new sequence begins.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch

from environments.rollout.rollout import Rollout


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """Tokens, which of them the model wrote, how likely it found them then, and what they earned."""

    ids: list[int]
    own: list[bool]
    logprobs: list[float]
    advantage: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Sequences side by side; all but `ids` stand at the token that is predicted, so they are one shorter."""

    ids: torch.Tensor
    attention: torch.Tensor
    own: torch.Tensor
    logprobs: torch.Tensor
    advantages: torch.Tensor


def of_rollout(rollout: Rollout, advantage: float) -> Iterator[Tokens]:
    """The sequences that one rollout's turns make."""
    ids: list[int] = []
    own: list[bool] = []
    logprobs: list[float] = []
    for turn in json.loads(rollout.tokens or "[]"):
        prompt, written = turn["prompt_token_ids"], turn["token_ids"]
        if ids and prompt[: len(ids)] != ids:
            yield Tokens(ids=ids, own=own, logprobs=logprobs, advantage=advantage)
            ids, own, logprobs = [], [], []
        new = prompt[len(ids) :]
        ids = ids + new + written
        own = own + [False] * len(new) + [True] * len(written)
        scores = [part["logprob"] for part in turn["logprobs"]["content"]]
        logprobs = logprobs + [0.0] * len(new) + scores
    if any(own):
        yield Tokens(ids=ids, own=own, logprobs=logprobs, advantage=advantage)


def batches(
    sequences: Sequence[Tokens], *, size: int, pad: int, device: torch.device
) -> Iterator[Batch]:
    """All sequences, alike lengths together."""
    by_length = sorted(sequences, key=lambda sequence: len(sequence.ids))
    for at in range(0, len(by_length), size):
        yield _padded(by_length[at : at + size], pad, device)


def _padded(rows: Sequence[Tokens], pad: int, device: torch.device) -> Batch:
    longest = max(len(row.ids) for row in rows)

    def fill(
        values: Sequence[int] | Sequence[float] | Sequence[bool], filler: float
    ) -> list[float]:
        return [*values, *([filler] * (longest - len(values)))]

    ids = torch.tensor([fill(row.ids, pad) for row in rows], device=device).long()
    attention = torch.tensor([fill([1] * len(row.ids), 0) for row in rows], device=device).long()
    own = torch.tensor([fill(row.own, 0)[1:] for row in rows], device=device).float()
    logprobs = torch.tensor([fill(row.logprobs, 0)[1:] for row in rows], device=device).float()
    advantages = torch.tensor([[row.advantage] for row in rows], device=device).float()
    return Batch(ids=ids, attention=attention, own=own, logprobs=logprobs, advantages=advantages)
