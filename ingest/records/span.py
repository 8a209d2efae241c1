"""The span and the log event: OpenTelemetry's records as the lake keeps them, whichever dialect they speak.

Come from `ingest.otlp.protobuf` (request bodies and files) and `ingest.formats.spans.langfuse_export`; go to `ingest.assembly.assemble`.
Nothing here knows what an attribute means: that is `ingest.dialects`' job.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import orjson
import pyarrow as pa

from ingest.records.moments import day_of

Attributes = Mapping[str, Any]
"""Attribute values as OTLP has them: str, bool, int, float, None, lists and dicts of these; bytes as base64 text."""

SERVER: Final = 2
"""OTLP's kind of a span that answers a remote request."""
STATUS_OK: Final = 1
STATUS_ERROR: Final = 2
IF_ASKED: Final = "tracegym.tool.if_asked"
"""The attribute of a span that is a tool's run only where a model asked for the tool."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanEvent:
    """One event on a span."""

    name: str
    at: int
    attributes: Attributes = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanLink:
    """One link from a span to another."""

    trace_id: str
    span_id: str
    attributes: Attributes = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """One span; (app, trace_id, span_id) is its identity."""

    app: str
    trace_id: str
    """Lower-case hex for OTLP; as given where an export uses ids of its own."""
    span_id: str
    parent_id: str | None = None
    name: str = ""
    kind: int = 0
    started_at: int
    """Nanoseconds since the epoch."""
    ended_at: int | None = None
    status: int = 0
    """OTLP's code: 0 unset, 1 ok, 2 error."""
    status_message: str = ""
    scope: str = ""
    scope_version: str = ""
    resource: Attributes = field(default_factory=dict)
    attributes: Attributes = field(default_factory=dict)
    events: tuple[SpanEvent, ...] = ()
    links: tuple[SpanLink, ...] = ()
    dropped: int = 0
    """How many attributes and events the sender says it left out."""

    @property
    def key(self) -> tuple[str, str]:
        """What identifies the span within its app."""
        return self.trace_id, self.span_id


@dataclass(frozen=True, slots=True, kw_only=True)
class LogEvent:
    """One log record that may carry content or an outcome."""

    app: str
    event_id: str
    """Digest of what was said, where and when: a log record has no id of its own."""
    trace_id: str | None = None
    span_id: str | None = None
    name: str = ""
    """`event_name`, else the attribute `event.name`."""
    at: int = 0
    severity: int = 0
    scope: str = ""
    body: Any = None
    attributes: Attributes = field(default_factory=dict)
    resource: Attributes = field(default_factory=dict)
    dropped: int = 0


def event_id_of(*parts: object) -> str:
    """The identity of a log event: 32 hex digits over everything it says."""
    return hashlib.sha256(sorted_json(parts).encode()).hexdigest()[:32]


PROMOTED_TEXTS: Final = (
    "gen_ai.operation.name",
    "gen_ai.provider.name",
    "gen_ai.request.model",
    "gen_ai.response.model",
    "gen_ai.response.id",
    "gen_ai.conversation.id",
    "gen_ai.agent.name",
    "gen_ai.system_instructions",
    "gen_ai.input.messages",
    "gen_ai.output.messages",
    "gen_ai.tool.definitions",
    "gen_ai.tool.name",
    "gen_ai.tool.call.id",
    "gen_ai.tool.call.arguments",
    "gen_ai.tool.call.result",
    "session.id",
    "user.id",
    "error.type",
    "input.value",
    "output.value",
)
"""Attributes with a column of their own where they are text: what questions ask for, and what is long."""

PROMOTED_COUNTS: Final = ("gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens")
"""Attributes with a column of their own where they are whole numbers."""


def column_of(attribute: str) -> str:
    """The name of a promoted attribute's column."""
    return attribute.replace(".", "_")


_MOST_DROPPED: Final = 2**31 - 1
_INT64: Final = range(-(2**63), 2**63)

_SPAN_COLUMNS: Final[list[tuple[str, pa.DataType]]] = [
    ("app", pa.string()),
    ("day", pa.string()),
    ("trace_id", pa.string()),
    ("span_id", pa.string()),
    ("parent_id", pa.string()),
    ("name", pa.string()),
    ("kind", pa.int8()),
    ("started_at", pa.int64()),
    ("ended_at", pa.int64()),
    ("status", pa.int8()),
    ("status_message", pa.string()),
    ("scope", pa.string()),
    ("scope_version", pa.string()),
    ("resource", pa.string()),
    ("attributes", pa.string()),
    ("events", pa.string()),
    ("links", pa.string()),
    ("dropped", pa.int32()),
    *((column_of(name), pa.string()) for name in PROMOTED_TEXTS),
    *((column_of(name), pa.int64()) for name in PROMOTED_COUNTS),
]

SPAN_SCHEMA: Final = pa.schema(_SPAN_COLUMNS)
"""The lake table `spans`, partitioned by app and day; free-form values are JSON text.

An attribute stands in its promoted column or among `attributes`, never in both.
"""

