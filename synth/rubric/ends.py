"""Which ends of a task are right: a posterior over the ends its attempts reached, under label noise.

In: the facts of a task's attempts. Out: ends with their attempts, posterior and standing (accepted, doubtful, bad).
Hypotheses are sets of right ends: none of those seen, one of them, or (rarely) two. Not here: checks.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from environments.runtime.values.grouping import by_key
from synth.recordings.attempt_facts import Facts
from synth.recordings.traits import AppTraits
from synth.rubric.contrast import is_explained
from synth.rubric.text_checks import writes_another_text

CONSTRUCTED: Final = "constructed"
"""Whose label an attempt has that was made from many others: its confidence says how many agree."""
ACCEPTED: Final = 0.8
"""Posterior from which an end is held to be right."""
TRUSTED: Final = 0.9499
"""Confidence of a label from which one witness is enough: wrong in at most 5 %, with room for rounding."""
WITNESSES: Final = 2
NONE_PRIOR: Final = 0.3
ONE_PRIOR: Final = 0.65
TWO_PRIOR: Final = 0.05
LUCKY: Final = 0.01
"""How often an attempt that reached none of the right ends is resolved."""


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """One end state of a task with those who reached it."""

    attempts: tuple[Facts, ...]
    posterior: float
    excused: frozenset[str] = frozenset()
    """Unresolved attempts whose fault lies elsewhere than in the end."""

    @property
    def good(self) -> tuple[Facts, ...]:
        """Attempts that the user called resolved."""
        return tuple(a for a in self.attempts if a.resolved is True)

    @property
    def bad(self) -> tuple[Facts, ...]:
        """Attempts that the user called unresolved."""
        return tuple(a for a in self.attempts if a.resolved is False)

    @property
    def accepted(self) -> bool:
        """Whether it is held to be right."""
        return bool(self.good) and self.posterior >= ACCEPTED

    @property
    def unconfirmed(self) -> bool:
        """Whether one attempt alone says that it is right, and its label is more often wrong than can be relied on."""
        seen = [a for a in self.good if a.label.by != CONSTRUCTED]
        return len(self.good) == len(seen) < WITNESSES and any(
            a.label.confidence < TRUSTED for a in seen
        )


def ends_of(
    attempts: Sequence[Facts], traits: AppTraits, *, also_excused: Collection[str] = ()
) -> list[End]:
    """The ends of one task, most probable first; of `also_excused` attempts something else says why they failed."""
    groups = _group(attempts)
    excused = frozenset(
        a.episode_id for group in groups for a in _explained_attempts(group, traits)
    )
    excused |= frozenset(also_excused)
    # A constructed attempt goes by the id of the failed one that it is made for: only what failed is excused.
    counted = [[a for a in g if a.resolved or a.episode_id not in excused] for g in groups]
    posteriors = _posteriors(counted, traits.spoilt)
    ends = [
        End(attempts=tuple(group), posterior=round(p, 4), excused=excused)
        for group, p in zip(groups, posteriors, strict=True)
    ]
    return sorted(ends, key=lambda end: (-end.posterior, end.attempts[0].episode_id))


def _explained_attempts(group: Sequence[Facts], traits: AppTraits) -> list[Facts]:
    good = [a for a in group if a.resolved is True]
    return [
        a
        for a in group
        if a.resolved is False
        and (is_explained(a, good, traits) or writes_another_text(a, good, traits))
    ]


def _group(attempts: Sequence[Facts]) -> list[list[Facts]]:
    """Attempts by equal writes; another route to the same state shows when the attempt is graded in the world."""
    groups = by_key((attempt.end_key, attempt) for attempt in attempts)
    return list(groups.values())


def _posteriors(groups: Sequence[Sequence[Facts]], spoilt: float) -> list[float]:
    candidates = [i for i, g in enumerate(groups) if any(a.resolved is not None for a in g)]
    hypotheses: list[tuple[frozenset[int], float]] = [(frozenset(), NONE_PRIOR)]
    hypotheses += [(frozenset([i]), ONE_PRIOR / len(candidates)) for i in candidates]
    pairs = list(combinations(candidates, 2))
    hypotheses += [(frozenset(pair), TWO_PRIOR / len(pairs)) for pair in pairs]
    weights = [prior * _likelihood(groups, right, spoilt) for right, prior in hypotheses]
    total = sum(weights) or 1.0
    return [
        sum(w for (right, _), w in zip(hypotheses, weights, strict=True) if index in right) / total
        for index in range(len(groups))
    ]


def _likelihood(groups: Sequence[Sequence[Facts]], right: frozenset[int], spoilt: float) -> float:
    value = 1.0
    for index, group in enumerate(groups):
        good = 1 - spoilt if index in right else LUCKY
        for attempt in group:
            if attempt.resolved is None:
                continue
            trust = attempt.label.confidence
            says_good = good * trust + (1 - good) * (1 - trust)
            value *= says_good if attempt.resolved else 1 - says_good
    return value
