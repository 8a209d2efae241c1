"""Shares with their intervals, and the labels that all parts of the benchmark use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from benchmarks.figures import Figure
from synth.labels.label import Label

GOOD: Final = Label(resolved=True, by="code")
BAD: Final = Label(resolved=False, by="code")
RESAMPLES: Final = 2000
NEAR: Final = 2


def share(name: str, hits: Sequence[bool], *, interval: bool = True) -> dict[str, Figure]:
    """A share in per cent with its bootstrap interval."""
    if not hits:
        return {name: None}
    values = np.array(hits, dtype=float)
    found: dict[str, Figure] = {name: round(100 * float(values.mean()), 1)}
    if interval:
        rng = np.random.default_rng(1)
        means = rng.choice(values, (RESAMPLES, len(values))).mean(axis=1)
        low, high = np.percentile(means, (2.5, 97.5))
        found[f"{name}, 95 %"] = f"{100 * low:.0f} to {100 * high:.0f}"
    return found


def step_shares(steps: Sequence[int]) -> dict[str, Figure]:
    """Of some distances in steps: how many are none, and how many are two at most."""
    return {
        **share("step right %", [one == 0 for one in steps]),
        **share("within two %", [one <= NEAR for one in steps]),
    }
