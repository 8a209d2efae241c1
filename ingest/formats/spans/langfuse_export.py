"""Langfuse's export files to spans and outcomes: `{"trace": {...}, "observations": [...]}`, the trace with its observations in it, or the rows of its tables.

An observation becomes a span with the attributes that Langfuse's own SDK would have sent, so that one dialect reads
both; the attributes that the traced library sent are kept beside them. Scores become outcomes.
"""

from __future__ import annotations

from typing import Any, Final

from ingest.dialects.attributes import number_of, parsed, text_of
from ingest.files.chat_outcome import annotator_of
from ingest.formats.format import Decoded, Format
from ingest.formats.records.verdicts import outcome_about
from ingest.formats.records.words import snake_case
from ingest.otlp.record import Arrival
from ingest.records.moments import from_any
from ingest.records.outcome import Outcome
from ingest.records.span import STATUS_ERROR, Span
from ingest.records.text import Json, json_text, objects_in

_PREFIX: Final = "langfuse.observation."
_OF_TRACE: Final = ("session_id", "user_id")


def claims(value: Json) -> bool:
    """Whether a value is an exported trace, or a row of one of the tables that make it up."""
    if not isinstance(value, dict):
        return False
    if isinstance(value.get("observations"), list):
        first = next(iter(objects_in(value["observations"])), {})
        own = text_of(value.get("id"))
        is_named = own is not None and first.get("traceId") == own and "type" in first
        return is_named or isinstance(value.get("trace"), dict) or _table(value) == "traces"
    return _table(value) is not None


def _table(value: dict[str, Any]) -> str | None:
    """Which table a row is of, by the columns that no other platform has together."""
    row = _in_snake_case(value)
    keys = row.keys()
    if {"trace_id", "start_time", "level"} <= keys and str(row.get("type")).isupper():
        return "observations"
    if {"name", "source", "data_type"} <= keys and not keys.isdisjoint(("trace_id", "session_id")):
        return "scores"
    return "traces" if {"id", "timestamp", "tags", "public"} <= keys else None


def read(value: Json, arrival: Arrival) -> Decoded:
    """Read one exported trace, or one row."""
    table = _table(value)
    row = _in_snake_case(value)
    if table == "scores":
        return Decoded(outcomes=_outcome(row, arrival.app_for(None), ""))
    if table == "observations":
        # A trace of another file may not say whose service it is, so that the file's app has to be both's.
        shared = _trace_attributes({key: row.get(key) for key in _OF_TRACE})
        trace_id = text_of(row["trace_id"]) or "unnamed"
        return Decoded(spans=[_span(row, shared, arrival.app_for(None), trace_id, arrival)])
    inside = row.get("trace")
    trace = _in_snake_case(inside) if isinstance(inside, dict) else row
    observations = [_in_snake_case(one) for one in objects_in(row.get("observations"))]
    app = arrival.app_for(_service(trace, observations))
    trace_id = text_of(trace.get("id")) or "unnamed"
    export = Decoded()
    shared = _trace_attributes(trace)
    if not observations and table == "traces":
        whole = {**trace, "type": "trace", "start_time": trace.get("timestamp")}
        export.spans.append(_span(whole, shared, app, trace_id, arrival))
    for observation in observations:
        export.spans.append(_span(observation, shared, app, trace_id, arrival))
    for record in (trace, *observations):
        for score in objects_in(record.get("scores")):
            export.outcomes += _outcome(_in_snake_case(score), app, trace_id)
    return export


def _in_snake_case(record: dict[str, Any]) -> dict[str, Any]:
    """A record's fields in one spelling: the API writes `traceId`, a storage export `trace_id`."""
    return {snake_case(key): value for key, value in record.items()}


def _metadata(record: dict[str, Any]) -> dict[str, Any]:
    metadata = parsed(record.get("metadata"))
    return metadata if isinstance(metadata, dict) else {}


