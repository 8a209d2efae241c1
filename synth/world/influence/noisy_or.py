"""The noisy-or model of recalled answers: how probably each earlier call changes a later answer.

Comes in: trials, which are two recordings of one call with the cells by which their pasts differ, and whether the answers do. Comes
out: the chance of each cell. Expectation maximisation shares the blame for unequal answers among the cells of a trial. A cell that was
hardly tried leans on what the same writer does to other tools, and this on the average of its relation. Not here: which recordings make a trial (`recall`), how answers are returned (`environments.runtime.answers.recall`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from environments.runtime.answers.differing_pasts import (
    ALWAYS,
    ANSWER,
    GROUP,
    LINK,
    NONE,
    OTHER,
    OWN,
    RECORD,
    REPEAT,
    ROW,
    TOLD,
    TOOL,
    WHOSE,
    Cell,
    Influence,
)

PRIOR: Final[Mapping[str, float]] = {
    REPEAT: 0.3, RECORD: 0.3, GROUP: 0.1, ROW: 0.3, ANSWER: 0.2, TOLD: 0.1, LINK: 0.1, TOOL: 0.1, NONE: 0.01, ALWAYS: 0.2, OWN: 0.005,
    OTHER: 0.01, WHOSE: 0.2,
}  # fmt: skip
"""How probably a call changes an answer, where an app has not shown it."""
AGAIN: Final = 0.7
"""The same of a call made again, of a tool that does not state that it looks: what is done is refused or done once more."""
STRENGTH: Final = 2.0
"""Trials that a prior counts as."""
ROUNDS: Final = 30
CALLED: Final = (REPEAT, RECORD, GROUP, ROW, ANSWER, TOLD, LINK, TOOL, NONE)
"""Relations of two calls."""


@dataclass(frozen=True, slots=True)
class Trial:
    """Two recordings of one call: what could have made their answers differ, and whether they do."""

    cells: tuple[Cell, ...]
    differs: bool


@dataclass(frozen=True, slots=True)
class Fitted:
    """The model of one app."""

    cells: Mapping[Cell, float]
    """With an empty reader: the average of a writer."""
    pooled: Mapping[str, float]
    """By relation."""


def fit(trials: Sequence[Trial], tools: Iterable[str], looks: Container[str]) -> Fitted:
    """The chances of all cells; `tools` are those that may change something, `looks` those that state that they look."""
    tried = Counter(cell for trial in trials for cell in trial.cells)
    changed = [trial for trial in trials if trial.differs]
    names = sorted(tools)
    fitted = Fitted({}, dict(PRIOR))
    for _ in range(ROUNDS):
        blamed = _blamed(changed, Influence(fitted.cells, fitted.pooled))
        # The average over cells, not over trials: of a tool that was hardly tried as much is known as of any other tool.
        shares = {
            cell: (blamed[cell] + PRIOR[cell[2]] / 2) / (count + 0.5)
            for cell, count in tried.items()
        }
        pooled = {
            relation: _leaning([s for cell, s in shares.items() if cell[2] == relation], prior)
            for relation, prior in PRIOR.items()
        }
        writers = _averages(shares, names, looks)
        others = Influence(writers, pooled)
        cells = {
            cell: (blamed[cell] + STRENGTH * others.probability_of(cell)) / (count + STRENGTH)
            for cell, count in tried.items()
        }
        fitted = Fitted(cells | writers, pooled)
    return fitted


def _blamed(changed: Iterable[Trial], influence: Influence) -> Mapping[Cell, float]:
    """How many unequal answers each cell explains."""
    blamed: dict[Cell, float] = defaultdict(float)
    for trial in changed:
        whole = max(1.0 - influence.unchanged(trial.cells), 1e-9)
        for cell in trial.cells:
            blamed[cell] += influence.probability_of(cell) / whole
    return blamed


def _averages(
    shares: Mapping[Cell, float], writers: Iterable[str], looks: Container[str]
) -> dict[Cell, float]:
    """By writer and relation the average over its cells, which leans on that of all tools that state that they look, or do not, as it does."""
    found: dict[Cell, list[float]] = {(w, "", r): [] for w in writers for r in CALLED}
    alike: dict[tuple[bool, str], list[float]] = defaultdict(list)
    for (writer, _, relation), share in shares.items():
        if writer:
            found.setdefault((writer, "", relation), []).append(share)
            alike[writer in looks, relation].append(share)
    out: dict[Cell, float] = {}
    for (writer, _, relation), mine in found.items():
        prior = AGAIN if relation == REPEAT and writer not in looks else PRIOR[relation]
        out[writer, "", relation] = _leaning(
            mine, _leaning(alike[writer in looks, relation], prior)
        )
    return out


def _leaning(found: Sequence[float], prior: float) -> float:
    """An average that leans on a prior where it has little else."""
    return (sum(found) + STRENGTH * prior) / (len(found) + STRENGTH)
