"""Where clusters come from and where they go: what was split off, merged or retired when failures moved.

Comes in: the clusters now and those before. Goes out: the clusters now with their lineage. A cluster that has members of its own before keeps its id and continues. Not here: why failures move (`clustering`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

MOST = 0.5
"""The share of members that must have moved together."""


class GroupedFailures(Protocol):
    """A cluster with the ids of its members."""

    @property
    def cluster_id(self) -> str:
        """Its id."""
        ...

    @property
    def episode_ids(self) -> Sequence[str]:
        """Its members."""
        ...


def splits(now: Iterable[GroupedFailures], before: Iterable[GroupedFailures]) -> dict[str, str]:
    """Clusters that were not there before, with the one that most of their earlier failures were in and that goes on."""
    home, current = _homes(before), list(now)
    known, alive = set(home.values()), {one.cluster_id for one in current if one.episode_ids}
    found: dict[str, str] = {}
    for one in current:
        if one.cluster_id not in known:
            origin = _most_common(Counter(home[key] for key in one.episode_ids if key in home))
            if origin in alive:
                found[one.cluster_id] = origin
    return found


def merges(now: Iterable[GroupedFailures], before: Iterable[GroupedFailures]) -> dict[str, str]:
    """Clusters without members now, with the one that most of their failures are in."""
    current = list(now)
    home, alive = _homes(current), {one.cluster_id for one in current if one.episode_ids}
    moved: defaultdict[str, Counter[str]] = defaultdict(Counter)
    sizes: dict[str, int] = {}
    for one in before:
        sizes[one.cluster_id] = len(one.episode_ids)
        moved[one.cluster_id].update(home[key] for key in one.episode_ids if key in home)
    return {
        old: into
        for old, counts in moved.items()
        if old not in alive and (into := _most_common(counts, of=sizes[old])) is not None
    }


def _homes(clusters: Iterable[GroupedFailures]) -> Mapping[str, str]:
    return {key: one.cluster_id for one in clusters for key in one.episode_ids}


def _most_common(counts: Counter[str], *, of: int | None = None) -> str | None:
    """The one that most went to or came from; None where they scattered."""
    if not counts:
        return None
    ((name, count),) = counts.most_common(1)
    return name if count >= MOST * (counts.total() if of is None else of) else None
