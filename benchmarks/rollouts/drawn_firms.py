"""A firm whose errands are drawn: one of agentdojo's suites over more records, and what its customers ask for.

Needs what `agentdojo` needs. Comes in: an environment, kinds of errand and dice. Comes out: a firm; its state is judged, not a package's task.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.testbeds.invented.backend import Answer, Call
from benchmarks.testbeds.published.agentdojo import Suite, suites
from benchmarks.testbeds.published.errands import Errand, Firm

Wanted = tuple[str, list[Call], str]
"""What a customer says, the calls that do it, and what has to be said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trade:
    """What one firm is about."""

    name: str
    suite: str
    environment: Callable[[], Any]
    state: Callable[[Any], str]
    """What of an environment is compared: without times of its own."""
    kinds: Sequence[Callable[[random.Random], Wanted]]

    def firm(self, purpose: str, count: int) -> Firm:
        """The firm with so many errands; another purpose draws others."""
        errands = {e.key: e for e in (self._errand(purpose, number) for number in range(count))}
        return Firm(
            name=self.name,
            tools=tuple(
                {
                    "type": "function",
                    "function": {
                        "name": tool.name,
                        "description": tool.description,
                        "parameters": tool.parameters.model_json_schema(),
                    },
                }
                for tool in suites()[self.suite].tools
            ),
            errands=tuple(errands.values()),
            sit=lambda key: Visit(self, errands[key]),
        )

    def _errand(self, purpose: str, number: int) -> Errand:
        rng = random.Random(f"{purpose} {number}")  # noqa: S311 - dice
        prompt, calls, answer = rng.choice(self.kinds)(rng)
        visit, writes = Visit(self, None), set[int]()
        for place, (name, given) in enumerate(calls):
            before = visit.state()
            visit.call(name, given)
            if visit.state() != before:
                writes.add(place)
        return Errand(
            key=f"{purpose} {number}",
            prompt=prompt,
            calls=tuple(calls),
            writes=frozenset(writes),
            answer=answer,
            end=visit.state(),
        )


class Visit:
    """One errand on a fresh environment."""

    def __init__(self, trade: Trade, errand: Errand | None) -> None:
        self._trade, self._errand = trade, errand
        self._environment = trade.environment().model_copy(deep=True)
        self._suite = Suite(trade.suite, self._environment)

    def call(self, name: str, arguments: dict[str, Any]) -> Answer:
        """Make one call."""
        return self._suite.call(name, arguments)

    def state(self) -> str:
        """What the firm holds."""
        return self._trade.state(self._environment)

    def verdict(self, words: str, calls: Sequence[Call]) -> bool:
        """Whether it ended as the errand should, and the answer was given."""
        del calls
        errand = self._errand
        return errand is not None and self.state() == errand.end and errand.answer in words
