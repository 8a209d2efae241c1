"""OTLP protobuf bodies to spans and log events (upb, by way of `opentelemetry-proto`).

Comes in: one decompressed body. Goes out: `OtlpRecords`; a record that cannot be read is refused alone. Limits come
before parsing. Not here: JSON (`ingest.otlp.json_bodies`), and what attributes mean (`ingest.dialects`).
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from google.protobuf.message import DecodeError  # type: ignore[import-untyped]  # protobuf ships no types
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, InstrumentationScope
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1.trace_pb2 import Span as SpanMessage

from ingest.errors import BodyRefused
from ingest.otlp.limits import DEFAULT_LIMITS, Limits
from ingest.otlp.record import (
    Arrival,
    Batch,
    OtlpRecords,
    RawEvent,
    RecordRefusedError,
    app_of,
    checked_id,
    event_of,
    finite,
    keep,
    parent_of,
    resource_of,
    times_of,
    too_deep,
    too_many,
)
from ingest.otlp.values import check_protobuf
from ingest.otlp.wire import Bounds, BrokenWireError, Field, batches, bounds, messages
from ingest.records.moments import from_number
from ingest.records.span import LogEvent, Span, SpanEvent, SpanLink, sorted_json
from ingest.records.text import Json


def read_protobuf(
    body: bytes, signal: str, arrival: Arrival, *, limits: Limits = DEFAULT_LIMITS
) -> OtlpRecords:
    """Decode one protobuf body; a record that upb refuses is refused alone, the others are kept."""
    found = OtlpRecords()
    parse = _parse_span if signal == "traces" else _parse_event
    for block in blocks_of(body, signal, arrival, limits=limits):
        for index in range(len(block.bounds.start)):
            _read_record(body, block, index, found, parse, limits)
    return found


@dataclass(frozen=True, slots=True)
class Block:
    """The records of one scope: what they share, and where in a buffer each lies."""

    batch: Batch
    bounds: Bounds


def blocks_of(body: bytes, signal: str, arrival: Arrival, *, limits: Limits) -> list[Block]:
    """The records of one body, found and counted but not read."""
    blocks: list[Block] = []
    left = limits.records
    try:
        check_protobuf(body, signal, limits)
        for resource_field, scope_field in batches(body):
            found = bounds(body, 2, scope_field.start, scope_field.end, most=left)
            left -= len(found.start)
            if left < 0:
                raise too_many(limits)
            scope = [field for field in found.beside if field.number == 1]
            blocks.append(Block(_batch_of(body, resource_field, scope, arrival), found))
    except BrokenWireError as error:
        raise BodyRefused(
            "not_protobuf", "The body is no OTLP protobuf message; check the exporter's settings."
        ) from error
    return blocks


def read_span(body: bytes, block: Block, index: int, found: OtlpRecords, limits: Limits) -> None:
    """Read one span of a block, or refuse it alone."""
    _read_record(body, block, index, found, _parse_span, limits)


def _read_record(  # noqa: PLR0913, PLR0917 - where, into what, and how
    body: bytes,
    block: Block,
    index: int,
    found: OtlpRecords,
    parse: Callable[[bytes, Batch, Limits], Span | LogEvent],
    limits: Limits,
) -> None:
    raw = body[block.bounds.start[index] : block.bounds.end[index]]
    read = partial(parse, raw, block.batch, limits)
    keep(found, block.batch, number=index + 1, raw=raw, read=read)


def value_text(raw: bytes) -> str | None:
    """An attribute's value as JSON text; None where it cannot be read or is nested too deeply."""
    try:
        return sorted_json(_value(AnyValue.FromString(raw), DEFAULT_LIMITS, 0))
    except (DecodeError, RecordRefusedError):
        return None


