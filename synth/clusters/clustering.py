"""Clusters: failures that fail in the same way, with ids that stay for ever.

All failures of the apps in question and the clusters known so far in; clusters with members, names and trends out.
Mechanical first: a failure joins the cluster that owns its fingerprint, or new clusters form around fingerprints that
occur often enough, the most detailed first. Text second, on what is left: failures of one cause whose users wanted
similar things. What remains is held by one cluster per cause, from which more telling ones may still grow.
A failure stays in its cluster while it fails for the same cause; an id is never used again for anything else.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import Final

from environments.runtime.values.grouping import by_key
from ingest.records.columns import schema_of
from synth.clusters.descriptions import description_of
from synth.clusters.lineage import merges, splits
from synth.clusters.names import name_of, rest_name, said_by, who
from synth.clusters.texts import Vectors, embed, exemplars, group, nearest_text
from synth.clusters.trend import DayCount, movement_of, trend_of
from synth.clusters.versions import Version, VersionCount, change_of, counts_of
from synth.failures.causes import UNTOLD
from synth.failures.detection import (
    CONFIRMED,
    Failure,
    day_of,
    fingerprint_of,
    turns_on,
)
from synth.labels.label import Amount, added_up
from synth.one_thread import one_thread

EXACT: Final = "fingerprint"
TEXT: Final = "text"
REST: Final = "rest"
"""How a cluster holds together: by fingerprint, by what users wanted, or by cause only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterSettings:
    """When failures become a cluster, and when a cluster may have a telling name."""

    smallest: int = 3
    """Failures with one error that make it a cluster of its own."""
    smallest_text: int = 8
    distance: float = 0.7
    """Average cosine distance within a text cluster; measured in docs/failures.md."""
    join: float = 0.55
    """Cosine similarity to an exemplar at which a new failure joins a known text cluster."""
    k: int = 5
    """Distinct users behind anything that is said of a group."""
    examples: int = 5
    exemplars: int = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One failure in a cluster."""

    episode_id: str
    day: str
    who: str
    status: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """Failures that fail in the same way."""

    app: str
    cluster_id: str
    """For ever: from its first fingerprint, or from its first members where it grew from text."""
    kind: str
    """`EXACT`, `TEXT` or `REST`."""
    cause: str
    focus: tuple[str, ...]
    error: str
    fingerprints: tuple[str, ...]
    """Fingerprints that belong here from now on; empty for a text cluster."""
    name: str
    named: bool
    """False while fewer than k users are behind it."""
    failures: int
    confirmed: int
    subjects: int
    """Distinct users as far as known; an episode without a user counts as its request, else as itself."""
    trend: tuple[DayCount, ...]
    movement: str
    examples: tuple[str, ...]
    """Episode ids: those closest to what the cluster is about, one a user first; none below k users."""
    exemplars: tuple[str, ...] = ()
    """Facets a text cluster is remembered by (values are taken out of facets)."""
    members: tuple[Member, ...] = ()
    versions: tuple[VersionCount, ...] = ()
    """By version of the agent, in the order in which they came up; empty where episodes name none."""
    change: str = ""
    """`new`, `growing`, `fading` or `fixed`, where that is sure."""
    since: str = ""
    """The version from which on that is so."""
    amounts: tuple[Amount, ...] = ()
    """What its failures cost, where outcomes say so."""
    split_from: str = ""
    """The cluster that most of its first failures were in before."""
    merged_into: str = ""
    """Of a cluster without members: the one that most of them are in now."""
    description: str = ""
    """What holds for how many of its failures, in sentences that anybody can check."""

    @property
    def episode_ids(self) -> tuple[str, ...]:
        """The failed episodes."""
        return tuple(member.episode_id for member in self.members)

    @property
    def retired(self) -> bool:
        """Whether nothing fails like this any more, by the episodes and labels of now."""
        return not self.members and not self.merged_into

    @property
    def moves(self) -> str:
        """How it moves: by version where that is sure, else by day."""
        return f"{self.change} since {self.since}" if self.change else self.movement

    @property
    def says(self) -> str:
        """The error's template, once k users met it: below that it may hold one person's words."""
        return self.error if self.named else ""


CLUSTER_SCHEMA: Final = schema_of(Cluster, "app")
"""The lake table `failure_clusters`, partitioned by app."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clusters:
    """All clusters of some apps, those without members included: their ids stay taken."""

    clusters: tuple[Cluster, ...] = ()

    def of_episode(self) -> dict[str, str]:
        """The cluster id of each failed episode."""
        return {m.episode_id: c.cluster_id for c in self.clusters for m in c.members}


