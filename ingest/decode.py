"""Stored bodies to records.

Comes in: one `StoredRecord` of the write-ahead log. Goes out: `Decoded`: spans, log events, chats, outcomes, and
whatever had to be refused. Decoding is separate from accepting: nothing here answers a client or writes a table.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Final

import orjson

from ingest.atif import read_trajectory
from ingest.chat_log import Chat, parse_value
from ingest.claude_code_session import read_sessions
from ingest.errors import BodyRefused
from ingest.langfuse_export import read_export
from ingest.langsmith_run import read_feedback, read_run
from ingest.limits import DEFAULT_LIMITS, Limits, unpack
from ingest.openai_agents_export import read_agents_export
from ingest.otlp import read_protobuf
from ingest.otlp_json import read_json
from ingest.otlp_record import Arrival, OtlpRecords
from ingest.outcome import Outcome
from ingest.quarantine import Rejected
from ingest.shape import SESSION, kind_of_value
from ingest.span import LogEvent, Span
from ingest.text import NOT_JSON, Json, load_json, nests_deeper
from ingest.wal import StoredRecord

_KEPT: Final = 64 << 10
_EXPORTED: Final = frozenset(
    {"langsmith_run", "langsmith_feedback", "openai_agents_export", "atif"}
)
_DEEPEST: Final = 128
"""Half of what orjson writes: whatever is read can be written again."""


@dataclass(slots=True, kw_only=True)
class Decoded:
    """What one body held."""

    spans: list[Span] = field(default_factory=list)
    events: list[LogEvent] = field(default_factory=list)
    chats: list[Chat] = field(default_factory=list)
    outcomes: list[Outcome] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)


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
        elif record.kind == SESSION:
            _decode_sessions(record, body, found)
        elif encoding == "jsonl":
            for number, line in enumerate(body.split(b"\n"), start=record.position):
                if line.strip():
                    _decode_json(record, line, f"line {number}", found, limits)
        else:
            _decode_json(record, body, f"record {record.position}", found, limits)
    except BodyRefused as error:
        found.rejected.append(
            refused(record, f"record {record.position}", error.code, error.reason, record.body)
        )
    return found


def refused(record: StoredRecord, position: str, code: str, reason: str, body: bytes) -> Rejected:
    """The record or a part of it as quarantine keeps it."""
    return Rejected(
        source=record.source,
        position=position,
        code=code,
        reason=reason,
        body=body[:_KEPT],
        app=record.app,
        at=record.received_at,
    )


def arrival_of(record: StoredRecord, position: str | None = None) -> Arrival:
    """Where and when a body came in."""
    position = position or f"record {record.position}"
    return Arrival(
        app=record.app, source=record.source, position=position, received_at=record.received_at
    )


def _decode_protobuf(record: StoredRecord, body: bytes, found: Decoded, limits: Limits) -> None:
    position = f"record {record.position}"
    signal = record.kind.removeprefix("otlp_")
    if signal == "metrics":
        found.rejected.append(_metrics(record, position))
        return
    _add_otlp(found, read_protobuf(body, signal, arrival_of(record, position), limits=limits))


def _metrics(record: StoredRecord, position: str) -> Rejected:
    return refused(
        record, position, "metrics", "Metrics carry no episodes; they are not kept.", b""
    )


def _add_otlp(found: Decoded, records: OtlpRecords) -> None:
    found.spans += records.spans
    found.events += records.events
    found.rejected += records.rejected


def _decode_json(
    record: StoredRecord, text: bytes, position: str, found: Decoded, limits: Limits
) -> None:
    value = load_json(text)
    if value is NOT_JSON:
        reason = "The text is not JSON, or is cut off; write one JSON value a line."
        found.rejected.append(refused(record, position, "not_json", reason, text))
        return
    for item in _items(value):
        if item == {} and record.kind.startswith("otlp_"):
            continue  # an export of nothing, which is a valid one
        kind = kind_of_value(item)
        if kind in {"otlp_traces", "otlp_logs"}:
            signal = kind.removeprefix("otlp_")
            _add_otlp(found, read_json(item, signal, arrival_of(record, position), limits=limits))
        elif kind == "otlp_metrics":
            found.rejected.append(_metrics(record, position))
        elif nests_deeper(item, _DEEPEST):
            reason = f"The value is nested deeper than {_DEEPEST} levels; flatten it."
            found.rejected.append(refused(record, position, "too_deep", reason, text))
        elif kind in _EXPORTED:
            _decode_exported(record, item, kind, position, found)
        elif kind == "langfuse_export":
            export = read_export(item, arrival_of(record, position))
            found.spans += export.spans
            found.outcomes += export.outcomes
        else:
            own_text = text if item is value else orjson.dumps(item)
            _decode_chat(record, own_text, item, position, found)


def _decode_exported(
    record: StoredRecord, item: dict[str, Any], kind: str, position: str, found: Decoded
) -> None:
    arrival = arrival_of(record, position)
    if kind == "langsmith_run":
        found.spans += read_run(item, arrival)
    elif kind == "langsmith_feedback":
        found.outcomes += read_feedback(item, arrival)
    elif kind == "openai_agents_export":
        found.spans.append(read_agents_export(item, arrival))
    else:
        _decode_as_chat(record, read_trajectory(item), "atif", position, found)


def _decode_sessions(record: StoredRecord, body: bytes, found: Decoded) -> None:
    lines: list[Json] = []
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
            lines.append(value)
    for chat in read_sessions(lines):
        _decode_as_chat(record, chat, "claude_code", f"record {record.position}", found)


def _decode_as_chat(
    record: StoredRecord, value: dict[str, Any], source: str, position: str, found: Decoded
) -> None:
    """A value of another format in the chat log's words; the episode keeps the format's name."""
    held = len(found.chats)
    _decode_chat(record, orjson.dumps(value), value, position, found)
    for index in range(held, len(found.chats)):
        chat = found.chats[index]
        found.chats[index] = replace(chat, episode=replace(chat.episode, source=source))


def _items(value: Json) -> Iterator[Any]:
    """The value, or the elements of a list of exports or episodes."""
    if isinstance(value, list) and value and kind_of_value(value) is not None:
        yield from value
    else:
        yield value


def _decode_chat(
    record: StoredRecord, text: bytes, item: Json, position: str, found: Decoded
) -> None:
    read = parse_value(item, text, source=record.source, position=position, app=record.app)
    if isinstance(read, Chat):
        found.chats.append(read)
        found.outcomes += read.outcomes
    else:
        found.rejected.append(read)
