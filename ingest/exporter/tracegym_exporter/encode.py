"""Spans of the OpenTelemetry SDK to an OTLP protobuf body, with no dependency but the SDK.

Comes in: finished spans. Goes out: the bytes of an `ExportTraceServiceRequest` (opentelemetry-proto 1.x; field
numbers never change). Only what OTLP's trace messages need of protobuf's wire format is written here.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Any

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.util.instrumentation import InstrumentationScope

_KIND_OFFSET = 1  # the SDK counts span kinds from 0, OTLP keeps 0 for "unspecified"


def encode_spans(spans: Sequence[ReadableSpan]) -> bytes:
    """One export request with the spans grouped by resource and scope."""
    groups: dict[Resource, dict[InstrumentationScope | None, list[ReadableSpan]]] = {}
    for span in spans:
        by_scope = groups.setdefault(span.resource, {})
        by_scope.setdefault(span.instrumentation_scope, []).append(span)
    return b"".join(
        _bytes(
            1,
            _bytes(1, _attributes(1, resource.attributes))
            + b"".join(
                _bytes(2, _scope(scope) + b"".join(_bytes(2, _span(span)) for span in members))
                for scope, members in by_scope.items()
            ),
        )
        for resource, by_scope in groups.items()
    )


def _scope(scope: InstrumentationScope | None) -> bytes:
    if scope is None:
        return b""
    return _bytes(1, _text(1, scope.name) + _text(2, scope.version or ""))


def _span(span: ReadableSpan) -> bytes:
    context = span.get_span_context()
    if context is None:
        return b""
    parent = span.parent
    return b"".join(
        (
            _bytes(1, context.trace_id.to_bytes(16, "big")),
            _bytes(2, context.span_id.to_bytes(8, "big")),
            _bytes(4, parent.span_id.to_bytes(8, "big")) if parent else b"",
            _text(5, span.name),
            _varint_field(6, span.kind.value + _KIND_OFFSET),
            _fixed64(7, span.start_time or 0),
            _fixed64(8, span.end_time or 0),
            _attributes(9, span.attributes or {}),
            _varint_field(10, span.dropped_attributes),
            b"".join(_bytes(11, _event(event)) for event in span.events),
            _varint_field(12, span.dropped_events),
            b"".join(_bytes(13, _link(link)) for link in span.links),
            _bytes(
                15,
                _text(2, span.status.description or "")
                + _varint_field(3, span.status.status_code.value),
            ),
        )
    )


def _event(event: Any) -> bytes:  # noqa: ANN401 - the SDK names no public type for it
    return (
        _fixed64(1, event.timestamp) + _text(2, event.name) + _attributes(3, event.attributes or {})
    )


def _link(link: Any) -> bytes:  # noqa: ANN401 - as above
    return (
        _bytes(1, link.context.trace_id.to_bytes(16, "big"))
        + _bytes(2, link.context.span_id.to_bytes(8, "big"))
        + _attributes(4, link.attributes or {})
    )


def _attributes(number: int, attributes: Mapping[str, Any]) -> bytes:
    return b"".join(
        _bytes(number, _text(1, key) + _bytes(2, _value(value)))
        for key, value in attributes.items()
    )


def _value(value: Any) -> bytes:  # noqa: ANN401, PLR0911 - one return for each of OTLP's value types
    if value is None:
        return b""
    if isinstance(value, str):
        return _bytes(1, value.encode("utf-8", "replace"))
    if isinstance(value, bool):
        return _tag(2, 0) + _varint(int(value))
    if isinstance(value, int):
        return _tag(3, 0) + _varint(value & (2**64 - 1))
    if isinstance(value, float):
        return _tag(4, 1) + struct.pack("<d", value)
    if isinstance(value, bytes):
        return _bytes(7, value)
    if isinstance(value, Mapping):
        return _bytes(6, _attributes(1, {str(key): inner for key, inner in value.items()}))
    if isinstance(value, Sequence):
        return _bytes(5, b"".join(_bytes(1, _value(item)) for item in value))
    return _bytes(1, str(value).encode("utf-8", "replace"))


def _tag(number: int, wire_type: int) -> bytes:
    return _varint(number << 3 | wire_type)


def _bytes(number: int, value: bytes) -> bytes:
    return _tag(number, 2) + _varint(len(value)) + value


def _text(number: int, text: str) -> bytes:
    return _bytes(number, text.encode("utf-8", "replace")) if text else b""


def _varint_field(number: int, value: int) -> bytes:
    return _tag(number, 0) + _varint(value) if value else b""


def _fixed64(number: int, value: int) -> bytes:
    return _tag(number, 1) + struct.pack("<Q", value)


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
