"""Langfuse's export files: `{"trace": {...}, "observations": [...]}`, or the trace with its observations in it, to spans and outcomes.

An observation becomes a span with the attributes that Langfuse's own SDK would have sent, so that one dialect reads
both; the attributes that the traced library sent are kept beside them. Scores become outcomes.
"""

from __future__ import annotations

from typing import Any, Final

from ingest.dialects.attributes import number_of, parsed, text_of
from ingest.files.chat_outcome import annotator_of, outcome_id_of
from ingest.formats.format import Decoded, Format
from ingest.otlp.record import Arrival
from ingest.records.moments import from_any
from ingest.records.outcome import Outcome
from ingest.records.span import STATUS_ERROR, Span
from ingest.records.text import Json, json_text, objects_in

_JUDGED_BY: Final = {"API": "unknown", "ANNOTATION": "reviewer", "EVAL": "model"}
_PREFIX: Final = "langfuse.observation."


def claims(value: Json) -> bool:
    """Whether a value is an exported trace."""
    if not isinstance(value, dict) or not isinstance(value.get("observations"), list):
        return False
    if isinstance(value.get("trace"), dict):
        return True
    first = next(iter(objects_in(value["observations"])), {})
    own = text_of(value.get("id"))
    return own is not None and first.get("traceId") == own and "type" in first


def read(value: Json, arrival: Arrival) -> Decoded:
    """Read one exported trace."""
    inside = value.get("trace")
    trace = inside if isinstance(inside, dict) else value
    app = arrival.app_for(_service(trace, value["observations"]))
    trace_id = text_of(trace.get("id")) or "unnamed"
    export = Decoded()
    shared = _trace_attributes(trace)
    for observation in objects_in(value["observations"]):
        export.spans.append(_span(observation, shared, app, trace_id, arrival))
    for score in objects_in(trace.get("scores")):
        export.outcomes += _outcome(score, app, trace_id)
    for observation in objects_in(value["observations"]):
        for score in objects_in(observation.get("scores")):
            export.outcomes += _outcome(score, app, trace_id)
    return export


def _metadata(record: dict[str, Any]) -> dict[str, Any]:
    metadata = parsed(record.get("metadata"))
    return metadata if isinstance(metadata, dict) else {}


def _inner(metadata: dict[str, Any], key: str) -> dict[str, Any]:
    inner = parsed(metadata.get(key))
    return inner if isinstance(inner, dict) else {}


def _service(trace: dict[str, Any], observations: Json) -> str | None:
    for record in (trace, *objects_in(observations)):
        name = text_of(_inner(_metadata(record), "resourceAttributes").get("service.name"))
        if name and not name.startswith("unknown_service"):
            return name
    return None


def _trace_attributes(trace: dict[str, Any]) -> dict[str, Any]:
    attributes: dict[str, Any] = {
        "langfuse.session.id": trace.get("sessionId"),
        "langfuse.user.id": trace.get("userId"),
        "langfuse.trace.name": trace.get("name"),
        "langfuse.environment": trace.get("environment"),
    }
    for key, value in _metadata(trace).items():
        if isinstance(value, str | int | float | bool):
            attributes[f"langfuse.trace.metadata.{key}"] = value
    return {key: value for key, value in attributes.items() if value is not None}


def _span(
    observation: dict[str, Any],
    shared: dict[str, Any],
    app: str,
    trace_id: str,
    arrival: Arrival,
) -> Span:
    metadata = _metadata(observation)
    own: dict[str, Any] = {
        "type": str(observation.get("type") or "span").lower(),
        "input": observation.get("input"),
        "output": observation.get("output"),
        "level": observation.get("level"),
        "status_message": observation.get("statusMessage"),
        "model.name": observation.get("model"),
        "usage_details": observation.get("usageDetails") or observation.get("usage"),
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
    started_at = from_any(observation.get("startTime")) or arrival.received_at
    return Span(
        app=app,
        trace_id=trace_id,
        span_id=text_of(observation.get("id")) or "unnamed",
        parent_id=text_of(observation.get("parentObservationId")),
        name=text_of(observation.get("name")) or "",
        started_at=started_at,
        ended_at=from_any(observation.get("endTime")),
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
    session, observation = text_of(score.get("sessionId")), text_of(score.get("observationId"))
    trace = text_of(score.get("traceId")) or trace_id
    kind, target = "trace", trace
    if observation:
        kind, target = "span", f"{trace}:{observation}"
    elif session and not score.get("traceId"):
        kind, target = "conversation", session
    by = annotator_of(text_of(_metadata(score).get("by"))) if _metadata(score).get("by") else None
    by = by or _JUDGED_BY.get(str(score.get("source")), "unknown")
    text_value = text_of(score.get("stringValue"))
    correction = str(score.get("dataType")) == "CORRECTION"
    return [
        Outcome(
            app=app,
            outcome_id=outcome_id_of(
                app, text_of(score.get("id")) or f"{kind}:{target}", name, by, "langfuse"
            ),
            target_kind=kind,
            target_id=target,
            episode_id=None,
            name=name,
            value=None if correction else number_of(score.get("value")),
            label=None if correction else text_value,
            text=text_of(score.get("comment")),
            correction=text_value if correction else None,
            by=by,
            author=text_of(score.get("authorUserId")),
            at=from_any(score.get("timestamp")),
            source="langfuse",
        )
    ]


FORMAT: Final = Format(
    name="langfuse_export",
    title="a Langfuse export",
    keys=("trace", "observations"),
    claims=claims,
    read=read,
    parted_at="observations",
)
