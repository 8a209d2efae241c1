"""OTLP bodies to spans and log events: protobuf (upb) and JSON (orjson and the mapper below).

Comes in: one decompressed body. Goes out: `Span`s, `LogEvent`s, and a `Rejected` for each record that cannot be used.
Limits come before parsing. Not here: what attributes mean.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from google.protobuf.message import DecodeError, Message
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, InstrumentationScope, KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1.trace_pb2 import Span as SpanMessage

from ingest.app_name import safe_app_name
from ingest.errors import BodyRefused
from ingest.limits import DEFAULT_LIMITS, Limits
from ingest.moments import from_number
from ingest.quarantine import Rejected
from ingest.span import LogEvent, Span, SpanEvent, SpanLink, event_id_of
from ingest.wire import BrokenWireError, Field, batches, count_records, messages

_KEPT: Final = 64 << 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """Where and when a body came in."""

    app: str | None
    source: str
    position: str
    received_at: int


@dataclass(slots=True, kw_only=True)
class OtlpRecords:
    """What one body held."""

    spans: list[Span] = field(default_factory=list)
    events: list[LogEvent] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)


class _Refused(ValueError):
    """One record that cannot be used."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code


def read_protobuf(
    body: bytes, signal: str, arrival: Arrival, *, limits: Limits = DEFAULT_LIMITS
) -> OtlpRecords:
    """Decode one protobuf body; a record that upb refuses is refused alone, the others are kept."""
    try:
        count = count_records(body, limit=limits.records)
    except BrokenWireError as error:
        raise BodyRefused(
            "not_protobuf", "The body is no OTLP protobuf message; check the exporter's settings."
        ) from error
    if count > limits.records:
        raise _too_many(limits)
    found = OtlpRecords()
    for resource_field, scope_field in batches(body):
        batch = _batch_of(body, resource_field, scope_field, arrival)
        for number, record in enumerate(
            messages(body, 2, scope_field.start, scope_field.end), start=1
        ):
            raw = body[record.start : record.end]
            _keep(
                found,
                batch,
                number,
                raw,
                lambda raw=raw, batch=batch: _parse(raw, signal, batch, limits),
            )  # type: ignore[misc]  # bound now: the loop moves on
    return found


def read_json(
    value: Any, signal: str, arrival: Arrival, *, limits: Limits = DEFAULT_LIMITS
) -> OtlpRecords:
    """Map one parsed OTLP/JSON body; unknown fields are ignored, as the protocol asks."""
    outer, middle, inner = _JSON_KEYS[signal]
    found = OtlpRecords()
    total = 0
    for resource_batch in _dicts(_get(value, outer)):
        resource = _json_attributes(_get(_get(resource_batch, "resource"), "attributes"), limits)
        for scope_batch in _dicts(_get(resource_batch, middle)):
            scope = _get(scope_batch, "scope")
            batch = _Batch(
                app=_app(arrival, resource),
                resource=resource,
                scope=_text(_get(scope, "name")),
                scope_version=_text(_get(scope, "version")),
                arrival=arrival,
            )
            for number, record in enumerate(_dicts(_get(scope_batch, inner)), start=1):
                total += 1
                if total > limits.records:
                    raise _too_many(limits)
                read = _json_span if signal == "traces" else _json_event
                _keep(
                    found,
                    batch,
                    number,
                    record,
                    lambda r=record, b=batch, read=read: read(r, b, limits),
                )  # type: ignore[misc]  # bound now: the loop moves on
    return found


