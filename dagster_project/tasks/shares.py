"""Shares with their 95 % intervals, and how far rubrics and others who judge agree."""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Final

from environments.runtime.task.rubric import PASSES

_Z: Final = 1.96


def wilson(share: float, tried: float) -> tuple[float, float]:
    """Wilson's 95 % interval of a share."""
    centre = (share + _Z**2 / (2 * tried)) / (1 + _Z**2 / tried)
    spread = _Z * sqrt(share * (1 - share) / tried + _Z**2 / (4 * tried**2)) / (1 + _Z**2 / tried)
    return max(0.0, centre - spread), min(1.0, centre + spread)


def interval(count: int, of: int) -> tuple[float, float]:
    """The same of so many among others; everything is possible while nothing was seen."""
    if not of:
        return 0.0, 1.0
    low, high = wilson(count / of, of)
    # Rounding must not leave out what was seen.
    return low if count else 0.0, 1.0 if count == of else high


def kappa(pairs: Sequence[tuple[Hashable, Hashable]]) -> float | None:
    """Cohen's kappa of what two judges said; None where they can only say one thing, so that chance explains everything."""
    if not pairs:
        return None
    one, other = Counter(first for first, _ in pairs), Counter(second for _, second in pairs)
    same = sum(first == second for first, second in pairs) / len(pairs)
    chance = sum(count * other[said] for said, count in one.items()) / len(pairs) ** 2
    return None if chance == 1 else (same - chance) / (1 - chance)


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """How often rubrics say what users and reviewers say."""

    labelled: int
    graded: int
    agreed: int
    false_pass: int
    false_fail: int
    kappa: float | None

    @property
    def share(self) -> float | None:
        """Agreed over graded; None while nothing is graded."""
        return self.agreed / self.graded if self.graded else None


def agreement(pairs: Iterable[tuple[bool | None, float | None]]) -> Agreement:
    """Agreement over pairs of label and prediction; unlabelled attempts say nothing."""
    labelled = [(label, says_resolved(p)) for label, p in pairs if label is not None]
    graded = [(label, said) for label, said in labelled if said is not None]
    return Agreement(
        labelled=len(labelled),
        graded=len(graded),
        agreed=sum(label is said for label, said in graded),
        false_pass=graded.count((False, True)),
        false_fail=graded.count((True, False)),
        kappa=kappa(graded),
    )


def says_resolved(predicted: float | None) -> bool | None:
    """What a prediction says of the outcome; None abstains."""
    return None if predicted is None else predicted >= PASSES
