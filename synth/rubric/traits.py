"""What all tasks of one app have in common: its tools' kinds and the words that everybody says.

In: the facts of all attempts of an app. Out: traits that derivation takes beside one task's attempts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from synth.rubric.facts import Facts
from synth.rubric.forgiveness import Seen, ended_right, undecided, unforgiven
from synth.rubric.habits import NULL
from synth.rubric.spread import Spread, spread_of
from synth.rubric.tool_kinds import ToolKinds

EVERYDAY: Final = 0.15
"""Share of an app's attempts from which a word says nothing about one task."""
FEW: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class AppTraits:
    """One app's habits."""

    kinds: ToolKinds
    everyday: frozenset[str] = frozenset()
    """Words of explanations that stand in too many attempts to prove that this one was explained."""
    unforgiven: Mapping[str, str] = field(default_factory=dict)
    """Faults of process after which hardly any user was satisfied (`fail`), or not all were (`null`)."""
    undecided: frozenset[str] = frozenset()
    """Faults of which too little is known: an attempt that has one is neither passed nor failed for it."""
    spread: Spread = field(default_factory=Spread)
    """How many new numbers an honest attempt may tell where a fact is to be told."""
    silent: frozenset[str] = frozenset()
    """Writing tools that leave nothing in the world as learnt: its effects prove nothing about them."""

    @property
    def missing(self) -> dict[str, str]:
        """What an attempt gets for a fault that may matter: `fail` or `null`."""
        return {**dict.fromkeys(sorted(self.undecided), NULL), **self.unforgiven}


def traits_of(
    kinds: ToolKinds,
    groups: Sequence[Sequence[Facts]],
    *,
    silent: frozenset[str] = frozenset(),
    also: Sequence[Seen] = (),
) -> AppTraits:
    """Learn an app's habits from the attempts at all its tasks."""
    attempts = [attempt for group in groups for attempt in group]
    counts = Counter(word for attempt in attempts for word in attempt.explained)
    most = max(FEW, EVERYDAY * len(attempts))
    everyday = frozenset(word for word, count in counts.items() if count > most)
    known = ended_right(groups, kinds, everyday=everyday, also=also)
    return AppTraits(
        kinds=kinds,
        everyday=everyday,
        unforgiven=unforgiven(known),
        undecided=undecided(known),
        spread=spread_of(groups),
        silent=silent,
    )
