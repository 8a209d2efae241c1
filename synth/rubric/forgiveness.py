"""Which faults the users of one app forgive, learnt from all its labelled attempts.

In: the facts of all attempts by task. Out: faults that are proven to matter (hardly any resolved attempt has them, and
many unresolved ones do), and faults of which too little is known. Where most attempts that ended right are resolved with
a fault (confirmation makes no difference to many apps' outcomes), it is in neither. Not here: what a fault is (`habits`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from synth.recordings.attempt_facts import Facts
from synth.recordings.tool_kinds import ToolKinds
from synth.rubric.habits import FAIL, FAULTS, NULL, faults_of, lacking, same_end
from synth.world.support import chance_of_so_few

FORGIVEN: Final = 0.1
"""Share of resolved attempts among those with a fault up to which users do not forgive it."""
DOUBTED: Final = 0.5
"""Share up to which nobody can say of an attempt with the fault whether its user was satisfied."""
CHANCE: Final = 0.01
"""Probability up to which the contrast is not an accident."""
PRIOR: Final = 2.0
"""Attempts that the app's other faults weigh as much as, where a fault is judged that few attempts have."""

SPOILT: Final = 0.1
"""How often an attempt at the right end is unresolved all the same, before the app's own attempts say more: something was not told, or too late."""
SPOILT_WEIGHT: Final = 10
"""Attempts that this weighs as much as."""
MOST_SPOILT: Final = 0.5
"""How often at most: beyond, unresolved attempts at an end speak for it rather than against it."""

Seen = tuple[bool, frozenset[str]]
"""Whether an attempt was resolved, and its faults."""


@dataclass(frozen=True, slots=True)
class EndedRight:
    """The labelled attempts that left the world as it should be."""

    beside: tuple[Seen, ...]
    """Those that left it like a resolved attempt at the same task."""
    alone: tuple[Seen, ...]
    """Resolved ones without such a peer: only faults that show without one."""

    @property
    def spoilt(self) -> float:
        """How often such an attempt is unresolved all the same."""
        unresolved = sum(not resolved for resolved, _ in self.beside)
        every = len(self.beside) + len(self.alone) + SPOILT_WEIGHT
        return min(MOST_SPOILT, (unresolved + SPOILT * SPOILT_WEIGHT) / every)


def ended_right(
    groups: Sequence[Sequence[Facts]],
    kinds: ToolKinds,
    *,
    everyday: frozenset[str] = frozenset(),
    also: Sequence[Seen] = (),
) -> EndedRight:
    """The attempts that can tell whether a fault matters; `groups` are the attempts at tasks.

    Only attempts that left the world like a resolved one are compared: elsewhere the wrong end is reason enough, and
    every fault that goes with it would look guilty. `also` are outcomes with faults of attempts known to have ended right.
    """
    beside, alone = list(also), list[Seen]()
    for group in groups:
        for attempt in group:
            if attempt.resolved is None:
                continue
            peers = [a for a in group if a is not attempt and a.resolved and same_end(a, attempt)]
            faults = faults_of(attempt, kinds)
            if peers:
                beside.append((attempt.resolved, faults | lacking(attempt, peers, everyday)))
            elif attempt.resolved:
                alone.append((True, faults))
    return EndedRight(tuple(beside), tuple(alone))


def unforgiven(known: EndedRight) -> dict[str, str]:
    """Faults that this app's users are proven not to forgive (`FAIL`), or not always (`NULL`)."""
    proven = {name: _proven(name, known.beside) for name in FAULTS}
    return {name: verdict for name, verdict in proven.items() if verdict is not None}


def undecided(known: EndedRight) -> frozenset[str]:
    """Faults, not proven to matter, that most attempts ending right are not known to be resolved with.

    A few attempts are judged beside a prior that all faults of the app share: its users forgive much or little, and
    nothing where no forgiveness was ever seen.
    """
    faults = [(resolved, f) for resolved, mine in (*known.beside, *known.alone) for f in mine]
    pooled = sum(resolved for resolved, _ in faults) / (len(faults) + PRIOR)
    unknown = []
    for name in FAULTS:
        with_it = [resolved for resolved, fault in faults if fault == name]
        likely = (sum(with_it) + PRIOR * pooled) / (len(with_it) + PRIOR)
        if likely <= DOUBTED and _proven(name, known.beside) is None:
            unknown.append(name)
    return frozenset(unknown)


def _proven(name: str, beside: Sequence[Seen]) -> str | None:
    with_it = [resolved for resolved, mine in beside if name in mine]
    share = sum(with_it) / len(with_it) if with_it else 1.0
    good = sum(resolved for resolved, _ in beside)
    accident = chance_of_so_few(sum(with_it), among=len(with_it), of=good, total=len(beside))
    if share > DOUBTED or accident > CHANCE:
        return None
    return FAIL if share <= FORGIVEN else NULL
