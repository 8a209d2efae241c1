"""Assembly over partitions: the spans, log events and chats of some days of one app, as episodes with their home day.

Comes in: the private lake. Goes out: `Assembly`, or `Findings` with the episodes handed over one by one. An episode lives where its first
span was first seen, for ever: spans that arrive later, or lie beyond midnight, are added to it there.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, fields, replace
from typing import Final, Protocol

import pyarrow as pa
import pyarrow.compute as pc

from dagster_project.home.scratch import ASSEMBLE, scratch_folder
from dagster_project.lake.rows import from_rows, texts
from dagster_project.lake.store import Lake, Parts
from dagster_project.lake.tables import CHATS, EPISODES, LOG_EVENTS, SPANS, deduplicate
from ingest.assembly.assemble import Assembled, Unit, assemble, known_episodes
from ingest.assembly.assemble_stream import AT_ONCE, assemble_stream
from ingest.assembly.stored_content import is_named
from ingest.records.app_name import UNNAMED
from ingest.records.episode import Episode
from ingest.records.moments import day_of
from ingest.records.outcome import Outcome
from ingest.records.quarantine import Rejected
from ingest.records.span import LogEvent, event_of_row, span_of_row

_CHATS: Final = 512
"""Rows of chat logs that are Python objects at one time."""


class Keeper(Protocol):
    """Where episodes go as they are put together."""

    def clear(self) -> None:
        """Forget everything: it is put together once more, with more spans."""

    def add(self, day: str, episode: Episode) -> None:
        """Take in an episode whose home is a day."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What some days of an app hold beside the episodes."""

    outcomes: list[Outcome] = field(default_factory=list)
    """Outcomes that the telemetry itself carries."""
    rejected: list[Rejected] = field(default_factory=list)
    responses: dict[str, str] = field(default_factory=dict)
    """Response id to episode id."""
    spans: int = 0
    """Distinct spans that were read."""
    spans_without_episode: int = 0
    """Spans of traces in which no model and no tool ran, and spans of evaluations."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Assembly(Findings):
    """What some days of an app hold."""

    episodes: dict[str, list[Episode]] = field(default_factory=dict)
    """By home day. Days that were asked for are complete; others hold only the episodes that reach into them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _KnownEpisodes:
    """Episodes of the app as the lake has them."""

    app: str
    day: dict[str, str]
    traces: dict[str, tuple[str, ...]]
    episode_of: dict[str, str]
    """Traces that belong to exactly one episode: an earlier span that comes late must not rename it."""


class _EpisodesInMemory:
    """Episodes in memory."""

    def __init__(self) -> None:
        self.days: dict[str, list[Episode]] = {}

    def clear(self) -> None:
        self.days.clear()

    def add(self, day: str, episode: Episode) -> None:
        self.days.setdefault(day, []).append(episode)


def assemble_days(lake: Lake, app: str, days: Iterable[str]) -> Assembly:
    """Everything whose home is one of these days, and what reaches from them into other days."""
    asked = sorted(set(days))
    held = _EpisodesInMemory()
    found = collect_days(lake, app, asked, held)
    episodes = {day: held.days.pop(day, []) for day in asked} | held.days
    for group in episodes.values():
        group.sort(key=lambda episode: (episode.started_at, episode.episode_id))
    return Assembly(episodes=episodes, **{f.name: getattr(found, f.name) for f in fields(found)})


def collect_days(
    lake: Lake, app: str, days: Iterable[str], keeper: Keeper, *, unit: Unit = nullcontext
) -> Findings:
    """What `assemble_days` finds, with the episodes handed over as they are made: they need not fit in memory.

    Each conversation is put together, and each episode handed over, inside a `unit`.
    """
    asked = set(days)
    known = _read_known_episodes(lake, app)
    traces = {t for e, day in known.day.items() if day in asked for t in known.traces[e]}
    speaks = bool(known.day)
    while True:
        spans = _spans(lake, app, asked, traces)
        found = spans.traces
        events = _events(lake, app, asked, traces | found)
        whole = Assembled()
        earlier: set[str] = set()
        for part in _parts(lake, spans, events, known, unit=unit):
            speaks = speaks or bool(part.episodes)
            for episode in part.episodes:
                home = known.day.get(episode.episode_id) or day_of(episode.started_at)
                keeper.add(home, episode)
                # An episode of another day goes on in these: its earlier traces belong to it as well.
                earlier.update(known.traces.get(episode.episode_id, ()))
            _add_rest(whole, part)
        if earlier <= traces | found:
            break
        traces |= earlier
        keeper.clear()
    chats = deduplicate(lake.read(CHATS, app=app, days=asked), CHATS)
    for batch in chats.to_batches(max_chunksize=_CHATS):
        for row in batch.to_pylist():
            with unit():
                keeper.add(row["day"], from_rows(Episode, [row])[0])
    if not speaks and not chats.num_rows:
        # A service in which nobody speaks says how it went elsewhere, as a table without an app does.
        whole.outcomes = [replace(said, app=UNNAMED) for said in whole.outcomes]
    return Findings(
        outcomes=whole.outcomes,
        rejected=whole.rejected,
        responses=whole.responses,
        spans=spans.count,
        spans_without_episode=whole.spans_without_episode,
    )


