"""What a judge's model took: tokens and money, as its endpoint reports them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

CHARACTERS_PER_TOKEN: Final = 3
"""Where an endpoint reports nothing: low on purpose, so that a budget is reached early rather than late."""


@dataclass(slots=True, kw_only=True)
class Spent:
    """The sum over calls."""

    tokens: int = 0
    usd: float = 0.0
    """Of the calls whose price is known."""

    def add(self, texts: int, tokens: int | None, usd: float | None) -> None:
        """One call more: characters that went and came, what was reported of tokens, and its price."""
        self.tokens += texts // CHARACTERS_PER_TOKEN if tokens is None else tokens
        self.usd += usd or 0.0
