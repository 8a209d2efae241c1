"""Files in a layout of somebody's own, read by their mapping and stored as lines of a chat log.

Comes in: a file and a mapping. Goes out: `WalRecord`s of chat-log lines, and a refusal for each record that a path does not fit,
with the path and the place. What the mapped names mean, `ingest.formats.records` says, as for any other record.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from ingest.files.file_source import Chunks, FileSource
from ingest.files.json_values import PlacedValue, placed_values
from ingest.files.mapping import Layout, PathMissed
from ingest.formats.records.naming import facts_of_all
from ingest.formats.records.reader import Standing, chat_line
from ingest.otlp.record import Arrival
from ingest.receiver.wal import WalRecord
from ingest.records.quarantine import Rejected
from ingest.records.text import Json, json_bytes

SOURCE: Final = "mapped"
"""The format of episodes that a mapping read."""
_SILENT: Final = "no item of it says who speaks and what; say so in [message]"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Record:
    place: str
    value: dict[str, Any]
    is_alone: bool


def read_mapped_file(source: FileSource, layout: Layout) -> Iterator[WalRecord | Rejected]:
    """Everything that a mapping finds in a file."""
    facts = source.facts
    if source.can_be_read_again:
        again = replace(layout, found=Counter(), records=0)
        facts = facts_of_all(
            facts,
            lambda: ((r.value, None) for r in _records(source, again) if isinstance(r, _Record)),
        )
    chunks = Chunks(source, "chat_log", "records", facts)
    for one in _records(source, layout):
        if isinstance(one, Rejected):
            yield one
            continue
        arrival = Arrival(
            app=source.app,
            source=source.name,
            position=one.place,
            received_at=0,
            facts=replace(facts, is_alone=one.is_alone),
        )
        line = chat_line(one.value, arrival, Standing(source=SOURCE))
        if not line["messages"]:
            missed = PathMissed(
                "conversation.messages", layout.document.conversation.messages, why=_SILENT
            )
            yield _refused(source, layout, missed, one.place, one.value)
            continue
        yield from chunks.add(json_bytes(line) + b"\n")
    yield from chunks.end()


def _records(source: FileSource, layout: Layout) -> Iterator[_Record | Rejected]:
    def knows(_item: Json, document: Json, _key: str) -> bool:
        return layout.fits(document)

    for placed in placed_values(source, knows):
        if isinstance(placed, Rejected):
            yield placed
        else:
            yield from _of_value(source, layout, placed)


def _of_value(
    source: FileSource, layout: Layout, placed: PlacedValue
) -> Iterator[_Record | Rejected]:
    try:
        values = layout.records_of(placed.value)
    except PathMissed as missed:
        yield _refused(source, layout, missed, placed.place, placed.value)
        return
    for number, value in enumerate(values, start=1):
        place = placed.place
        if len(values) > 1 or value is not placed.value:
            place = f"record {number}" if placed.is_document else f"{place}, record {number}"
        try:
            record = layout.record(value)
        except PathMissed as missed:
            yield _refused(source, layout, missed, place, value)
        else:
            is_alone = placed.is_document and len(values) == 1
            yield _Record(place=place, value=record, is_alone=is_alone)


def _refused(
    source: FileSource, layout: Layout, missed: PathMissed, place: str, value: Json
) -> Rejected:
    reason = missed.sentence(layout.name, place)
    return source.refused("path_missed", reason, position=place, body=json_bytes(value))
