"""Rollouts as trainers' samples: group ids, advantages, token ids with masks and logprobs where the endpoint gave them.

In: table rows of rollouts. Out: one JSON object per rollout in a trainer's field names. The turns of a rollout are one sequence where
every prompt continues the one before it; what the policy did not write (tool results, user turns) is masked. A rollout
without a reward is masked whole. One whose tokens are not known, or do not join, has none: nothing is tokenised again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
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


def _chat(row: Row, _tokens: Sequenced | None) -> dict[str, Any]:
    messages = json.loads(row["trajectory"])
    return {
        "messages": messages,
        "tools": json.loads(row["tools"]),
        "opening": row["opening"],
        "reward": row["reward"],
    }


def _trl(row: Row, tokens: Sequenced | None) -> dict[str, Any]:
    """What TRL's `rollout_func` returns, a sample a line."""
    return {
        "prompt_ids": tokens and list(tokens.prompt),
        "completion_ids": tokens and list(tokens.response),
        "logprobs": tokens and tokens.logprobs and list(tokens.logprobs),
        "env_mask": tokens and _mask(row, tokens),
        "reward": row["reward"],
    }


def _verl(row: Row, tokens: Sequenced | None) -> dict[str, Any]:
    """The fields of verl's batches; `uid` is what it groups by."""
    return {
        "uid": row["group_id"],
        "prompts": tokens and list(tokens.prompt),
        "responses": tokens and list(tokens.response),
        "response_mask": tokens and _mask(row, tokens),
        "rollout_log_probs": tokens and tokens.logprobs and list(tokens.logprobs),
        "score": row["reward"],
    }


def _skyrl(row: Row, tokens: Sequenced | None) -> dict[str, Any]:
    """The fields of SkyRL's generator output, a trajectory a line."""
    return {
        "trajectory_id": row["rollout_id"],
        "prompt_token_ids": tokens and list(tokens.prompt),
        "response_ids": tokens and list(tokens.response),
        "loss_masks": tokens and _mask(row, tokens),
        "rollout_logprobs": tokens and tokens.logprobs and list(tokens.logprobs),
        "rewards": row["reward"],
        "stop_reasons": row["stop_reason"],
    }


TRAINING: Final[Mapping[str, Callable[[Row, Sequenced | None], dict[str, Any]]]] = {
    "chat": _chat,
    "trl": _trl,
    "verl": _verl,
    "skyrl": _skyrl,
}


def training_row(row: Row, format_name: str) -> dict[str, Any]:
    """One rollout for one trainer."""
    shared = ("task_id", "task_version", "policy", "seed", "rollout_id", "group_id", "advantage")
    found = TRAINING[format_name](row, sequenced(row.get("tokens")))
    return {**found, **{name: row[name] for name in shared}, "masked": row["reward"] is None}


def _mask(row: Row, tokens: Sequenced) -> list[int]:
    return list(tokens.mask) if row["reward"] is not None else [0] * len(tokens.mask)


def _ids(value: object) -> bool:
    return isinstance(value, list) and all(type(part) is int for part in value)