_EVENT_COLUMNS: Final[list[tuple[str, pa.DataType]]] = [
    ("app", pa.string()),
    ("day", pa.string()),
    ("event_id", pa.string()),
    ("trace_id", pa.string()),
    ("span_id", pa.string()),
    ("name", pa.string()),
    ("at", pa.int64()),
    ("severity", pa.int8()),
    ("scope", pa.string()),
    ("body", pa.string()),
    ("attributes", pa.string()),
    ("resource", pa.string()),
    ("dropped", pa.int32()),
]

EVENT_SCHEMA: Final = pa.schema(_EVENT_COLUMNS)
"""The lake table `events`, partitioned by app and day."""


def span_row(span: Span) -> dict[str, Any]:
    """The span as a row of `SPAN_SCHEMA`."""
    promoted = promoted_columns(span.attributes)
    rest = {k: v for k, v in span.attributes.items() if promoted.get(column_of(k)) is None}
    return {
        "app": span.app,
        "day": day_of(span.started_at),
        "trace_id": span.trace_id,
        "span_id": span.span_id,
        "parent_id": span.parent_id,
        "name": span.name,
        "kind": _code(span.kind),
        "started_at": span.started_at,
        "ended_at": span.ended_at,
        "status": _code(span.status),
        "status_message": span.status_message,
        "scope": span.scope,
        "scope_version": span.scope_version,
        "resource": sorted_json(span.resource),
        "attributes": sorted_json(rest),
        "events": sorted_json([[e.name, e.at, e.attributes] for e in span.events]),
        "links": sorted_json(
            [[link.trace_id, link.span_id, link.attributes] for link in span.links]
        ),
        "dropped": min(span.dropped, _MOST_DROPPED),
        **promoted,
    }


def _code(value: int) -> int:
    """One of OTLP's small numbers; a number that no version has must not keep a whole body from the lake."""
    return value if 0 <= value < 128 else 0


def promoted_columns(attributes: Attributes) -> dict[str, Any]:
    """The columns of the promoted attributes; None where one is missing or of another type."""
    columns: dict[str, Any] = {}
    for name in PROMOTED_TEXTS:
        value = attributes.get(name)
        columns[column_of(name)] = value if isinstance(value, str) and _is_utf8(value) else None
    for name in PROMOTED_COUNTS:
        value = attributes.get(name)
        whole = isinstance(value, int) and not isinstance(value, bool) and value in _INT64
        columns[column_of(name)] = value if whole else None
    return columns


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False  # a lone surrogate: JSON text can hold it, a column cannot
    return True


def span_of_row(row: Mapping[str, Any]) -> Span:
    """The span that a row of `SPAN_SCHEMA` holds."""
    return Span(
        app=row["app"],
        trace_id=row["trace_id"],
        span_id=row["span_id"],
        parent_id=row["parent_id"],
        name=row["name"],
        kind=row["kind"],
        started_at=row["started_at"],
        ended_at=row["ended_at"],
        status=row["status"],
        status_message=row["status_message"],
        scope=row["scope"],
        scope_version=row["scope_version"],
        resource=orjson.loads(row["resource"]),
        attributes=orjson.loads(row["attributes"]) | _promoted(row),
        events=tuple(
            SpanEvent(name=name, at=at, attributes=attributes)
            for name, at, attributes in orjson.loads(row["events"])
        ),
        links=tuple(
            SpanLink(trace_id=trace_id, span_id=span_id, attributes=attributes)
            for trace_id, span_id, attributes in orjson.loads(row["links"])
        ),
        dropped=row["dropped"],
    )


def _promoted(row: Mapping[str, Any]) -> dict[str, Any]:
    # Rows that were written before a column existed hold the attribute among the others.
    names = (*PROMOTED_TEXTS, *PROMOTED_COUNTS)
    return {name: row[c] for name in names if row.get(c := column_of(name)) is not None}


def event_row(event: LogEvent) -> dict[str, Any]:
    """The log event as a row of `EVENT_SCHEMA`."""
    return {
        "app": event.app,
        "day": day_of(event.at),
        "event_id": event.event_id,
        "trace_id": event.trace_id,
        "span_id": event.span_id,
        "name": event.name,
        "at": event.at,
        "severity": _code(event.severity),
        "scope": event.scope,
        "body": sorted_json(event.body),
        "attributes": sorted_json(event.attributes),
        "resource": sorted_json(event.resource),
        "dropped": min(event.dropped, _MOST_DROPPED),
    }


def event_of_row(row: Mapping[str, Any]) -> LogEvent:
    """The log event that a row of `EVENT_SCHEMA` holds."""
    return LogEvent(
        app=row["app"],
        event_id=row["event_id"],
        trace_id=row["trace_id"],
        span_id=row["span_id"],
        name=row["name"],
        at=row["at"],
        severity=row["severity"],
        scope=row["scope"],
        body=orjson.loads(row["body"]),
        attributes=orjson.loads(row["attributes"]),
        resource=orjson.loads(row["resource"]),
        dropped=row["dropped"],
    )


def sorted_json(value: object) -> str:
    """JSON text with its keys in order: equal for equal values."""
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()
    except TypeError:
        # Integers beyond 64 bits, which only the slower reader lets in.
        return json.dumps(value, sort_keys=True, default=str)
