"""Content that a distribution took off its spans: one log event a span, whose body holds what went in and what came out as messages.

Comes in: a span and the log events that name it. Goes out: the span with its content back in the convention's attributes, so that its own
dialect reads it beside what stayed there. AWS's distribution of OpenTelemetry sends such events for every instrumentation.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ingest.dialects.content_blocks import blocks_text
from ingest.dialects.parts import first_of, parts_in
from ingest.dialects.reading import MODEL, TOOL
from ingest.dialects.table import read_span
from ingest.records.span import Attributes, LogEvent, Span
from ingest.records.text import objects_in


def moved_off(event: LogEvent) -> dict[str, list[Any]]:
    """The messages that an event holds for its span, by `input` and `output`; nothing where its body is anything else."""
    body = event.body
    if not isinstance(body, dict) or not body or not body.keys() <= {"input", "output"}:
        return {}
    held = {side: one.get("messages") for side, one in body.items() if isinstance(one, dict)}
    told = {side: list(map(_plain, objects_in(one))) for side, one in held.items()}
    return told if event.span_id and all(told.values()) and len(told) == len(body) else {}


def _plain(message: dict[str, Any]) -> dict[str, Any]:
    """A message whose content is no object of its own, as that of an event on a span is, and no parts written as text."""
    content = message.get("content")
    text = first_of(content, "content", "message") if isinstance(content, dict) else content
    return {**message, "content": parts_in(text) or text}


def with_moved(span: Span, events: Iterable[LogEvent]) -> Span:
    """The span with what its events hold: a model call's messages, a tool's one argument and result."""
    told = {side: one for event in events for side, one in moved_off(event).items()}
    kind = read_span(span).kind if told else None
    if kind == MODEL:
        names = {f"gen_ai.{side}.messages": told.get(side, []) for side in ("input", "output")}
        return replace(span, attributes={**span.attributes, **names})
    if kind == TOOL:
        return replace(span, attributes={**span.attributes, **_run(told)})
    return span


def _run(told: dict[str, list[Any]]) -> Attributes:
    names = {"input": "gen_ai.tool.call.arguments", "output": "gen_ai.tool.call.result"}
    return {names[side]: blocks_text(one[0]["content"]) for side, one in told.items()}
