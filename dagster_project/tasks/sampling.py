"""The sample: which requests of a large app go on to the expensive stages, and what each stands for.

Comes in: an app's clean episodes, failure clusters and labels, and how many requests may go on. Goes out: the episodes that do, with strata
and weights that restore the shares. Small strata are kept whole and large ones are capped, so that every failure cluster has examples. Who
is drawn depends on names alone: a new day changes few.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from dagster_project.clean_records import clusters_of
from dagster_project.lake.documents import Document, records, to_rows
from dagster_project.lake.learnt_tables import SAMPLES
from dagster_project.lake.store import Lake
from environments.runtime.task.candidate import Candidate
from redact.records.clean_episode import CleanEpisode
from synth.labels.label import Label

RESOLVED: Final = "resolved"
UNRESOLVED: Final = "unresolved, in no failure cluster"
UNLABELLED: Final = "without an outcome"
MOST_OF_ONE: Final = 8
"""Conversations of one user that are drawn together, because they may be attempts at one request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stratum:
    """Requests of one kind: a failure cluster, or how they ended."""

    name: str
    requests: int
    kept: int

    @property
    def weight(self) -> float:
        """How many requests each kept one stands for."""
        return self.requests / self.kept if self.kept else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """What went on of an app."""

    most: int
    """How many requests were allowed."""
    strata: tuple[Stratum, ...]
    stratum_of: Mapping[str, str]
    """The stratum of each episode that went on, by its id."""

    def weight_of(self, candidate: Candidate) -> float:
        """How many requests a task stands for: those of the stratum of its first attempt."""
        names = (self.stratum_of.get(a.episode_id) for a in candidate.attempts)
        name = next((one for one in names if one is not None), None)
        return next((one.weight for one in self.strata if one.name == name), 1.0)

    def to_json(self) -> dict[str, Any]:
        """The strata as plain JSON values, as manifests carry them."""
        rows = [
            {"stratum": s.name, "requests": s.requests, "kept": s.kept, "weight": s.weight}
            for s in self.strata
        ]
        return {"most_requests": self.most, "strata": rows}


def draw_sample(
    episodes: Sequence[CleanEpisode],
    labels: Mapping[str, Label],
    cluster_of: Mapping[str, str],
    most: int,
) -> Sample | None:
    """At most so many requests, half of them for failure clusters; None where there are no more than that.

    Of each cluster and each way to end at least one goes on, even where there are more of those than requests allowed; of a cluster those
    first that some attempt resolved, because the others hardly make tasks.
    """
    groups = _requests(episodes)
    if len(groups) <= most:
        return None
    solved = {name for name, group in groups.items() if _solved(group, labels)}
    strata: dict[str, list[str]] = defaultdict(list)
    for name, group in groups.items():
        stratum = RESOLVED if name in solved else _unsolved(group, labels)
        strata[_cluster(group, cluster_of) or stratum].append(name)
    clusters = {k: len(v) for k, v in strata.items() if k in set(cluster_of.values())}
    ends = {k: len(v) for k, v in strata.items() if k not in clusters}
    # A request without an outcome makes no task: it takes what room the others leave.
    unlabelled = {k: ends.pop(k) for k in [UNLABELLED] if k in ends}
    half = min(most // 2, sum(clusters.values()))
    room = capped(ends, most - half - len(unlabelled))
    room |= capped(clusters, most - len(unlabelled) - sum(room.values()))
    room |= capped(unlabelled, most - sum(room.values()))
    kept = {
        k: sorted(names, key=lambda name: (name not in solved, _lot(name)))[: room[k]]
        for k, names in strata.items()
    }
    return Sample(
        most=most,
        strata=tuple(
            Stratum(name=k, requests=len(strata[k]), kept=len(kept[k])) for k in sorted(strata)
        ),
        stratum_of={
            one.episode_id: k for k, names in kept.items() for name in names for one in groups[name]
        },
    )


def capped(sizes: Mapping[str, int], most: int) -> dict[str, int]:
    """How many of each stratum: all of the small ones, and of the large ones equally many; one of each at least."""
    found = dict.fromkeys(sizes, 0)
    left = most
    for position, name in enumerate(sorted(sizes, key=lambda k: (sizes[k], k))):
        share = max(1, left // (len(sizes) - position))
        found[name] = min(sizes[name], share)
        left -= found[name]
    return found


def sample_of(lake: Lake, app: str) -> Sample | None:
    """What went on of an app when its tasks were derived; None where everything did."""
    return records(lake, SAMPLES, app, Sample).get(app)


def keep_sample(lake: Lake, app: str, sample: Sample | None) -> None:
    """Put it in the place of what went on before."""
    known = [] if sample is None else [Document(app=app, id=app, version="", content=sample)]
    if sample is not None or sample_of(lake, app) is not None:
        lake.replace(SAMPLES, to_rows(known), [(app,)])


def sampled_episodes(episodes: Iterable[CleanEpisode], sample: Sample | None) -> list[CleanEpisode]:
    """The episodes that go on."""
    return [one for one in episodes if sample is None or one.episode_id in sample.stratum_of]


def cluster_by_episode(lake: Lake, app: str) -> dict[str, str]:
    """The failure cluster of each episode that is in one."""
    known = sorted(clusters_of(lake, app), key=lambda one: one.cluster_id)
    return {member.episode_id: one.cluster_id for one in known for member in one.members}


def _requests(episodes: Iterable[CleanEpisode]) -> dict[str, list[CleanEpisode]]:
    """Episodes that stay together: those with one task key, else those of a user with few, else each by itself."""
    listed = list(episodes)
    by_user = Counter(one.subject for one in listed if one.task_key is None)
    groups: dict[str, list[CleanEpisode]] = defaultdict(list)
    for one in listed:
        if one.task_key is not None:
            name = f"key {one.task_key}"
        elif one.subject is not None and by_user[one.subject] <= MOST_OF_ONE:
            name = f"user {one.subject}"
        else:
            name = f"episode {one.episode_id}"
        groups[name].append(one)
    return groups


def _cluster(group: Sequence[CleanEpisode], cluster_of: Mapping[str, str]) -> str | None:
    return min(
        (cluster_of[e.episode_id] for e in group if e.episode_id in cluster_of), default=None
    )


def _unsolved(group: Sequence[CleanEpisode], labels: Mapping[str, Label]) -> str:
    said = [labels[e.episode_id].resolved for e in group if e.episode_id in labels]
    return UNRESOLVED if False in said else UNLABELLED


def _solved(group: Sequence[CleanEpisode], labels: Mapping[str, Label]) -> bool:
    return any(labels[e.episode_id].resolved for e in group if e.episode_id in labels)


def _lot(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()
