"""Arrival: files into the write-ahead log, and the log's bodies into the private lake.

Comes in: paths, or bodies that the receiver stored. Goes out: rows appended to `spans`, `log_events`, `chats`, `arrived_outcomes` and
`quarantine`, and counts. At least once: a crash between the two repeats rows, which the assets fold by identity.
"""

import logging
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import pyarrow as pa

from dagster_project.arrival.attempt_ids import assign_ids
from dagster_project.arrival.late_content import LateContent
from dagster_project.arrival.verdict_files import may_name_tasks, verdicts_on_runs
from dagster_project.build.left_out import SkippedUnit, Skips
from dagster_project.build.left_out_rows import lines_of, rows_of
from dagster_project.errors import InputError
from dagster_project.fatal import is_fatal
from dagster_project.home.layout import Home
from dagster_project.home.locks import lock
from dagster_project.home.settings import add_apps
from dagster_project.lake.rows import constant_column, looked_up, texts, to_table
from dagster_project.lake.store import Lake
from dagster_project.lake.tables import ARRIVED_OUTCOMES, CHATS, LOG_EVENTS, QUARANTINE, SPANS
from environments.fault_places import log_fault
from ingest.assembly.stored_content import ContentPlaces
from ingest.errors import IngestError
from ingest.files.mapping import Layout
from ingest.files.run_states import whole_runs
from ingest.files.telemetry_files import read_source, sources_in
from ingest.otlp.decode_batch import DecodedBatch, decode_batch
from ingest.receiver.wal import StoredRecord, Wal, WalRecord
from ingest.records.app_name import UNNAMED
from ingest.records.episode import Episode
from ingest.records.moments import day_of
from ingest.records.outcome import Outcome
from ingest.records.quarantine import MAX_KEPT_BODY, REJECTED_SCHEMA, Rejected
from ingest.records.span import SPAN_SCHEMA, event_row

_log = logging.getLogger(__name__)

_FAULT: Final = "fault"
"""Code of what was refused because our own code failed at it."""
_BATCH: Final = 256
"""Bodies decoded between two commits, as long as they fit the bytes below: a commit costs as much as decoding hundreds of small ones."""
_BATCH_BYTES: Final = 64 << 20


@dataclass(slots=True, kw_only=True)
class ArrivalCounts:
    """What came in, by kind; grows while a command runs."""

    files: int = 0
    bodies: int = 0
    repeated: int = 0
    """Bodies that the log already had."""
    spans: int = 0
    log_events: int = 0
    chats: int = 0
    outcomes: int = 0
    rejected: Counter[str] = field(default_factory=Counter)
    """Quarantined records by code."""
    reasons: dict[str, str] = field(default_factory=dict)
    """One sentence for each code."""
    places: dict[str, str] = field(default_factory=dict)
    """Where that record stands: its file, and the place in it."""
    apps: set[str] = field(default_factory=set)
    left_out: list[SkippedUnit] = field(default_factory=list)
    """What files say of each other's conversations, as far as tracegym itself failed at it."""

    def add(self, other: "ArrivalCounts") -> None:
        """Count what else came in."""
        self.spans += other.spans
        self.log_events += other.log_events
        self.chats += other.chats
        self.outcomes += other.outcomes
        self.rejected += other.rejected
        self.reasons = {**other.reasons, **self.reasons}
        self.places = {**other.places, **self.places}
        self.apps |= other.apps

    @property
    def faults(self) -> list[str]:
        """What a person is told of what was left out."""
        return lines_of(rows_of(self.left_out))

    @property
    def usable(self) -> int:
        """Records that reached the lake."""
        return self.spans + self.log_events + self.chats + self.outcomes


def take_in(  # noqa: PLR0913 - what comes in, and how it is read
    home: Home,
    paths: Sequence[Path],
    *,
    app: str | None = None,
    on_file: Callable[[Path], None] | None = None,
    elsewhere: ContentPlaces | None = None,
    layout: Layout | None = None,
) -> ArrivalCounts:
    """Store files in the log, durable, then bring everything pending into the lake; `layout` reads JSON of one's own."""
    for path in paths:
        if not path.exists():
            raise InputError(f"{path} does not exist; check the path")
    arrived = ArrivalCounts()
    refused: list[Rejected] = []
    with Wal(home.wal) as wal:
        for path in paths:
            if on_file is not None:
                on_file(path)
            refused += _store(wal, _read(path, app, layout), arrived)
            arrived.files += 1
        land(home, wal, arrived, late=LateContent(elsewhere) if elsewhere is not None else None)
    keep_rejected(_private_lake(home), _join_verdicts(home, paths, app, refused, arrived), arrived)
    return arrived