def _inner(metadata: dict[str, Any], key: str) -> dict[str, Any]:
    inner = parsed(metadata.get(key))
    return inner if isinstance(inner, dict) else {}


def _service(trace: dict[str, Any], observations: list[dict[str, Any]]) -> str | None:
    for record in (trace, *observations):
        name = text_of(_inner(_metadata(record), "resourceAttributes").get("service.name"))
        if name and not name.startswith("unknown_service"):
            return name
    return None


def _trace_attributes(trace: dict[str, Any]) -> dict[str, Any]:
    attributes: dict[str, Any] = {
        "langfuse.session.id": trace.get("session_id"),
        "langfuse.user.id": trace.get("user_id"),
        "langfuse.trace.name": trace.get("name"),
        "langfuse.environment": trace.get("environment"),
    }
    for key, value in _metadata(trace).items():
        if isinstance(value, str | int | float | bool):
            attributes[f"langfuse.trace.metadata.{key}"] = value
    return {key: value for key, value in attributes.items() if value is not None}


def _span(
    observation: dict[str, Any], shared: dict[str, Any], app: str, trace_id: str, arrival: Arrival
) -> Span:
    metadata = _metadata(observation)
    own: dict[str, Any] = {
        "type": str(observation.get("type") or "span").lower(),
        "input": observation.get("input"),
        "output": observation.get("output"),
        "level": observation.get("level"),
        "status_message": observation.get("status_message"),
        "model.name": observation.get("model"),
        "usage_details": observation.get("usage_details") or observation.get("usage"),
    }
    for key, value in metadata.items():
        if key not in {"attributes", "resourceAttributes", "scope"}:
            own[f"metadata.{key}"] = value
    attributes = {
        **_inner(metadata, "attributes"),
        **shared,
        **{_PREFIX + key: _as_attribute(value) for key, value in own.items() if value is not None},
    }
    scope = _inner(metadata, "scope")
    started_at = from_any(observation.get("start_time")) or arrival.received_at
    return Span(
        app=app,
        trace_id=trace_id,
        span_id=text_of(observation.get("id")) or "unnamed",
        parent_id=text_of(observation.get("parent_observation_id")),
        name=text_of(observation.get("name")) or "",
        started_at=started_at,
        ended_at=from_any(observation.get("end_time")),
        status=STATUS_ERROR if observation.get("level") == "ERROR" else 0,
        scope=text_of(scope.get("name")) or "",
        scope_version=text_of(scope.get("version")) or "",
        resource=_inner(metadata, "resourceAttributes"),
        attributes=attributes,
    )


def _as_attribute(value: Json) -> Json:
    return json_text(value) if isinstance(value, dict | list) else value


def _outcome(score: dict[str, Any], app: str, trace_id: str) -> list[Outcome]:
    name = text_of(score.get("name"))
    if name is None:
        return []
    session, observation = text_of(score.get("session_id")), text_of(score.get("observation_id"))
    trace = text_of(score.get("trace_id")) or trace_id
    kind, target = "trace", trace
    if observation:
        kind, target = "span", f"{trace}:{observation}"
    elif session and not score.get("trace_id"):
        kind, target = "conversation", session
    word = text_of(score.get("string_value"))
    is_correction = score.get("data_type") == "CORRECTION"
    told = (
        {"correction": word}
        if is_correction
        else {"value": number_of(score.get("value")), "label": word}
    )
    said = {
        **told,
        "name": name,
        "by": annotator_of(text_of(_metadata(score).get("by") or score.get("source"))),
        "id": text_of(score.get("id")),
        "comment": text_of(score.get("comment")),
        "author": text_of(score.get("author_user_id")),
    }
    at = from_any(score.get("timestamp"))
    return [outcome_about((kind, target), said, app=app, source="langfuse", at=at)]


FORMAT: Final = Format(
    name="langfuse_export",
    title="a Langfuse export",
    keys=("trace", "observations"),
    claims=claims,
    read=read,
    parted_at="observations",
)
