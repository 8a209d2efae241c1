"""LangSmith's run and feedback JSON, as the API and exports write them, to spans and outcomes.

A run becomes a span with the attributes that LangSmith's own OpenTelemetry exporter would have sent, so that one dialect
reads both. `session_id` of a run is the project, never the conversation, and is not read; nor are the app's environment
variables among the metadata.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from ingest.dialects.attributes import number_of, parsed, text_of
from ingest.dialects.evaluation import annotator
from ingest.dialects.parts import first_of
from ingest.files.chat_outcome import annotator_of
from ingest.formats.format import Decoded, Format
from ingest.formats.records.fields import Fields
from ingest.formats.records.naming import own_fields
from ingest.formats.records.verdicts import outcome_about, outcomes_of_span
from ingest.otlp.record import Arrival
from ingest.records.app_name import UNNAMED
from ingest.records.moments import from_any
from ingest.records.outcome import Outcome
from ingest.records.right_answer import right_answer
from ingest.records.span import STATUS_ERROR, Span
from ingest.records.text import Json, json_text, objects_in

_JUDGED_BY: Final = {"model": "model", "app": "reviewer"}


def is_run(value: Json) -> bool:
    """Whether a value is a run."""
    return (
        isinstance(value, dict)
        and isinstance(value.get("run_type"), str)
        and "inputs" in value
        and "id" in value
    )


def is_feedback(value: Json) -> bool:
    """Whether a value is a feedback record."""
    return (
        isinstance(value, dict)
        and "run_id" in value
        and "key" in value
        and ("score" in value or "value" in value)
    )


def read_run(run: Json, arrival: Arrival) -> Decoded:
    """The run and the runs inside it."""
    spans: list[Span] = []
    outcomes: list[Outcome] = []
    waiting: list[tuple[dict[str, Any], str | None, str | None]] = [(run, None, None)]
    while waiting:
        one, trace_id, parent_id = waiting.pop()
        span = _span(one, trace_id, parent_id, arrival)
        spans.append(span)
        outcomes += _marks(one, span)
        below = list(objects_in(one.get("child_runs")))
        waiting += [(child, span.trace_id, span.span_id) for child in reversed(below)]
    return Decoded(spans=spans, outcomes=outcomes)


def _marks(run: dict[str, Any], span: Span) -> Iterator[Outcome]:
    """What feedback a run says that it got, by its key; of several marks their mean, or the word that all of them are."""
    marks: dict[str, Json] = {}
    stats = {k: own_fields(told) for k, told in own_fields(run.get("feedback_stats")).items()}
    for name, told in stats.items():
        words = list(own_fields(told.get("values")))
        marks[name] = first_of(told, "avg") if len(words) != 1 else words[0]
    for one in outcomes_of_span(span, Fields(own={"scores": marks})):
        listed = stats.get(one.name, {}).get("sources")
        sources = listed if isinstance(listed, list) else []
        kinds = {str(own_fields(parsed(source)).get("type")) for source in sources}
        by = _JUDGED_BY.get(kinds.pop()) if len(kinds) == 1 else None
        yield replace(one, by=by or annotator(one.name, None))


def read_feedback(value: Json, arrival: Arrival) -> Decoded:
    """What somebody said of a run."""
    name = text_of(value.get("key"))
    run = text_of(value.get("run_id")) or text_of(value.get("trace_id"))
    if name is None or run is None:
        return Decoded()
    app = arrival.app or UNNAMED
    trace = text_of(value.get("trace_id"))
    kind, target = ("span", f"{trace}:{run}") if trace and trace != run else ("trace", run)
    source = value.get("feedback_source")
    source = source if isinstance(source, dict) else {}
    by = _JUDGED_BY.get(str(source.get("type"))) or annotator(name, None)
    stated = value.get("metadata") if isinstance(value.get("metadata"), dict) else {}
    if isinstance(stated, dict) and stated.get("by"):
        by = annotator_of(str(stated["by"]))
    said = {
        "name": name,
        "by": by,
        "id": text_of(value.get("id")),
        "value": number_of(value.get("score")),
        "label": text_of(value.get("value")),
        "comment": text_of(value.get("comment")),
        "correction": right_answer(value.get("correction")),
        "author": text_of(source.get("user_id")),
    }
    at = from_any(value.get("created_at"))
    return Decoded(
        outcomes=[outcome_about((kind, target), said, app=app, source="langsmith", at=at)]
    )


def _span(
    run: dict[str, Any], trace_id: str | None, parent_id: str | None, arrival: Arrival
) -> Span:
    own = text_of(run.get("id")) or "unnamed"
    return Span(
        app=arrival.app_for(None),
        trace_id=text_of(run.get("trace_id")) or trace_id or own,
        span_id=own,
        parent_id=text_of(run.get("parent_run_id")) or parent_id,
        name=text_of(run.get("name")) or "",
        started_at=from_any(run.get("start_time")) or arrival.received_at,
        ended_at=from_any(run.get("end_time")),
        status=STATUS_ERROR if run.get("error") else 0,
        scope="langsmith",
        attributes=_attributes(run),
    )


def _attributes(run: dict[str, Any]) -> dict[str, Any]:
    extra = own_fields(run.get("extra"))
    metadata = own_fields(extra.get("metadata"))
    parameters = own_fields(extra.get("invocation_params"))
    outputs = own_fields(run.get("outputs"))
    result = own_fields(outputs.get("output"))
    given: dict[str, Any] = {
        "langsmith.span.kind": run.get("run_type"),
        "gen_ai.prompt": _text(run.get("inputs")),
        "gen_ai.completion": _text(run.get("outputs")),
        "gen_ai.request.model": metadata.get("ls_model_name")
        or parameters.get("model")
        or parameters.get("model_name"),
        "gen_ai.tool.definitions": _text(parameters.get("tools")),
        "gen_ai.usage.input_tokens": run.get("prompt_tokens"),
        "gen_ai.usage.output_tokens": run.get("completion_tokens"),
        # All runs of one example of a dataset are attempts at it.
        "tracegym.task_key": run.get("reference_example_id"),
        "gen_ai.tool.call.id": extra.get("tool_call_id") or result.get("tool_call_id"),
    }
    for key, value in metadata.items():
        # Upper-case names are the environment variables of the app.
        if isinstance(value, str | int | float | bool) and key != key.upper():
            given[f"langsmith.metadata.{key}"] = value
    return {key: value for key, value in given.items() if value is not None}


def _text(value: Json) -> str | None:
    return None if value in (None, {}, []) else json_text(value)


FORMATS: Final = (
    Format(
        name="langsmith_run",
        title="LangSmith runs",
        keys=("run_type", "inputs", "id"),
        claims=is_run,
        read=read_run,
    ),
    Format(
        name="langsmith_feedback",
        title="LangSmith feedback",
        keys=("run_id", "key", "score"),
        claims=is_feedback,
        read=read_feedback,
    ),
)
