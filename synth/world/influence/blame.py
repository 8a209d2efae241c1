"""Who explains what was found otherwise: the fewest suspects, by greedy set cover.

Comes in: events, each with its suspects, and a rank of suspects over the events that nobody explains yet. Comes out: one suspect
after the other, the one that ranks highest first, each with the events that it explains. Not here: what an event is, and what
is believed of a suspect.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeVar


class Blamable(Protocol):
    """Something that was found otherwise."""

    @property
    def suspects(self) -> frozenset[Any]:
        """Those of which one may have done it."""
        ...


S = TypeVar("S", str, tuple[str, bool])
E = TypeVar("E", bound=Blamable)


def fewest(
    events: Iterable[E], rank: Callable[[Sequence[E]], Mapping[S, tuple[float, int]]]
) -> Iterator[tuple[S, Sequence[E]]]:
    """Each suspect that explains events which those before it did not, with these events.

    `rank` says what speaks for each suspect, given the events that are left; suspects that it leaves out explain nothing.
    """
    left = list(events)
    while left and (ranks := rank(left)):
        best = max(ranks, key=lambda suspect: (ranks[suspect], suspect))
        yield best, [event for event in left if best in event.suspects]
        left = [event for event in left if best not in event.suspects]
