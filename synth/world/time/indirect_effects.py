"""Of a backend that lives on: which writers change a table's records that their calls do not name.

Comes from what recorded episodes saw after their own calls, beside what the timeline would have told there. Where that is too
often otherwise, the writer is taken to reach the table from afar. Not here: calls that name a record (`timeline` voids those).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from synth.world.influence.trials import fewest
from synth.world.support import HARDLY_EVER

MAX_CHANCE: Final = HARDLY_EVER
"""Chance of another record than expected after a writer's calls, that still counts as other people's doing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One look at a record after calls of the same episode that do not name it."""

    table: str
    gap: int | None
    """Since the sight before; None where that was of the same episode."""
    suspects: frozenset[str]
    same: bool


def reaching(trials: Iterable[Trial]) -> dict[str, set[str]]:
    """Per table the writers that change its records from afar: the likeliest first, which then explain what they were in."""
    by: dict[str, list[Trial]] = {}
    for trial in trials:
        if trial.suspects:
            by.setdefault(trial.table, []).append(trial)
    return {table: _blamed(mine) for table, mine in by.items()}


def _blamed(trials: Sequence[Trial]) -> set[str]:
    calm = Counter(tool for trial in trials if trial.same for tool in trial.suspects)

    def rank(left: Sequence[Trial]) -> dict[str, tuple[float, int]]:
        moved = Counter(tool for trial in left for tool in trial.suspects)
        chance = {tool: (n - 0.5) / (n + calm[tool]) for tool, n in moved.items()}
        return {tool: (one, moved[tool]) for tool, one in chance.items() if one > MAX_CHANCE}

    return {tool for tool, _ in fewest((t for t in trials if not t.same), rank)}
