"""The budget of a run: tokens, money and time, checked before each model call so that no limit is passed.

In: limits, estimates before a call, usage after it. Out: whether the next call may be made. A call reserves what it may
cost at most by the estimate; the reservation is replaced by what the endpoint reports.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from environments.rollout.policy import Message, Usage
from environments.runtime.play.message import text_of

CHARACTERS_PER_TOKEN: Final = 3
"""Low on purpose: an estimate that is too high stops early, one that is too low passes the limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a run may cost at most; None is no limit."""

    tokens: int | None = None
    cost: float | None = None
    seconds: float | None = None
    completion_tokens: int = 4096
    """What one call may write at most: reserved before it is made."""


class Budget:
    """Counts what a run has cost."""

    def __init__(self, limits: Limits, clock: Callable[[], float]) -> None:
        self._limits = limits
        self._clock = clock
        self._started = clock()
        self._reserved = 0
        self._in_flight = 0
        self._dearest = 0.0
        self._priced = limits.cost is None
        """Whether a call has come back, which says what calls cost or that they say nothing."""
        self._settled = asyncio.Event()
        self._worst = 1.0
        """How many times more tokens than estimated a prompt has had."""
        self._sizes: dict[int, tuple[Sequence[Message], int]] = {}
        self.tokens = 0
        self.cost = 0.0
        self.unpriced = False
        """Whether money is limited and the last call did not say what it cost."""

    async def price(self) -> None:
        """Wait while the first call is under way: before it is back, many at once could pass a limit on money."""
        while not self._priced and self._in_flight:
            await self._settled.wait()

    def reserve(self, messages: Sequence[Message], tools: Sequence[Message]) -> int | None:
        """Tokens set aside for the next call; None if it might pass a limit."""
        limits = self._limits
        late = limits.seconds is not None and self._clock() - self._started >= limits.seconds
        dear = limits.cost is not None and self._cost_after_next() > limits.cost
        if late or dear:
            return None
        wanted = 0
        if limits.tokens is not None:
            prompt = _characters(messages) + self._size_of(tools)
            wanted = int(prompt / CHARACTERS_PER_TOKEN * self._worst) + limits.completion_tokens
            if self.tokens + self._reserved + wanted > limits.tokens:
                return None
        self._reserved += wanted
        self._in_flight += 1
        return wanted

    def settle(self, reserved: int, usage: Usage | None) -> None:
        """Replace a reservation by what the call really took (None: it failed); what is not reported counts as reserved."""
        self._reserved -= reserved
        self._in_flight -= 1
        self._settled.set()
        self._settled = asyncio.Event()
        if usage is None:
            return
        self._priced = True
        self.unpriced = self._limits.cost is not None and usage.cost is None
        known = usage.prompt_tokens is not None or usage.completion_tokens is not None
        used = (usage.prompt_tokens or 0) + (usage.completion_tokens or 0)
        if reserved > self._limits.completion_tokens:
            estimated = (reserved - self._limits.completion_tokens) / self._worst
            self._worst = max(self._worst, (usage.prompt_tokens or 0) / estimated)
        self.tokens += used if known else reserved
        self.cost += usage.cost or 0.0
        self._dearest = max(self._dearest, usage.cost or 0.0)

    def _size_of(self, tools: Sequence[Message]) -> int:
        """Characters of the tool definitions, which every prompt repeats: counted once per task."""
        known = self._sizes.get(id(tools))
        if known is None or known[0] is not tools:
            known = (tools, len(str(tools)))
            self._sizes[id(tools)] = known
        return known[1]

    def _cost_after_next(self) -> float:
        """Prices are only known from calls made: each call to come may cost what the dearest so far did."""
        return self.cost + (self._in_flight + 1) * self._dearest


def _characters(messages: Sequence[Message]) -> int:
    return sum(
        len(text_of(m.get("content"))) + len(str(m.get("tool_calls") or "")) + 20 for m in messages
    )
