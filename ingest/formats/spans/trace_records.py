"""Traces as JSON objects: a list of spans, and beside it what goes for the whole trace (MLflow's `Trace.to_dict`, and the like).

Comes in: an object with spans below it, each in a form that `span_records` or `typed_spans` reads and perhaps with the spans below it inside, and
metadata, tags, assessments or marks around them. Goes out: the spans; what the trace says of itself stands on those without a parent.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from ingest.formats.format import Decoded, Format
from ingest.formats.spans import span_records, typed_spans
from ingest.otlp.record import Arrival
from ingest.records.text import Json, json_text, objects_in

NAME: Final = "trace_records"
_DEEPEST: Final = 64
_INFO: Final = ("info", "trace")
_METADATA: Final = ("trace_metadata", "request_metadata", "metadata", "tags", "attributes")


def claims(value: Json) -> bool:
    """Whether a value is a trace with its spans."""
    spans = _spans(value)
    return bool(spans) and any(one.claims(spans[0]) for one in (span_records, typed_spans))


def _spans(value: Json) -> list[dict[str, Any]]:
    if not isinstance(value, dict):
        return []
    data = value.get("data")
    holder = data if isinstance(data, dict) and "spans" in data else value
    return [one for span in objects_in(holder.get("spans")) for one in _with_those_below(span, 0)]


def _with_those_below(span: dict[str, Any], depth: int) -> Iterator[dict[str, Any]]:
    """A span, and behind it the spans that a list in it holds, those in their lists, and so on."""
    yield span
    for listed in span.values() if depth < _DEEPEST else ():
        below = objects_in(listed) if isinstance(listed, list) else []
        if below and span_records.is_child(below[0]):
            for one in below:
                yield from _with_those_below(one, depth + 1)


def read(value: Json, arrival: Arrival) -> Decoded:
    """Read one trace."""
    info = next((value[key] for key in _INFO if isinstance(value.get(key), dict)), value)
    info = info["info"] if isinstance(info.get("info"), dict) else info
    found = Decoded()
    if not span_records.claims(_spans(value)[0]):
        for number, span in enumerate(_spans(value), start=1):
            found.add(typed_spans.read_below(span, info, arrival.nth(number)))
        return found
    shared = _shared(info)
    for number, span in enumerate(_spans(value), start=1):
        nested = span.get("attributes")
        parent = span.get("parent_span_id") or span.get("parent_id")
        own = nested if isinstance(nested, dict) else {}
        whole = span if parent else {**span, "attributes": {**shared, **own}}
        found.add(span_records.read(whole, arrival.nth(number)))
    return found


def _shared(info: dict[str, Any]) -> dict[str, Any]:
    """What a trace says of itself, as attributes of a span."""
    attributes: dict[str, Any] = {}
    for key in _METADATA:
        beside = info.get(key)
        if isinstance(beside, dict):
            attributes |= {k: v for k, v in beside.items() if isinstance(v, str | int | float)}
    assessments = [
        {**one, "name": one.get("assessment_name", one.get("name"))}
        for one in objects_in(info.get("assessments"))
    ]
    if assessments:
        attributes["mlflow.assessments"] = json_text(assessments)
    return attributes


FORMAT: Final = Format(
    name=NAME,
    title="traces with their spans",
    keys=("info", "trace", "data", "spans"),
    claims=claims,
    read=read,
)
