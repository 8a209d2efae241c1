"""Rollouts as trainers' samples: group ids, advantages, token ids with masks and logprobs where the endpoint gave them.

In: table rows of rollouts. Out: one JSON object per rollout in a trainer's field names. The turns of a rollout are one sequence where
every prompt continues the one before it; what the policy did not write (tool results, user turns) is masked. A rollout
without a reward is masked whole. One whose tokens are not known, or do not join, has none: nothing is tokenised again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sequenced:
    """One rollout as tokens."""

    prompt: tuple[int, ...]
    response: tuple[int, ...]
    mask: tuple[int, ...]
    """1 for what the policy wrote."""
    logprobs: tuple[float, ...] | None
    """0.0 where the mask is 0; None if the endpoint gave none for some token of the policy."""


def sequenced(tokens: str | None) -> Sequenced | None:
    """The tokens of a rollout's actions as one sequence; None where they are not known or do not continue each other."""
    turns = json.loads(tokens) if tokens else None
    if not turns or not all(isinstance(turn, dict) for turn in turns):
        return None
    prompt = turns[0].get("prompt_token_ids")
    response: list[int] = []
    mask: list[int] = []
    logprobs: list[float] | None = []
    for turn in turns:
        before, written = turn.get("prompt_token_ids"), turn.get("token_ids")
        if not _ids(before) or not _ids(written):
            return None
        so_far = [*prompt, *response]
        if before[: len(so_far)] != so_far:
            return None
        between = before[len(so_far) :]
        found = logprobs_of(turn.get("logprobs"), len(written))
        logprobs = (
            None
            if logprobs is None or found is None
            else [*logprobs, *([0.0] * len(between)), *found]
        )
        response += [*between, *written]
        mask += [0] * len(between) + [1] * len(written)
    return Sequenced(
        prompt=tuple(prompt),
        response=tuple(response),
        mask=tuple(mask),
        logprobs=tuple(logprobs) if logprobs is not None else None,
    )


def logprobs_of(found: object, count: int) -> list[float] | None:
    """A logprob per token, out of OpenAI's `logprobs` or a plain list; None if there is not one for each."""
    content = found.get("content") if isinstance(found, Mapping) else found
    if not isinstance(content, Sequence) or isinstance(content, str) or len(content) != count:
        return None
    values = [part.get("logprob") if isinstance(part, Mapping) else part for part in content]
    known = [float(value) for value in values if isinstance(value, int | float)]
    return known if len(known) == count else None


TRAINING: Final[Mapping[str, Mapping[str, str]]] = {
    "chat": {
        "messages": "messages",
        "tools": "definitions",
        "opening": "opening",
        "reward": "reward",
    },
    "trl": {
        "prompt_ids": "prompt",
        "completion_ids": "response",
        "logprobs": "logprobs",
        "env_mask": "mask",
        "reward": "reward",
    },
    "verl": {
        "uid": "group_id",
        "prompts": "prompt",
        "responses": "response",
        "response_mask": "mask",
        "rollout_log_probs": "logprobs",
        "score": "reward",
    },
    "skyrl": {
        "trajectory_id": "rollout_id",
        "prompt_token_ids": "prompt",
        "response_ids": "response",
        "loss_masks": "mask",
        "rollout_logprobs": "logprobs",
        "rewards": "reward",
        "stop_reasons": "stop_reason",
    },
}
"""Each trainer's names of what a sample has: what TRL's `rollout_func` returns, the fields of verl's batches (it groups by `uid`), those of SkyRL's
generator output."""


def training_row(row: Row, format_name: str) -> dict[str, Any]:
    """One rollout for one trainer."""
    shared = ("task_id", "task_version", "policy", "seed", "rollout_id", "group_id", "advantage")
    tokens = sequenced(row.get("tokens"))
    masked = row["reward"] is None
    known = {
        **row,
        "prompt": tokens and list(tokens.prompt),
        "response": tokens and list(tokens.response),
        "logprobs": tokens and tokens.logprobs and list(tokens.logprobs),
        "mask": tokens and ([0] * len(tokens.mask) if masked else list(tokens.mask)),
        "messages": json.loads(row["trajectory"]),
        "definitions": json.loads(row["tools"]),
    }
    found = {name: known[part] for name, part in TRAINING[format_name].items()}
    return {**found, **{name: row[name] for name in shared}, "masked": masked}


def _ids(value: object) -> bool:
    return isinstance(value, list) and all(type(part) is int for part in value)
