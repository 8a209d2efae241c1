"""Who is erased: the episodes of some users, or single ones, on both sides of the gate, and by what they can be found.

Comes in: ids as telemetry has them, or of clean episodes. Goes out: `Erased`, one per app. Reads only. An episode that no
build has put together yet is put together here.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from dagster_project.arrival.assembly import assemble_days, days_of
from dagster_project.arrival.repetitions import SPANS_ASSET, arrivals
from dagster_project.lake.freshness import work
from dagster_project.lake.rows import from_rows
from dagster_project.lake.store import Lake
from dagster_project.lake.tables import CHATS, CLEAN_EPISODES, EPISODES, deduplicate
from ingest.records.episode import Episode
from redact.operators.vault import Vault, canonical


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasureRequest:
    """Whom to erase, as somebody wrote it."""

    users: frozenset[str] = frozenset()
    episodes: frozenset[str] = frozenset()

    @property
    def ids(self) -> frozenset[str]:
        """Everything that was given."""
        return self.users | self.episodes


@dataclass(frozen=True, slots=True, kw_only=True)
class Erased:
    """What is erased of one app."""

    app: str
    raw: tuple[Episode, ...]
    """Episodes whose raw data is still there."""
    days: frozenset[str]
    """The days in which they live."""
    clean: frozenset[str]
    """Ids past the gate, also of episodes whose raw data has expired."""
    names: frozenset[str]
    """What is written where any of it is left: ids of users, episodes, conversations and traces."""
    traces: frozenset[str]
    """Traces that hold nothing of anybody else."""
    shared: frozenset[str]
    """Traces that hold other episodes too."""


def erased_of(
    lake: Lake, clean: Lake, vault: Vault, app: str, asked: ErasureRequest
) -> Erased | None:
    """What of an app is asked for; None where nothing is."""
    found = {e.episode_id: (day, e) for day, e in _raw(lake, vault, app, asked)}
    episodes = tuple(episode for _, episode in found.values())
    past = frozenset(vault.episode_id(app, name) for name in found)
    past |= _past_the_gate(clean, vault, app, asked)
    if not past:
        return None
    traces = {trace for episode in episodes for trace in episode.trace_ids}
    shared = traces & _traces_of_others(lake, app, found)
    named = {name for e in episodes for name in (e.episode_id, e.conversation_id) if name}
    return Erased(
        app=app,
        raw=episodes,
        days=frozenset(day for day, _ in found.values()),
        clean=past,
        names=frozenset(named | past | asked.ids | (traces - shared)),
        traces=frozenset(traces - shared),
        shared=frozenset(shared),
    )


def _raw(
    lake: Lake, vault: Vault, app: str, asked: ErasureRequest
) -> Iterable[tuple[str, Episode]]:
    """Raw episodes that are asked for, with their days: those of the lake, and those that no build has seen."""

    def is_asked(row: dict[str, object]) -> bool:
        own = {str(row["episode_id"]), str(row["conversation_id"])}
        return row["subject"] in asked.users or bool(
            asked.episodes
            and not asked.episodes.isdisjoint({*own, vault.episode_id(app, str(row["episode_id"]))})
        )

    columns = ("episode_id", "conversation_id", "subject", "day")
    for table in (EPISODES, CHATS):
        rows = deduplicate(
            lake.read(table, app=app, columns=(*table.by, *columns[:3])), CHATS
        ).to_pylist()
        wanted = {row["episode_id"]: row["day"] for row in rows if is_asked(row)}
        for day in sorted(set(wanted.values())):
            for batch in lake.read(table, app=app, days=[day]).to_batches(max_chunksize=512):
                some = [row for row in batch.to_pylist() if row["episode_id"] in wanted]
                yield from ((day, episode) for episode in from_rows(Episode, some))
    days = days_of(lake, app).get(app, set())
    stale = work(lake, SPANS_ASSET, arrivals(lake, [(app, day) for day in sorted(days)])).stale
    fresh = assemble_days(lake, app, [day for _, day in stale]).episodes if stale else {}
    for day, episodes in fresh.items():
        for one in episodes:
            row = {"episode_id": one.episode_id, "conversation_id": one.conversation_id}
            if is_asked({**row, "subject": one.subject}):
                yield day, one


def _past_the_gate(clean: Lake, vault: Vault, app: str, asked: ErasureRequest) -> frozenset[str]:
    """Clean episodes that are asked for by their own id, or of whose user the vault knows the surrogate."""
    keyed = vault.key_of(app)
    digests = {keyed.digest("subject", user, size=8).hex() for user in asked.users}
    given = {image for user in asked.users for image in vault.images(app, user)}
    known = asked.episodes | {vault.episode_id(app, name) for name in asked.episodes}
    rows = clean.read(CLEAN_EPISODES, app=app, columns=("episode_id", "subject")).to_pylist()
    return frozenset(
        row["episode_id"]
        for row in rows
        if row["episode_id"] in known
        or (row["subject"] and (row["subject"] in digests or _images(row["subject"]) & given))
    )


def _images(subject: str) -> set[str]:
    return {canonical(family, subject) for family in ("identifier", "email", "phone", "name")}


def _traces_of_others(lake: Lake, app: str, found: Iterable[str]) -> set[str]:
    """Traces of episodes that stay."""
    mine = set(found)
    rows = lake.read(EPISODES, app=app, columns=("episode_id", "trace_ids")).to_pylist()
    return {t for row in rows if row["episode_id"] not in mine for t in row["trace_ids"] or ()}