def _join_verdicts(
    home: Home,
    paths: Sequence[Path],
    app: str | None,
    refused: list[Rejected],
    arrived: ArrivalCounts,
) -> list[Rejected]:
    """Join what files without conversations say of those that others hold; returns what is refused all the same."""
    are_several = bool(paths[1:]) or paths[0].is_dir()
    # Files are read once more only where something may come of it.
    if are_several and (refused or arrived.rejected or may_name_tasks(paths)):
        lake, skips = _private_lake(home), Skips("arrival", app or UNNAMED)
        with lock(home, "arrival"), skips.unit("verdicts"):
            said = verdicts_on_runs(lake, paths, app, skips)
            lake.append(SPANS, said.spans)
            append_outcomes(lake, said.outcomes, {})
            _append_chats(lake, said.episodes)
            arrived.outcomes += len(said.outcomes)
            refused = [*(one for one in refused if one.source not in said.files), *said.refused]
        skips.keep(Lake(home.clean / "lake"))
        arrived.left_out += skips.found
    return refused


def _read(path: Path, app: str | None, layout: Layout | None) -> Iterator[WalRecord | Rejected]:
    """What a path holds; of a file at which our own code fails what stands before that, and all other files."""
    for source in whole_runs(sources_in(path, app=app, layout=layout)):
        skips = Skips("arrival", app or UNNAMED)
        try:
            yield from read_source(source, layout, among_others=source.path != path)
        except IngestError:
            raise
        except Exception as fault:
            if is_fatal(fault):
                raise
            skips.note(fault, "file")
            yield source.refused(_FAULT, f"{_reason(skips)} What stands before it was kept.")


def _reason(skips: Skips) -> str:
    """What to say of the one thing that was left out."""
    (noted,) = skips.found
    return f"tracegym itself failed at it ({noted.error} at {noted.place}, {noted.version}); please report that."


def _store(
    wal: Wal, records: Iterable[WalRecord | Rejected], arrived: ArrivalCounts
) -> list[Rejected]:
    rejected: list[Rejected] = []
    for record in records:
        if isinstance(record, Rejected):
            rejected.append(record)
        else:
            appended = wal.append([record])
            arrived.bodies += appended.stored
            arrived.repeated += appended.repeated
    return rejected


def land(
    home: Home,
    wal: Wal,
    arrived: ArrivalCounts | None = None,
    *,
    late: LateContent | None = None,
    is_over: Callable[[], bool] = lambda: False,
) -> ArrivalCounts:
    """Decode what is pending and append it to the lake; short commits, one decoder at a time.

    Where it `is_over` between two commits, the rest stays pending: more may come in than can be decoded.
    """
    landed = arrived or ArrivalCounts()
    lake = _private_lake(home)
    with lock(home, "arrival"):
        if late is not None and late.count:
            # Rows of spans that are counted already.
            _write(lake, late.look_again(), ArrivalCounts())
        while records := wal.pending(_BATCH, max_bytes=_BATCH_BYTES):
            _land(lake, records, landed, late)
            add_apps(home, landed.apps)
            wal.mark_decoded([record.seq for record in records])
            if is_over():
                break
    return landed


def _land(
    lake: Lake, records: Sequence[StoredRecord], landed: ArrivalCounts, late: LateContent | None
) -> None:
    """Append what some bodies hold; where that fails, body by body and part by part, and what fails by itself is quarantined."""

    def append(some: Sequence[StoredRecord], arrived: ArrivalCounts) -> None:
        batch = decode_batch(some)
        if late is not None:
            late.fill(batch)
        _write(lake, batch, arrived)

    try:
        # Counted once it is done: rows that come again are folded.
        whole = ArrivalCounts()
        append(records, whole)
    except Exception as fault:
        if is_fatal(fault):
            raise
        log_fault(_log, "bodies together failed, each is taken in by itself", fault)
        for record in records:
            for part in _parts(record, lake, landed):
                _write_part(lake, part, record, landed)
    else:
        landed.add(whole)


def _parts(record: StoredRecord, lake: Lake, landed: ArrivalCounts) -> list[DecodedBatch]:
    """What one body holds, in parts that can be stored for themselves."""
    skips = Skips("arrival", record.app or UNNAMED)
    found = DecodedBatch(spans=SPAN_SCHEMA.empty_table())
    with skips.unit("body") as decoding:
        found = decode_batch([record])
    if decoding.failed:
        _quarantine(lake, record, skips, landed)
    nothing = SPAN_SCHEMA.empty_table()
    return [
        DecodedBatch(spans=found.spans, rejected=found.rejected),
        *(DecodedBatch(spans=nothing, events=[one]) for one in found.events),
        *(DecodedBatch(spans=nothing, chats=[one]) for one in found.chats),
        *(DecodedBatch(spans=nothing, outcomes=[one]) for one in found.outcomes),
    ]


