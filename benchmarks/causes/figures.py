"""Shares with their intervals, and the labels that all parts of the benchmark use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from synth.labels import Label

GOOD: Final = Label(resolved=True, by="code")
BAD: Final = Label(resolved=False, by="code")
RESAMPLES: Final = 2000


def share(hits: Sequence[bool], *, interval: bool = True) -> str:
    """A share with its bootstrap interval."""
    values = np.array(hits, dtype=float)
    text = f"{100 * values.mean():.1f} %"
    if not interval:
        return text
    rng = np.random.default_rng(1)
    means = rng.choice(values, (RESAMPLES, len(values))).mean(axis=1)
    low, high = np.percentile(means, (2.5, 97.5))
    return f"{text} ({100 * low:.0f} to {100 * high:.0f})"