@dataclass(slots=True, kw_only=True)
class _Draft:
    """A cluster while its members are gathered."""

    cluster_id: str
    kind: str
    cause: str
    focus: tuple[str, ...] = ()
    error: str = ""
    fingerprints: tuple[str, ...] = ()
    known: Cluster | None = None
    exemplars: tuple[str, ...] = ()
    members: list[int] = field(default_factory=list)


Naming = Callable[[Cluster, Sequence[Failure]], str | None]
"""A better name for a cluster, or None to keep the given one; asked only for clusters that may have one."""


def cluster(
    failures: Iterable[Failure],
    known: Clusters | None = None,
    *,
    settings: ClusterSettings | None = None,
    naming: Naming | None = None,
    versions: Mapping[str, Sequence[Version]] | None = None,
) -> Clusters:
    """Put every failure of the apps into a cluster; `failures` are all of these apps, `known` the result before, `versions` those of all their episodes by app."""
    chosen = settings or ClusterSettings()
    by_app: defaultdict[str, list[Failure]] = defaultdict(list)
    for failure in sorted(failures, key=lambda f: (f.app, f.started_at, f.episode_id)):
        by_app[failure.app].append(failure)
    before: defaultdict[str, list[Cluster]] = defaultdict(list)
    for one in known.clusters if known else ():
        before[one.app].append(one)
    done: list[Cluster] = []
    for app in sorted({*by_app, *before}):
        with one_thread() if len(by_app[app]) > 1 else nullcontext():
            found = _App(by_app[app], before[app], chosen).run(naming)
            traffic = (versions or {}).get(app, ())
            ran = {f.episode_id: f.agent_version for f in by_app[app]}
            done += [_by_version(one, ran, traffic) for one in _related(found, before[app])]
    return Clusters(clusters=tuple(done))


def _related(now: Sequence[Cluster], before: Sequence[Cluster]) -> list[Cluster]:
    """The clusters with where they come from and where they went; what was said of that once stays said."""
    split, merged = splits(now, before), merges(now, before)
    return [
        replace(
            one,
            split_from=one.split_from or split.get(one.cluster_id, ""),
            merged_into="" if one.members else merged.get(one.cluster_id, one.merged_into),
        )
        for one in now
    ]


def _by_version(one: Cluster, ran: Mapping[str, str | None], traffic: Sequence[Version]) -> Cluster:
    """The cluster with what it did in each version; `ran` is the version of each failed episode."""
    if not traffic or not one.members:
        return one
    named = (ran.get(episode_id) for episode_id in one.episode_ids)
    counts = counts_of(Counter(name for name in named if name is not None), traffic)
    change = change_of(counts)
    if change is None:
        return replace(one, versions=counts)
    return replace(one, versions=counts, change=change.movement, since=change.since)