def _write_part(
    lake: Lake, part: DecodedBatch, record: StoredRecord, landed: ArrivalCounts
) -> None:
    skips, arrived = Skips("arrival", record.app or UNNAMED), ArrivalCounts()
    with skips.unit("part") as writing:
        _write(lake, part, arrived)
    if writing.failed:
        _quarantine(lake, record, skips, landed)
    else:
        landed.add(arrived)


def _quarantine(lake: Lake, record: StoredRecord, skips: Skips, landed: ArrivalCounts) -> None:
    """Keep a body at which tracegym itself failed; what else it held is stored."""
    refused = Rejected(
        source=record.source,
        position=f"body {record.position}",
        code=_FAULT,
        reason=_reason(skips),
        body=record.body[:MAX_KEPT_BODY],
        app=record.app,
        at=record.received_at,
    )
    keep_rejected(lake, [refused], landed)


def _write(lake: Lake, batch: DecodedBatch, arrived: ArrivalCounts) -> None:
    """Append decoded records to the tables, and count."""
    lake.append(SPANS, batch.spans)
    events = list(map(event_row, batch.events))
    lake.append(LOG_EVENTS, pa.Table.from_pylist(events, LOG_EVENTS.schema))
    chats = assign_ids(lake, batch.chats)
    days = _append_chats(lake, [chat.episode for chat in chats])
    every = [*(o for chat in chats for o in chat.outcomes), *batch.outcomes]
    said = list({outcome.outcome_id: outcome for outcome in every}.values())
    append_outcomes(lake, said, days)
    arrived.spans += batch.spans.num_rows
    arrived.log_events += len(batch.events)
    arrived.chats += len(batch.chats)
    arrived.outcomes += len(said)
    arrived.apps |= {str(app) for app in batch.spans.column("app").unique().to_pylist()}
    arrived.apps |= {event.app for event in batch.events}
    arrived.apps |= {chat.episode.app for chat in batch.chats}
    keep_rejected(lake, batch.rejected, arrived)


def _append_chats(lake: Lake, episodes: Sequence[Episode]) -> dict[str, str]:
    """Append episodes to the day they first came in with; returns the day of each."""
    days: dict[str, str] = {}
    for app in sorted({episode.app for episode in episodes}):
        seen = lake.read(CHATS, app=app, columns=("episode_id", "day"))
        days |= dict(zip(texts(seen, "episode_id"), texts(seen, "day"), strict=True))
    for episode in episodes:
        days.setdefault(episode.episode_id, day_of(episode.started_at))
    lake.append(
        CHATS,
        to_table(
            episodes,
            CHATS.schema,
            day=looked_up(days, "episode_id"),
            arrived_at=constant_column(time.time_ns()),
        ),
    )
    return days


def append_outcomes(lake: Lake, outcomes: Sequence[Outcome], days: dict[str, str]) -> None:
    """Append outcomes as they came; they lie with their episode's day, else with the day they were said."""

    def day(outcome: Outcome) -> str:
        return days.get(outcome.episode_id or "") or day_of(outcome.at or 0)

    lake.append(
        ARRIVED_OUTCOMES,
        to_table(
            outcomes, ARRIVED_OUTCOMES.schema, day=day, arrived_at=constant_column(time.time_ns())
        ),
    )


def keep_rejected(lake: Lake, rejected: Sequence[Rejected], arrived: ArrivalCounts) -> None:
    """Quarantine records with their reasons, and count them."""
    for record in rejected:
        arrived.rejected[record.code] += 1
        arrived.reasons.setdefault(record.code, record.reason)
        arrived.places.setdefault(record.code, f"{record.source}, {record.position}")
    rows = to_table(
        rejected,
        QUARANTINE.schema,
        app=lambda record: record.app or UNNAMED,
        day=lambda record: day_of(record.at),
    )
    lake.append(QUARANTINE, rows)


def quarantined(lake: Lake) -> Iterator[Rejected]:
    """Everything that could not be used, once each, without the bodies."""
    names = [name for name in QUARANTINE.schema.names if name != "body"]
    seen: set[tuple[object, ...]] = set()
    for row in lake.read(QUARANTINE, columns=names).to_pylist():
        identity = (row["app"], row["source"], row["position"], row["code"])
        if identity not in seen:
            seen.add(identity)
            known = {name: row[name] for name in REJECTED_SCHEMA.names if name != "body"}
            yield Rejected(**known, body=b"")


def _private_lake(home: Home) -> Lake:
    return Lake(home.private / "lake")