def _batch_of(
    body: bytes, resource_field: Field, scope_fields: list[Field], arrival: Arrival
) -> Batch:
    resource: dict[str, Any] = {}
    scope = InstrumentationScope()
    try:
        for part in messages(body, 1, resource_field.start, resource_field.end):
            message = Resource.FromString(body[part.start : part.end])
            resource = _attributes(message.attributes, DEFAULT_LIMITS)
        for part in scope_fields:
            scope = InstrumentationScope.FromString(body[part.start : part.end])
    except (DecodeError, RecordRefusedError):
        # The records below are refused or named by their own contents; a broken resource alone loses none of them.
        resource = {}
    return Batch(
        app=app_of(arrival, resource),
        resource=resource_of(arrival, resource),
        scope=scope.name,
        scope_version=scope.version,
        arrival=arrival,
    )


def _undecodable() -> RecordRefusedError:
    return RecordRefusedError(
        "undecodable", "The record is damaged, nested too deeply or not valid UTF-8."
    )


def _parse_span(raw: bytes, batch: Batch, limits: Limits) -> Span:
    try:
        message = SpanMessage.FromString(raw)
    except DecodeError as error:
        raise _undecodable() from error
    return _span(message, batch, limits)


def _parse_event(raw: bytes, batch: Batch, limits: Limits) -> LogEvent:
    try:
        message = LogRecord.FromString(raw)
    except DecodeError as error:
        raise _undecodable() from error
    return event_of(
        RawEvent(
            attributes=_attributes(message.attributes, limits),
            body=_value(message.body, limits, 0),
            name=message.event_name,
            trace_id=message.trace_id.hex(),
            span_id=message.span_id.hex(),
            time=message.time_unix_nano or message.observed_time_unix_nano,
            severity=message.severity_number,
            dropped=message.dropped_attributes_count,
        ),
        batch,
    )


def _span(message: SpanMessage, batch: Batch, limits: Limits) -> Span:
    times = times_of(message.start_time_unix_nano, message.end_time_unix_nano, batch.arrival)
    return Span(
        app=batch.app,
        trace_id=checked_id(message.trace_id.hex(), 32, "trace"),
        span_id=checked_id(message.span_id.hex(), 16, "span"),
        parent_id=parent_of(message.parent_span_id.hex()),
        name=message.name,
        kind=message.kind,
        started_at=times.started_at,
        ended_at=times.ended_at,
        status=message.status.code,
        status_message=message.status.message,
        scope=batch.scope,
        scope_version=batch.scope_version,
        resource=batch.resource,
        attributes=_attributes(message.attributes, limits),
        events=tuple(
            SpanEvent(
                name=event.name,
                at=from_number(event.time_unix_nano) or times.started_at,
                attributes=_attributes(event.attributes, limits),
            )
            for event in message.events
        ),
        links=tuple(
            SpanLink(
                trace_id=link.trace_id.hex(),
                span_id=link.span_id.hex(),
                attributes=_attributes(link.attributes, limits),
            )
            for link in message.links
        ),
        dropped=message.dropped_attributes_count + message.dropped_events_count,
    )


def _attributes(pairs: Json, limits: Limits) -> dict[str, Any]:
    return {pair.key: _value(pair.value, limits, 0) for pair in pairs}


def _value(value: AnyValue, limits: Limits, depth: int) -> Json:  # noqa: PLR0911 - one return for each kind of value
    kind = value.WhichOneof("value")
    if kind == "string_value":
        return value.string_value
    if kind is None:
        return None
    if depth > limits.depth:
        raise too_deep(limits)
    if kind == "array_value":
        return [_value(item, limits, depth + 1) for item in value.array_value.values]
    if kind == "kvlist_value":
        pairs = value.kvlist_value.values
        return {pair.key: _value(pair.value, limits, depth + 1) for pair in pairs}
    if kind == "bytes_value":
        return base64.b64encode(value.bytes_value).decode()
    if kind == "double_value":
        return finite(value.double_value)
    return value.int_value if kind == "int_value" else value.bool_value