class _App:
    """The clustering of one app: holds the drafts while failures are placed."""

    def __init__(
        self, failures: list[Failure], before: list[Cluster], settings: ClusterSettings
    ) -> None:
        self.failures = failures
        self.settings = settings
        self.drafts = {one.cluster_id: _draft_of(one) for one in before}
        self.owner = {key: one.cluster_id for one in before for key in one.fingerprints}
        self.home = {m.episode_id: one.cluster_id for one in before for m in one.members}
        self.remembered = [
            (d.cluster_id, text) for d in self.drafts.values() for text in d.exemplars
        ]
        facets = [f.facet for f in failures] + [text for _, text in self.remembered]
        self.vectors: Vectors = embed(facets)
        self.said = said_by(failures)

    def run(self, naming: Naming | None) -> list[Cluster]:
        """Place every failure, then describe each cluster."""
        left = self._keep(range(len(self.failures)))
        left = self._join_owner(left)
        for detail in ("error", "focus"):
            left = self._form_exact(left, detail)
        left = self._join_text(left)
        left = self._form_text(left)
        self._add_rest(left)
        return [self._describe(draft, naming) for draft in self.drafts.values()]

    def _keep(self, rows: Iterable[int]) -> list[int]:
        left: list[int] = []
        for row in rows:
            failure = self.failures[row]
            draft = self.drafts.get(self.home.get(failure.episode_id, ""))
            if draft is None or draft.kind == REST or draft.cause != failure.cause:
                left.append(row)
            else:
                draft.members.append(row)
        return left

    def _join_owner(self, rows: list[int]) -> list[int]:
        left: list[int] = []
        for row in rows:
            keys = (fingerprint_of(self.failures[row], detail=d) for d in ("error", "focus"))
            cluster_id = next((self.owner[key] for key in keys if key in self.owner), None)
            if cluster_id is None:
                left.append(row)
            else:
                self.drafts[cluster_id].members.append(row)
        return left

    def _form_exact(self, rows: list[int], detail: str) -> list[int]:
        groups: defaultdict[str, list[int]] = defaultdict(list)
        for row in rows:
            failure = self.failures[row]
            if failure.error if detail == "error" else failure.cause not in UNTOLD:
                groups[fingerprint_of(failure, detail=detail)].append(row)
        taken: set[int] = set()
        for key, members in sorted(groups.items()):
            if detail == "focus" or len(members) >= self.settings.smallest:
                self._add(key, EXACT, members, detail=detail)
                taken.update(members)
        return [row for row in rows if row not in taken]

    def _add(self, key: str, kind: str, members: list[int], *, detail: str) -> None:
        first = self.failures[members[0]]
        self.drafts[key] = _Draft(
            cluster_id=key,
            kind=kind,
            cause=first.cause,
            focus=turns_on(first) if detail in {"focus", "error"} else (),
            error=first.error if detail == "error" else "",
            fingerprints=(key,) if detail else (),
            members=members,
        )

    def _join_text(self, rows: list[int]) -> list[int]:
        left: list[int] = []
        offset = len(self.failures)
        for row in rows:
            cause = self.failures[row].cause
            places = [
                i for i, (c, _) in enumerate(self.remembered) if self.drafts[c].cause == cause
            ]
            found = nearest_text(self.vectors[row], self.vectors[[offset + i for i in places]])
            if found is None or found.similarity < self.settings.join:
                left.append(row)
            else:
                self.drafts[self.remembered[places[found.index]][0]].members.append(row)
        return left

    def _form_text(self, rows: list[int]) -> list[int]:
        by_cause = by_key((self.failures[row].cause, row) for row in rows)
        taken: set[int] = set()
        for _, pool in sorted(by_cause.items()):
            for found in group(self.vectors[pool], distance=self.settings.distance):
                members = [pool[i] for i in found]
                people = {who(self.failures[row]) for row in members}
                # Wishes of fewer users may not be told, and a group that nobody can tell apart helps nobody.
                if len(members) >= self.settings.smallest_text and len(people) >= self.settings.k:
                    self._add(self._text_id(members), TEXT, members, detail="")
                    taken.update(members)
        return [row for row in rows if row not in taken]

    def _text_id(self, members: list[int]) -> str:
        first = self.failures[members[0]]
        episodes = "\x1f".join(self.failures[row].episode_id for row in members)
        text = f"text\x1e{first.app}\x1e{first.cause}\x1e{episodes}"
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def _add_rest(self, rows: list[int]) -> None:
        for row in rows:
            key = fingerprint_of(self.failures[row], detail="cause")
            if key in self.drafts:
                self.drafts[key].members.append(row)
            else:
                self._add(key, REST, [row], detail="cause")

    def _describe(self, draft: _Draft, naming: Naming | None) -> Cluster:
        members = [self.failures[row] for row in sorted(draft.members)]
        people = len({who(member) for member in members})
        chosen = self._central(draft)
        described = Cluster(
            app=members[0].app if members else _known_cluster(draft).app,
            cluster_id=draft.cluster_id,
            kind=draft.kind,
            cause=draft.cause,
            focus=draft.focus,
            error=draft.error,
            fingerprints=draft.fingerprints,
            name=draft.known.name if draft.known else rest_name(draft.cause),
            named=people >= self.settings.k,
            failures=len(members),
            confirmed=sum(member.status == CONFIRMED for member in members),
            subjects=people,
            trend=trend_of(day_of(member.started_at) for member in members),
            movement="",
            examples=self._examples(chosen) if people >= self.settings.k else (),
            exemplars=draft.exemplars or self._exemplars(draft, chosen),
            members=tuple(_member(member) for member in members),
            amounts=_cost(members),
            description=description_of(members),
            split_from=draft.known.split_from if draft.known else "",
            merged_into=draft.known.merged_into if draft.known else "",
        )
        return self._name(replace(described, movement=self._movement(described)), draft, naming)

    def _movement(self, one: Cluster) -> str:
        if not one.trend:
            return "quiet"
        first, last = self.failures[0].started_at, self.failures[-1].started_at
        return movement_of(one.trend, first=day_of(first), last=day_of(last))

    def _central(self, draft: _Draft) -> list[int]:
        return exemplars(self.vectors, draft.members, limit=50) if draft.members else []

    def _examples(self, rows: list[int]) -> tuple[str, ...]:
        seen: dict[str, str] = {}
        for row in rows:
            seen.setdefault(who(self.failures[row]), self.failures[row].episode_id)
        spare = [self.failures[row].episode_id for row in rows]
        return tuple(dict.fromkeys((*seen.values(), *spare)))[: self.settings.examples]

    def _exemplars(self, draft: _Draft, rows: list[int]) -> tuple[str, ...]:
        if draft.kind != TEXT:
            return ()
        return tuple(self.failures[row].facet for row in rows[: self.settings.exemplars])

    def _name(self, one: Cluster, draft: _Draft, naming: Naming | None) -> Cluster:
        """A name once given stays as long as k users are behind it, from whom on a cluster has a telling name."""
        known = draft.known
        if not draft.members or (known is not None and known.named and one.named):
            return replace(one, named=known.named if known else one.named)
        members = [self.failures[row] for row in sorted(draft.members)]
        name = rest_name(draft.cause)
        if draft.kind != REST:
            name = name_of(members, self.said, k=self.settings.k)
        better = naming(replace(one, name=name), members) if naming and one.named else None
        return replace(one, name=better or name)


def _draft_of(one: Cluster) -> _Draft:
    return _Draft(
        cluster_id=one.cluster_id,
        kind=one.kind,
        cause=one.cause,
        focus=one.focus,
        error=one.error,
        fingerprints=one.fingerprints,
        known=one,
        exemplars=one.exemplars,
    )


def _cost(members: Sequence[Failure]) -> tuple[Amount, ...]:
    units: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for member in members:
        for amount in member.amounts:
            units[amount.unit][member.episode_id] = amount.value
    return added_up(units)


def _known_cluster(draft: _Draft) -> Cluster:
    if draft.known is None:
        raise AssertionError(f"cluster {draft.cluster_id} has neither members nor a past")
    return draft.known


def _member(failure: Failure) -> Member:
    return Member(
        episode_id=failure.episode_id,
        day=day_of(failure.started_at),
        who=who(failure),
        status=failure.status,
    )
