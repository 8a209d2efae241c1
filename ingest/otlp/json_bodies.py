"""OTLP/JSON bodies to spans and log events, with a mapper of our own.

Comes in: one parsed body. Goes out: `OtlpRecords`. Ids are hex (base64 from naive writers is taken too), numbers may
be text, unknown fields are ignored. protobuf's `json_format` is not used: hostile nesting got past its limit twice.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

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
    text_of,
    times_of,
    too_deep,
    too_many,
)
from ingest.records.moments import from_number
from ingest.records.span import LogEvent, Span, SpanEvent, SpanLink
from ingest.records.text import Json

_KEYS: Final = {
    "traces": ("resourceSpans", "scopeSpans", "spans"),
    "logs": ("resourceLogs", "scopeLogs", "logRecords"),
}


def read_json(
    value: Json, signal: str, arrival: Arrival, *, limits: Limits = DEFAULT_LIMITS
) -> OtlpRecords:
    """Map one parsed OTLP/JSON body; unknown fields are ignored, as the protocol asks."""
    read = _span if signal == "traces" else _event
    found = OtlpRecords()
    total = 0
    for batch, records in _batches(value, signal, arrival, limits):
        for number, record in enumerate(records, start=1):
            total += 1
            if total > limits.records:
                raise too_many(limits)
            keep(found, batch, number=number, raw=record, read=partial(read, record, batch, limits))
    return found


def _batches(
    value: Json, signal: str, arrival: Arrival, limits: Limits
) -> Iterator[tuple[Batch, Iterator[dict[str, Any]]]]:
    outer, middle, inner = _KEYS[signal]
    for resource_batch in _dicts(_get(value, outer)):
        try:
            resource = _attributes(_get(_get(resource_batch, "resource"), "attributes"), limits)
        except RecordRefusedError:
            resource = {}  # a broken resource alone loses none of its records
        for scope_batch in _dicts(_get(resource_batch, middle)):
            scope = _get(scope_batch, "scope")
            batch = Batch(
                app=app_of(arrival, resource),
                resource=resource_of(arrival, resource),
                scope=text_of(_get(scope, "name")),
                scope_version=text_of(_get(scope, "version")),
                arrival=arrival,
            )
            yield batch, _dicts(_get(scope_batch, inner))


def _span(record: dict[str, Any], batch: Batch, limits: Limits) -> Span:
    times = times_of(
        _integer(record.get("startTimeUnixNano")),
        _integer(record.get("endTimeUnixNano")),
        batch.arrival,
    )
    status = _get(record, "status")
    return Span(
        app=batch.app,
        trace_id=checked_id(_hex(record.get("traceId"), 32), 32, "trace"),
        span_id=checked_id(_hex(record.get("spanId"), 16), 16, "span"),
        parent_id=parent_of(_hex(record.get("parentSpanId"), 16)),
        name=text_of(record.get("name")),
        kind=_enum(record.get("kind"), 5),
        started_at=times.started_at,
        ended_at=times.ended_at,
        status=_enum(_get(status, "code"), 2),
        status_message=text_of(_get(status, "message")),
        scope=batch.scope,
        scope_version=batch.scope_version,
        resource=batch.resource,
        attributes=_attributes(record.get("attributes"), limits),
        events=tuple(
            SpanEvent(
                name=text_of(event.get("name")),
                at=from_number(_integer(event.get("timeUnixNano"))) or times.started_at,
                attributes=_attributes(event.get("attributes"), limits),
            )
            for event in _dicts(record.get("events"))
        ),
        links=tuple(
            SpanLink(
                trace_id=_hex(link.get("traceId"), 32),
                span_id=_hex(link.get("spanId"), 16),
                attributes=_attributes(link.get("attributes"), limits),
            )
            for link in _dicts(record.get("links"))
        ),
        dropped=_integer(record.get("droppedAttributesCount"))
        + _integer(record.get("droppedEventsCount")),
    )


def _event(record: dict[str, Any], batch: Batch, limits: Limits) -> LogEvent:
    return event_of(
        RawEvent(
            attributes=_attributes(record.get("attributes"), limits),
            body=_value(record.get("body"), limits, 0),
            name=text_of(record.get("eventName")),
            trace_id=_hex(record.get("traceId"), 32),
            span_id=_hex(record.get("spanId"), 16),
            time=_integer(record.get("timeUnixNano"))
            or _integer(record.get("observedTimeUnixNano")),
            severity=_enum(record.get("severityNumber"), 24),
            dropped=_integer(record.get("droppedAttributesCount")),
        ),
        batch,
    )


def _attributes(pairs: Json, limits: Limits) -> dict[str, Any]:
    if isinstance(pairs, dict):  # hand-rolled exporters write {"key": value}
        return {key: value for key, value in pairs.items() if _depth_fits(value, limits.depth)}
    return {
        text_of(pair.get("key")): _value(pair.get("value"), limits, 0) for pair in _dicts(pairs)
    }


def _value(value: Json, limits: Limits, depth: int) -> Json:
    if not isinstance(value, dict):
        return None
    if depth > limits.depth:
        raise too_deep(limits)
    for key, inner in value.items():
        if key in _SCALARS:
            return _SCALARS[key](inner)
        if key == "arrayValue":
            return [_value(item, limits, depth + 1) for item in _dicts(_get(inner, "values"))]
        if key == "kvlistValue":
            return {
                text_of(pair.get("key")): _value(pair.get("value"), limits, depth + 1)
                for pair in _dicts(_get(inner, "values"))
            }
    return None


def _depth_fits(value: Json, depth: int) -> bool:
    if depth < 0:
        raise RecordRefusedError("too_deep", "An attribute value is nested too deeply.")
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return all(_depth_fits(item, depth - 1) for item in inner)


def _hex(value: Json, digits: int) -> str:
    """An id as lower-case hex; naive JSON writers send base64, which has another length."""
    text = text_of(value).lower() if len(text_of(value)) == digits else text_of(value)
    if len(text) == digits or not text:
        return text
    try:
        raw = base64.b64decode(text, validate=True)
    except ValueError:
        return text
    return raw.hex() if len(raw) * 2 == digits else text


def _get(value: Json, key: str) -> Json:
    return value.get(key) if isinstance(value, dict) else None


def _dicts(value: Json) -> Iterator[dict[str, Any]]:
    if isinstance(value, list):
        for item in value:
            if isinstance(item, dict):
                yield item


def _integer(value: Json) -> int:
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


def _enum(value: Json, highest: int) -> int:
    number = _integer(value)
    return number if 0 <= number <= highest else 0


def _double(value: Json) -> float | None:
    try:
        return finite(float(value))
    except (TypeError, ValueError, OverflowError):
        return None


def _truth(value: Json) -> bool | None:
    return value if isinstance(value, bool) else None


_SCALARS: Final[dict[str, Callable[[Json], Any]]] = {
    "stringValue": text_of,
    "intValue": _integer,
    "doubleValue": _double,
    "boolValue": _truth,
    "bytesValue": text_of,
}
