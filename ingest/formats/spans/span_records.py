"""Spans as JSON objects, one each: Phoenix' and OpenInference's exports, data frames of them, OpenTelemetry's console exporter and its rows in ClickHouse.

Comes in: one span under any of the names in use: ids in `context` or beside the name, attributes flat (`llm.model_name`) or
nested (`{"llm": {"model_name"}}`), times as text or numbers. Goes out: the span, with its attributes as the client sent
them, so that the dialects read it like any other.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from ingest.dialects.attributes import read_shown
from ingest.formats.format import Decoded, Format
from ingest.formats.records.words import snake_case
from ingest.formats.unknown import refuse
from ingest.otlp.record import Arrival, text_of
from ingest.records.moments import from_any
from ingest.records.span import STATUS_ERROR, STATUS_OK, Span, SpanEvent, SpanLink
from ingest.records.text import Json, json_text

_FLAT: Final = ("attributes.", "context.")
_TRACE: Final = ("context.trace_id", "trace_id", "traceid")
_SPAN: Final = ("context.span_id", "span_id", "spanid")
_PARENT: Final = ("parent_id", "parent_span_id", "parentid", "parentspanid")
_ATTRIBUTES: Final = ("attributes", "span_attributes")
_START: Final = ("start_time", "start_time_unix_nano", "started_at", "timestamp")
_END: Final = ("end_time", "end_time_unix_nano", "ended_at")
_KIND: Final = "openinference.span.kind"
_KINDS: Final = frozenset(
    {"LLM", "TOOL", "AGENT", "CHAIN", "RETRIEVER"}
    | {"RERANKER", "EMBEDDING", "GUARDRAIL", "EVALUATOR", "PROMPT"}
)
_OTEL_KINDS: Final = {"INTERNAL": 1, "SERVER": 2, "CLIENT": 3, "PRODUCER": 4, "CONSUMER": 5}
_LISTED: Final = ("llm.", "retrieval.", "reranker.", "embedding.")
"""Where OpenInference flattens lists of objects; other lists are values of their own."""
_WHOLE: Final = frozenset(
    {"input.value", "output.value", "metadata", "exception"}
    | {"llm.invocation_parameters", "llm.function_call", "tool_call.function.arguments"}
    | {"tool.parameters", "tool.json_schema"}
)
"""Attributes that are one value, however much stands in it; OpenInference sends them as JSON text."""
_DEEPEST: Final = 24


def claims(value: Json) -> bool:
    """Whether a value is one span."""
    if not isinstance(value, dict):
        return False
    names = _names(value)
    if _first_named(names, _TRACE) is None or _first_named(names, _SPAN) is None:
        return False
    return any(isinstance(names.get(key), dict | str) for key in _ATTRIBUTES) or any(
        key.startswith(_FLAT[0]) for key in value
    )


def is_child(value: dict[str, Any]) -> bool:
    """Whether a value is a span that names its parent; a link names a span and none."""
    return claims(value) and _first_named(_names(value), _PARENT) is not None


def read(value: Json, arrival: Arrival) -> Decoded:
    """Read one span."""
    names = _names(value)
    started_at = next((t for key in _START if (t := from_any(names.get(key)))), None)
    trace_id, span_id = _id(_first_named(names, _TRACE)), _id(_first_named(names, _SPAN))
    if trace_id is None or span_id is None:
        return Decoded(rejected=[refuse(value, arrival)])
    attributes = _attributes(value, names)
    kind = str(names.get("span_kind") or names.get("kind") or "").rpartition(".")[2].upper()
    if kind in _KINDS:
        attributes.setdefault(_KIND, kind)
    told = names.get("resource", names.get("resource_attributes"))
    inner = told.get("attributes", told) if isinstance(told, dict) else None
    resource = dict(inner) if isinstance(inner, dict) else {}
    service = resource.get("service.name")
    code, message = _status(names)
    span = Span(
        app=arrival.app_for(service if isinstance(service, str) else None),
        trace_id=trace_id,
        span_id=span_id,
        parent_id=_id(_first_named(names, _PARENT)),
        name=text_of(names.get("name")) or text_of(names.get("span_name")),
        kind=_OTEL_KINDS.get(kind, 0),
        started_at=started_at or arrival.received_at,
        ended_at=next((t for key in _END if (t := from_any(names.get(key)))), None),
        status=code,
        status_message=message,
        scope=_scope(names),
        resource=resource,
        attributes=attributes,
        events=tuple(
            _events(_read_as_python(names.get("events")), started_at or arrival.received_at)
        ),
        links=tuple(_links(names.get("links"))),
    )
    return Decoded(spans=[span])


def _names(value: dict[str, Any]) -> dict[str, Any]:
    """A span's fields in one spelling; those of `context` beside the others."""
    names = {
        key if key.startswith(_FLAT) else snake_case(key): one
        for key, one in value.items()
        if isinstance(key, str)
    }
    context = value.get("context")
    if isinstance(context, dict):
        names |= {f"context.{snake_case(key)}": one for key, one in context.items()}
    return names


