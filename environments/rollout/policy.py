"""The policy: what acts in a rollout. A model behind an endpoint, or a script.

In: the conversation so far and the tools. Out: one assistant message with what it cost. Policies keep no state between
calls, so that thousands of runs share one. Not here: the loop (`engine`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from environments.runtime.task.attempt import Json

Message = Mapping[str, Json]


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """Which run of which task a policy is acting in."""

    task_id: str
    seed: int
    acted: int
    """How many messages the policy has sent in this run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What model calls cost; None where the endpoint does not say."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost: float | None = None
    """In the provider's currency."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One action of a policy."""

    message: Message
    """Assistant message in OpenAI shape."""
    usage: Usage = field(default_factory=Usage)
    tokens: Mapping[str, Json] | None = None
    """Token ids and logprobs where the endpoint gives them."""


class Policy(Protocol):
    """Anything that acts."""

    @property
    def name(self) -> str:
        """Names the policy in rollouts; two policies that act differently have two names."""
        ...

    async def act(self, messages: Sequence[Message], tools: Sequence[Message], *, run: Run) -> Turn:
        """The next assistant message; raises `EndpointError` if there is none."""
        ...
