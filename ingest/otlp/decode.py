"""Stored bodies to records.

Comes in: one `StoredRecord` of the write-ahead log. Goes out: `Decoded`: spans, log events, chats, outcomes, and
whatever had to be refused. Decoding is separate from accepting: nothing here answers a client or writes a table.
Which format a JSON value is in and how it is read, the table in `ingest.formats.table` says.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ingest.errors import BodyRefused
from ingest.formats.format import Decoded, Format
from ingest.formats.spans.otlp_request import refuse_metrics
from ingest.formats.table import WHOLE_FILES, format_of, values_of
from ingest.formats.unknown import refuse
from ingest.otlp.limits import DEFAULT_LIMITS, Limits, unpack
from ingest.otlp.protobuf import read_protobuf
from ingest.otlp.record import Arrival
from ingest.otlp.values import check_json
from ingest.receiver.wal import StoredRecord
from ingest.records.quarantine import Rejected
from ingest.records.text import NOT_JSON, Json, json_bytes, load_json, nests_deeper, why_no_json

_NUMBERED: Final = {"jsonl": "line", "records": "record"}
"""Encodings with a value a line, by what a line is called."""
_DEEPEST: Final = 128
"""Half of what orjson writes: whatever is read can be written again."""


def decode(record: StoredRecord, *, limits: Limits = DEFAULT_LIMITS) -> Decoded:
    """Decode one stored body; never raises for what is in it."""
    found = Decoded()
    encoding, _, compression = record.encoding.partition("+")
    try:
        body = record.body
        if compression:
            body = unpack(body, compression, limit=limits.body_bytes)
        if encoding == "protobuf":
            _decode_protobuf(record, body, found, limits)
        elif record.kind in WHOLE_FILES:
            _decode_whole(WHOLE_FILES[record.kind], record, body, found, limits)
        elif encoding in _NUMBERED:
            for number, line in enumerate(body.split(b"\n"), start=record.position):
                if line.strip():
                    _decode_json(record, line, f"{_NUMBERED[encoding]} {number}", found, limits)
        else:
            _decode_json(record, body, f"record {record.position}", found, limits)
    except BodyRefused as error:
        found.rejected.append(
            refused(record, f"record {record.position}", error.code, error.reason, record.body)
        )
    return found


def refused(record: StoredRecord, position: str, code: str, reason: str, body: bytes) -> Rejected:
    """The record or a part of it as quarantine keeps it."""
    return arrival_of(record, position).refused(code, reason, body)


def arrival_of(
    record: StoredRecord, position: str | None = None, limits: Limits = DEFAULT_LIMITS
) -> Arrival:
    """Where and when a body came in."""
    return Arrival(
        app=record.app,
        source=record.source,
        position=position or f"record {record.position}",
        received_at=record.received_at,
        limits=limits,
        is_document=record.encoding == "json" or record.facts.is_alone,
        facts=record.facts,
    )


def _decode_protobuf(record: StoredRecord, body: bytes, found: Decoded, limits: Limits) -> None:
    arrival = arrival_of(record, limits=limits)
    signal = record.kind.removeprefix("otlp_")
    if signal == "metrics":
        found.add(refuse_metrics(body, arrival))
        return
    records = read_protobuf(body, signal, arrival, limits=limits)
    found.add(Decoded(spans=records.spans, events=records.events, rejected=records.rejected))


def _decode_json(
    record: StoredRecord, text: bytes, position: str, found: Decoded, limits: Limits
) -> None:
    try:
        check_json(text, limits)
    except BodyRefused as error:
        found.rejected.append(refused(record, position, error.code, error.reason, text))
        return
    value = load_json(text)
    if value is NOT_JSON:
        found.rejected.append(refused(record, position, "not_json", why_no_json(text), text))
        return
    whole = replace(arrival_of(record, position, limits), text=text)
    together: dict[str, list[Json]] = {}
    for number, item in enumerate(values_of(value), start=1):
        arrival = whole if item is value else whole.nth(number)
        if item == {} and record.kind.startswith("otlp_"):
            continue  # an export of nothing, which is a valid one
        row = format_of(item)
        if not (row and row.checks_depth) and nests_deeper(item, _DEEPEST):
            reason = f"The value is nested deeper than {_DEEPEST} levels; flatten it."
            found.rejected.append(
                refused(record, arrival.position, "too_deep", reason, json_bytes(item))
            )
        elif row is None or (record.facts.judges_as and not row.name.startswith("otlp_")):
            # Over the wire comes OTLP; another format's outcomes would not be asked for their sender's roles.
            found.rejected.append(refuse(item, arrival))
        elif row.is_whole_file:
            together.setdefault(row.name, []).append(item)
        else:
            found.add(_refuse_nothing(row, row.read(item, arrival), item, arrival))
    for name, items in together.items():
        row = WHOLE_FILES[name]
        found.add(_refuse_nothing(row, row.read(items, whole), items, whole))


def _decode_whole(
    row: Format, record: StoredRecord, body: bytes, found: Decoded, limits: Limits
) -> None:
    """All lines of a file together; a line that is no JSON costs only itself."""
    check_json(body, limits)
    values: list[Json] = []
    for number, text in enumerate(body.split(b"\n"), start=record.position):
        if not text.strip():
            continue
        value = load_json(text)
        if value is NOT_JSON or nests_deeper(value, _DEEPEST):
            reason = (
                "The line is not JSON, is cut off or is nested too deeply; the others were kept."
            )
            found.rejected.append(refused(record, f"line {number}", "bad_line", reason, text))
        else:
            values.append(value)
    arrival = replace(arrival_of(record), text=body)
    found.add(_refuse_nothing(row, row.read(values, arrival), values, arrival))


def _refuse_nothing(row: Format, found: Decoded, value: Json, arrival: Arrival) -> Decoded:
    """What a value held; one that held nothing at all is refused, so that it does not disappear."""
    is_empty = not (found.spans or found.events or found.chats or found.outcomes or found.rejected)
    if not is_empty or row.may_be_empty:
        return found
    text = json_bytes(value) if arrival.text is None else arrival.text
    reason = f"The value is {row.title} and holds no message, call or outcome that can be read; see docs/files.md."
    return Decoded(rejected=[arrival.refused("nothing_in_it", reason, text)])