_JSON_KEYS: Final = {
    "traces": ("resourceSpans", "scopeSpans", "spans"),
    "logs": ("resourceLogs", "scopeLogs", "logRecords"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Batch:
    app: str
    resource: dict[str, Any]
    scope: str
    scope_version: str
    arrival: Arrival


def _too_many(limits: Limits) -> BodyRefused:
    return BodyRefused(
        "too_many_records",
        f"The body holds more than {limits.records} records; send smaller batches.",
    )


def _keep(
    found: OtlpRecords, batch: _Batch, number: int, raw: object, read: Callable[[], Span | LogEvent]
) -> None:
    try:
        record = read()
    except _Refused as error:
        found.rejected.append(
            Rejected(
                source=batch.arrival.source,
                position=f"{batch.arrival.position}, record {number}",
                code=error.code,
                reason=str(error),
                body=(raw if isinstance(raw, bytes) else repr(raw).encode())[:_KEPT],
                app=batch.app,
                at=batch.arrival.received_at,
            )
        )
        return
    if isinstance(record, Span):
        found.spans.append(record)
    else:
        found.events.append(record)


def _app(arrival: Arrival, resource: dict[str, Any]) -> str:
    return arrival.app or safe_app_name(_text(resource.get("service.name")))


# --- protobuf


def _batch_of(body: bytes, resource_field: Field, scope_field: Field, arrival: Arrival) -> _Batch:
    resource: dict[str, Any] = {}
    scope = InstrumentationScope()
    try:
        for part in messages(body, 1, resource_field.start, resource_field.end):
            message = Resource.FromString(body[part.start : part.end])
            resource = _pb_attributes(message.attributes, DEFAULT_LIMITS)
        for part in messages(body, 1, scope_field.start, scope_field.end):
            scope = InstrumentationScope.FromString(body[part.start : part.end])
    except (DecodeError, _Refused):
        # The records below are refused or named by their own contents; a broken resource alone loses none of them.
        resource = {}
    return _Batch(
        app=_app(arrival, resource),
        resource=resource,
        scope=scope.name,
        scope_version=scope.version,
        arrival=arrival,
    )


def _parse(raw: bytes, signal: str, batch: _Batch, limits: Limits) -> Span | LogEvent:
    kind: type[Message] = SpanMessage if signal == "traces" else LogRecord
    message = kind()
    try:
        message.ParseFromString(raw)
    except DecodeError as error:
        raise _Refused(
            "undecodable", "The record is damaged, nested too deeply or not valid UTF-8."
        ) from error
    if isinstance(message, SpanMessage):
        return _pb_span(message, batch, limits)
    assert isinstance(message, LogRecord)  # noqa: S101 - narrows for the type checker
    return _pb_event(message, batch, limits)


def _pb_span(message: SpanMessage, batch: _Batch, limits: Limits) -> Span:
    started_at, ended_at = _times(
        message.start_time_unix_nano, message.end_time_unix_nano, batch.arrival
    )
    return Span(
        app=batch.app,
        trace_id=_id(message.trace_id.hex(), 32, "trace"),
        span_id=_id(message.span_id.hex(), 16, "span"),
        parent_id=_parent(message.parent_span_id.hex()),
        name=message.name,
        kind=message.kind,
        started_at=started_at,
        ended_at=ended_at,
        status=message.status.code,
        status_message=message.status.message,
        scope=batch.scope,
        scope_version=batch.scope_version,
        resource=batch.resource,
        attributes=_pb_attributes(message.attributes, limits),
        events=tuple(
            SpanEvent(
                name=event.name,
                at=from_number(event.time_unix_nano) or started_at,
                attributes=_pb_attributes(event.attributes, limits),
            )
            for event in message.events
        ),
        links=tuple(
            SpanLink(
                trace_id=link.trace_id.hex(),
                span_id=link.span_id.hex(),
                attributes=_pb_attributes(link.attributes, limits),
            )
            for link in message.links
        ),
        dropped=message.dropped_attributes_count + message.dropped_events_count,
    )


def _pb_event(message: LogRecord, batch: _Batch, limits: Limits) -> LogEvent:
    return _event(
        batch,
        attributes=_pb_attributes(message.attributes, limits),
        body=_pb_value(message.body, limits, 0),
        name=message.event_name,
        trace_id=message.trace_id.hex(),
        span_id=message.span_id.hex(),
        time=message.time_unix_nano or message.observed_time_unix_nano,
        severity=message.severity_number,
        dropped=message.dropped_attributes_count,
    )


def _pb_attributes(pairs: Any, limits: Limits) -> dict[str, Any]:
    return {pair.key: _pb_value(pair.value, limits, 0) for pair in pairs}


def _pb_value(value: AnyValue, limits: Limits, depth: int) -> Any:
    kind = value.WhichOneof("value")
    if kind == "string_value":
        return value.string_value
    if kind is None:
        return None
    if depth > limits.depth:
        raise _too_deep(limits)
    if kind == "array_value":
        return [_pb_value(item, limits, depth + 1) for item in value.array_value.values]
    if kind == "kvlist_value":
        pairs: list[KeyValue] = list(value.kvlist_value.values)
        return {pair.key: _pb_value(pair.value, limits, depth + 1) for pair in pairs}
    if kind == "bytes_value":
        return base64.b64encode(value.bytes_value).decode()
    return getattr(value, kind)


# --- JSON


def _json_span(record: dict[str, Any], batch: _Batch, limits: Limits) -> Span:
    started_at, ended_at = _times(
        _integer(record.get("startTimeUnixNano")),
        _integer(record.get("endTimeUnixNano")),
        batch.arrival,
    )
    status = _get(record, "status")
    return Span(
        app=batch.app,
        trace_id=_id(_hex(record.get("traceId"), 32), 32, "trace"),
        span_id=_id(_hex(record.get("spanId"), 16), 16, "span"),
        parent_id=_parent(_hex(record.get("parentSpanId"), 16)),
        name=_text(record.get("name")),
        kind=_enum(record.get("kind"), 5),
        started_at=started_at,
        ended_at=ended_at,
        status=_enum(_get(status, "code"), 2),
        status_message=_text(_get(status, "message")),
        scope=batch.scope,
        scope_version=batch.scope_version,
        resource=batch.resource,
        attributes=_json_attributes(record.get("attributes"), limits),
        events=tuple(
            SpanEvent(
                name=_text(event.get("name")),
                at=from_number(_integer(event.get("timeUnixNano"))) or started_at,
                attributes=_json_attributes(event.get("attributes"), limits),
            )
            for event in _dicts(record.get("events"))
        ),
        links=tuple(
            SpanLink(
                trace_id=_hex(link.get("traceId"), 32),
                span_id=_hex(link.get("spanId"), 16),
                attributes=_json_attributes(link.get("attributes"), limits),
            )
            for link in _dicts(record.get("links"))
        ),
        dropped=_integer(record.get("droppedAttributesCount"))
        + _integer(record.get("droppedEventsCount")),
    )


def _json_event(record: dict[str, Any], batch: _Batch, limits: Limits) -> LogEvent:
    return _event(
        batch,
        attributes=_json_attributes(record.get("attributes"), limits),
        body=_json_value(record.get("body"), limits, 0),
        name=_text(record.get("eventName")),
        trace_id=_hex(record.get("traceId"), 32),
        span_id=_hex(record.get("spanId"), 16),
        time=_integer(record.get("timeUnixNano")) or _integer(record.get("observedTimeUnixNano")),
        severity=_enum(record.get("severityNumber"), 24),
        dropped=_integer(record.get("droppedAttributesCount")),
    )


def _json_attributes(pairs: Any, limits: Limits) -> dict[str, Any]:
    if isinstance(pairs, dict):  # hand-rolled exporters write {"key": value}
        return {key: value for key, value in pairs.items() if _depth_fits(value, limits.depth)}
    return {
        _text(pair.get("key")): _json_value(pair.get("value"), limits, 0) for pair in _dicts(pairs)
    }


def _json_value(value: Any, limits: Limits, depth: int) -> Any:
    if not isinstance(value, dict):
        return None
    if depth > limits.depth:
        raise _too_deep(limits)
    for key, inner in value.items():
        if key == "stringValue":
            return _text(inner)
        if key == "intValue":
            return _integer(inner)
        if key == "doubleValue":
            return _double(inner)
        if key in {"boolValue", "bytesValue"}:
            return inner
        if key == "arrayValue":
            return [_json_value(item, limits, depth + 1) for item in _dicts(_get(inner, "values"))]
        if key == "kvlistValue":
            return {
                _text(pair.get("key")): _json_value(pair.get("value"), limits, depth + 1)
                for pair in _dicts(_get(inner, "values"))
            }
    return None


def _depth_fits(value: Any, depth: int) -> bool:
    if depth < 0:
        raise _Refused("too_deep", "An attribute value is nested too deeply.")
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return all(_depth_fits(item, depth - 1) for item in inner)


def _hex(value: Any, digits: int) -> str:
    """An id as lower-case hex; naive JSON writers send base64, which has another length."""
    text = _text(value).lower() if len(_text(value)) == digits else _text(value)
    if len(text) == digits or not text:
        return text
    try:
        raw = base64.b64decode(text, validate=True)
    except ValueError:
        return text
    return raw.hex() if len(raw) * 2 == digits else text


def _get(value: Any, key: str) -> Any:
    return value.get(key) if isinstance(value, dict) else None


def _dicts(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, list):
        for item in value:
            if isinstance(item, dict):
                yield item


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _integer(value: Any) -> int:
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int | float):
        return int(value) if abs(value) < 2**64 else 0
    if isinstance(value, str) and len(value) <= 20:
        try:
            return int(value)
        except ValueError:
            return 0
    return 0


def _enum(value: Any, highest: int) -> int:
    number = _integer(value)
    return number if 0 <= number <= highest else 0


def _double(value: Any) -> float | None:
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


# --- both


def _too_deep(limits: Limits) -> _Refused:
    return _Refused(
        "too_deep", f"An attribute value is nested deeper than {limits.depth} levels; flatten it."
    )


def _id(text: str, digits: int, what: str) -> str:
    if len(text) != digits or not _is_hex(text):
        raise _Refused(
            f"bad_{what}_id", f"The {what} id is not {digits} hex digits; it cannot be joined."
        )
    if text.strip("0") == "":
        raise _Refused(f"zero_{what}_id", f"The {what} id is all zero, which OTLP calls invalid.")
    return text


def _is_hex(text: str) -> bool:
    return all(char in "0123456789abcdef" for char in text)


def _parent(text: str) -> str | None:
    return text if len(text) == 16 and _is_hex(text) and text.strip("0") else None


def _times(started: int, ended: int, arrival: Arrival) -> tuple[int, int | None]:
    """Start and end in nanoseconds; a start that is missing is taken from the end, then from the arrival."""
    end = from_number(ended)
    start = from_number(started) or end or arrival.received_at
    return start, None if end is None else max(start, end)


def _event(
    batch: _Batch,
    *,
    attributes: dict[str, Any],
    body: Any,
    name: str,
    trace_id: str,
    span_id: str,
    time: int,
    severity: int,
    dropped: int,
) -> LogEvent:
    name = name or _text(attributes.get("event.name"))
    at = from_number(time) or batch.arrival.received_at
    trace = trace_id if len(trace_id) == 32 and _is_hex(trace_id) and trace_id.strip("0") else None
    span = span_id if trace and len(span_id) == 16 and _is_hex(span_id) else None
    return LogEvent(
        app=batch.app,
        event_id=event_id_of(batch.app, trace, span, name, time, attributes, body),
        trace_id=trace,
        span_id=span,
        name=name,
        at=at,
        severity=severity,
        scope=batch.scope,
        body=body,
        attributes=attributes,
        resource=batch.resource,
        dropped=dropped,
    )