def _add_rest(whole: Assembled, part: Assembled) -> None:
    whole.outcomes += part.outcomes
    whole.rejected += part.rejected
    whole.responses.update(part.responses)
    whole.spans_without_episode += part.spans_without_episode


@dataclass(frozen=True, slots=True, kw_only=True)
class _Spans:
    """Rows of spans that stay in the lake and are read part by part; of a span that came twice `assemble` takes the fuller."""

    inside: Parts
    outside: Parts
    reaching: pa.StringArray
    """The traces whose rows are taken from outside."""
    traces: set[str]
    count: int
    """Distinct spans."""

    def tables(self) -> Iterator[pa.Table]:
        """All rows from the beginning."""
        return _all_tables(self.inside, self.outside, self.reaching)


def _all_tables(
    inside: Parts, outside: Parts, reaching: pa.StringArray, columns: Sequence[str] | None = None
) -> Iterator[pa.Table]:
    yield from inside.tables(columns)
    for table in outside.tables(columns):
        yield table.filter(pc.is_in(table["trace_id"], value_set=reaching))


def _spans(lake: Lake, app: str, days: set[str], traces: set[str]) -> _Spans:
    """The spans of these days, and those of other days that belong to the same traces; not read yet."""
    inside = lake.parts(SPANS, app=app, days=days)
    named = [*SPANS.by, *SPANS.identity]
    wanted = set(traces)
    for table in inside.tables(("trace_id",)):
        wanted.update(texts(table, "trace_id"))
    others = {day for of_app, day in lake.counts(SPANS) if of_app == app} - days
    reaching: pa.StringArray = pa.array(sorted(wanted), pa.string())
    reached: set[str] = set()
    for table in lake.parts(SPANS, app=app, days=others if wanted else ()).tables(named):
        hit = pc.is_in(table["trace_id"], value_set=reaching)
        reached.update(texts(table.filter(hit), "day"))
    outside = lake.parts(SPANS, app=app, days=reached)
    none = pa.schema([SPANS.schema.field(name) for name in named]).empty_table()
    keys = pa.concat_tables([none, *_all_tables(inside, outside, reaching, named)])
    return _Spans(
        inside=inside,
        outside=outside,
        reaching=reaching,
        traces=set(texts(keys, "trace_id")),
        count=keys.group_by(named).aggregate([]).num_rows,
    )


def _parts(
    lake: Lake, spans: _Spans, events: Sequence[LogEvent], known: _KnownEpisodes, *, unit: Unit
) -> Iterator[Assembled]:
    """All episodes of some spans of one app; of many spans in parts, because as objects they take ten times the room."""
    few: list[pa.Table] = []
    for table in spans.tables():
        few.append(table)
        if sum(one.nbytes for one in few) > AT_ONCE:
            break
    else:
        rows = (row for one in few for row in one.to_pylist())
        yield assemble(
            map(span_of_row, rows), events, app=known.app, known=known.episode_of, unit=unit
        )
        return
    few.clear()
    # Beside the lake: the scratch files hold raw spans and must not leave the private side.
    with scratch_folder(lake.folder.parent, ASSEMBLE) as folder:
        yield from assemble_stream(
            spans.tables,
            events,
            app=known.app,
            scratch=folder,
            known=known.episode_of,
            at_once=AT_ONCE,
            unit=unit,
        )


def _read_known_episodes(lake: Lake, app: str) -> _KnownEpisodes:
    rows = lake.read(EPISODES, app=app, columns=("episode_id", "day", "trace_ids")).to_pylist()
    return _KnownEpisodes(
        app=app,
        day={row["episode_id"]: row["day"] for row in rows},
        traces={row["episode_id"]: tuple(row["trace_ids"] or ()) for row in rows},
        episode_of=known_episodes(from_rows(Episode, rows)),
    )


def _events(lake: Lake, app: str, days: set[str], traces: set[str]) -> list[LogEvent]:
    """The log events of these days, and those of other days that belong to the same traces."""
    inside = lake.read(LOG_EVENTS, app=app, days=days)
    wanted = traces | set(texts(inside, "trace_id"))
    others = {day for of_app, day in lake.counts(LOG_EVENTS) if of_app == app} - days
    if wanted and others:
        index = lake.read(LOG_EVENTS, app=app, days=others, columns=("trace_id", "day"))
        hit = pc.is_in(index["trace_id"], value_set=pa.array(sorted(wanted), pa.string()))
        reached = set(texts(index.filter(hit), "day"))
        outside = lake.read(LOG_EVENTS, app=app, days=reached)
        inset = pc.is_in(outside["trace_id"], value_set=pa.array(sorted(wanted), pa.string()))
        inside = pa.concat_tables([inside, outside.filter(inset)])
    # The last one of an event is kept: the one whose content was fetched, if any was.
    named = [is_named(text or "") for text in inside["attributes"].to_pylist()]
    order = sorted(range(len(named)), key=lambda index: not named[index])
    kept = deduplicate(inside.take(pa.array(order, pa.int64())), LOG_EVENTS)
    return [event_of_row(row) for row in kept.to_pylist()]


def days_of(lake: Lake, app: str | None = None) -> dict[str, set[str]]:
    """The days on which each app has anything."""
    days: dict[str, set[str]] = {}
    for table in (SPANS, LOG_EVENTS, CHATS):
        for of_app, day in lake.counts(table):
            if app in {None, of_app}:
                days.setdefault(of_app, set()).add(day)
    return days