def _first_named(names: dict[str, Any], keys: tuple[str, ...]) -> Json:
    return next((names[key] for key in keys if names.get(key)), None)


def _id(value: Json) -> str | None:
    """An id as text; OpenTelemetry's exporters write `0x` before it."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    text = str(value).strip().lower().removeprefix("0x")
    return text or None


def _status(names: dict[str, Any]) -> tuple[int, str]:
    status = names.get("status")
    told = status if isinstance(status, dict) else {}
    word = names.get("status_code") or told.get("status_code") or told.get("code") or status
    message = names.get("status_message") or told.get("description") or told.get("message")
    if isinstance(word, int) and not isinstance(word, bool):
        return (word if word in {STATUS_OK, STATUS_ERROR} else 0), text_of(message)
    last = text_of(word).rpartition(".")[2].rpartition("_")[2].upper()
    return {"OK": STATUS_OK, "ERROR": STATUS_ERROR}.get(last, 0), text_of(message)


def _scope(names: dict[str, Any]) -> str:
    for key in ("scope", "instrumentation_scope", "instrumentation_info", "scope_name"):
        scope = names.get(key)
        if isinstance(scope, dict):
            return text_of(scope.get("name"))
        if isinstance(scope, str):
            return scope
    return ""


def _attributes(value: dict[str, Any], names: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for nested in (names.get(key) for key in _ATTRIBUTES):
        if isinstance(nested, dict):
            _flatten("", nested, found, 0)
    for key, one in value.items():
        if key.startswith(_FLAT[0]) and one is not None:
            _flatten(key.removeprefix(_FLAT[0]), _read_as_python(one), found, 0)
    return found


def _read_as_python(cell: Json) -> Json:
    """What a cell holds: of a table that Python wrote, a list of objects in Python's notation."""
    is_list = isinstance(cell, str) and cell.startswith("[{'")
    return read_shown(cell) if is_list else cell


def _flatten(path: str, value: Json, found: dict[str, Any], depth: int) -> None:
    """Put a value under the name that a client would have sent it by."""
    whole = path in _WHOLE or any(path.endswith(f".{name}") for name in _WHOLE)
    if whole or depth > _DEEPEST or not isinstance(value, dict | list):
        structured = isinstance(value, dict | list)
        if value is not None:
            found[path] = json_text(value) if structured else value
    elif isinstance(value, dict):
        for key, inner in value.items():
            _flatten(f"{path}.{key}" if path else str(key), inner, found, depth + 1)
    elif path.startswith(_LISTED) and any(isinstance(one, dict) for one in value):
        for index, inner in enumerate(value):
            _flatten(f"{path}.{index}", inner, found, depth + 1)
    else:
        found[path] = value


def _events(value: Json, at: int) -> Iterator[SpanEvent]:
    for own in value if isinstance(value, list) else ():
        if isinstance(own, dict):
            event = _names(own)
            attributes = event.get("attributes")
            yield SpanEvent(
                name=text_of(event.get("name")),
                at=from_any(event.get("timestamp") or event.get("time")) or at,
                attributes=attributes if isinstance(attributes, dict) else {},
            )


def _links(value: Json) -> Iterator[SpanLink]:
    for link in value if isinstance(value, list) else ():
        if isinstance(link, dict):
            names = _names(link)
            trace_id, span_id = _id(_first_named(names, _TRACE)), _id(_first_named(names, _SPAN))
            attributes = link.get("attributes")
            if trace_id and span_id:
                yield SpanLink(
                    trace_id=trace_id,
                    span_id=span_id,
                    attributes=attributes if isinstance(attributes, dict) else {},
                )


FORMAT: Final = Format(
    name="span_records",
    title="spans of Phoenix, OpenInference or OpenTelemetry's console exporter",
    keys=("context", "attributes", "span_kind"),
    claims=claims,
    read=read,
)
