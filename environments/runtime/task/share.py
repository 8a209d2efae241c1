"""The weighted share: how much of the work an attempt did, for training on more than all-or-nothing.

In: a rubric's checks, their scores in the same order, and the all-or-nothing reward. Out: a number in [0, 1], None
exactly where all-or-nothing is None. An attempt that all-or-nothing does not pay earns a quarter at most, whatever else
it did: so no attack that all-or-nothing refuses can live on its share. Not here: running
checks, all-or-nothing itself (`checks`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from .rubric import AGREEMENT, PASSES, Check

PAYS_ALL: Final = "all"
"""A task set pays all or nothing."""
PAYS_SHARE: Final = "share"
"""A task set pays the weighted share."""
PAYS: Final = (PAYS_ALL, PAYS_SHARE)

UNSOLVED: Final = 0.25
"""The most that an attempt earns which all-or-nothing does not pay: half of what a solution earns that breaks every second rule."""


def share_of(
    checks: Sequence[Check], scores: Sequence[float | None], whole: float | None
) -> float | None:
    """The share of the graded weight that passed, over all checks that pay, in check order.

    A required negative check that fails makes it 0; one that passes weighs nothing, for it only gates. A negative check
    that is not required counts as far as the positive ones pass: who does nothing breaks no rule and earns nothing.
    """
    if whole is None:
        return None
    graded = [
        (check, score)
        for check, score in zip(checks, scores, strict=True)
        if check.role != AGREEMENT and score is not None
    ]
    if any(c.required and not c.positive and s < PASSES for c, s in graded):
        return 0.0
    done = [(c.weight, s) for c, s in graded if c.positive]
    kept = [(c.weight, s) for c, s in graded if not c.positive and not c.required]
    to_do, to_keep = sum(w for w, _ in done), sum(w for w, _ in kept)
    if to_do + to_keep <= 0:
        return whole
    part = sum(w * s for w, s in done) / to_do if to_do > 0 else whole
    earned = (to_do * part + sum(w * s for w, s in kept) * part) / (to_do + to_keep)
    return earned if whole >= PASSES else UNSOLVED * earned
