"""A cluster by version of the agent: since which version it is new, growing, fading or fixed.

Comes in: failures of a cluster and all episodes, by version. Goes out: counts, and one change where one is sure. Every version is tried as the first of a new time; the shares of
failures before and from it on are compared with Fisher's exact test. Not here: trends by day (`trend`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

SURE: Final = 0.01
"""How often a cluster whose share does not change may seem to have changed, over all versions that are tried."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """All episodes of one version."""

    name: str
    first: int
    """When its first episode began."""
    episodes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionCount:
    """A cluster in one version."""

    version: str
    failures: int
    episodes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What became of a cluster, and since which version."""

    movement: str
    """`new`, `growing`, `fading` or `fixed`."""
    since: str


def versions_of(seen: Iterable[tuple[str | None, int]]) -> tuple[Version, ...]:
    """The versions of an app's episodes (version and start of each), in the order in which they came up."""
    counts: Counter[str] = Counter()
    first: dict[str, int] = {}
    for name, started_at in seen:
        if name is not None:
            counts[name] += 1
            first[name] = min(first.get(name, started_at), started_at)
    order = sorted(counts, key=lambda name: (first[name], name))
    return tuple(Version(name=n, first=first[n], episodes=counts[n]) for n in order)


def counts_of(failing: Mapping[str, int], versions: Sequence[Version]) -> tuple[VersionCount, ...]:
    """A cluster in every version, those without a failure included."""
    return tuple(
        VersionCount(version=one.name, failures=failing.get(one.name, 0), episodes=one.episodes)
        for one in versions
    )


def change_of(counts: Sequence[VersionCount]) -> Change | None:
    """The change of which one can be surest; None where none is sure."""
    failures = [one.failures for one in counts]
    if len(counts) < 2 or not any(failures):
        return None
    # A local import: 0.5 s, and most apps name no versions.
    from scipy.stats import hypergeom  # noqa: PLC0415

    hits, total = sum(failures), sum(one.episodes for one in counts)
    later = hits - np.cumsum(failures)[:-1]
    then = total - np.cumsum([one.episodes for one in counts])[:-1]
    less = hypergeom.cdf(later, total, hits, then)
    more = hypergeom.sf(later - 1, total, hits, then)
    chances = 2 * np.minimum(less, more)
    at = int(np.argmin(chances))
    if chances[at] * len(chances) > SURE:
        return None
    grew = bool(more[at] < less[at])
    movement = _movement(before=hits - int(later[at]), later=int(later[at]), grew=grew)
    return Change(movement=movement, since=counts[at + 1].version)


def _movement(*, before: int, later: int, grew: bool) -> str:
    if grew:
        return "growing" if before else "new"
    return "fading" if later else "fixed"
