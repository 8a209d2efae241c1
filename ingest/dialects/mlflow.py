"""MLflow's spans: `mlflow.spanType`, inputs and outputs, every attribute value JSON-encoded."""

from __future__ import annotations

from typing import Any, Final

from ingest.dialects.attributes import (
    MAX_ITEMS,
    captured,
    first_integer,
    number_of,
    parsed,
    text_of,
)
from ingest.dialects.identity import has_failed, identity
from ingest.dialects.messages import Messages, exchanged, read_messages, with_calls
from ingest.dialects.parts import called_by_id
from ingest.dialects.reading import (
    AGENT,
    EVALUATOR,
    MODEL,
    OTHER,
    TOOL,
    Dialect,
    Reading,
    Statement,
)
from ingest.dialects.tool_schemas import read_tools
from ingest.files.chat_outcome import annotator_of
from ingest.records.right_answer import right_answer
from ingest.records.span import Span
from ingest.records.text import Json

NAME: Final = "mlflow"

_KINDS: Final = {
    **dict.fromkeys(("LLM", "CHAT_MODEL"), MODEL),
    **dict.fromkeys(("AGENT", "CHAIN", "WORKFLOW", "TASK"), AGENT),
    "TOOL": TOOL,
    "EVALUATOR": EVALUATOR,
}


_METHODS: Final = frozenset({"run", "run_json", "arun", "invoke", "ainvoke", "call", "execute"})
"""What runs any tool: the span is called after the tool, if anything is."""


def claims(span: Span) -> bool:
    """Whether the span is one of MLflow's."""
    return "mlflow.spanType" in span.attributes


def read(span: Span) -> Reading:
    """Read one span."""
    attributes = span.attributes
    kind = _KINDS.get(text_of(attributes.get("mlflow.spanType")) or "", OTHER)
    if attributes.get("mlflow.trace.sourceScorer"):
        kind = EVALUATOR
    fields: dict[str, Any] = identity(span)
    usage = parsed(attributes.get("mlflow.chat.tokenUsage"))
    if isinstance(usage, dict):
        fields["input_tokens"] = first_integer(usage, ("input_tokens", "prompt_tokens"))
        fields["output_tokens"] = first_integer(usage, ("output_tokens", "completion_tokens"))
    given, made = Messages(), Messages()
    tools: list[str] = []
    if kind == MODEL:
        given = read_messages(parsed(attributes.get("mlflow.spanInputs")), role="user")
        made = read_messages(parsed(attributes.get("mlflow.spanOutputs")), role="assistant")
        pieces = {"role": "assistant", "tool_calls": _streamed_calls(span)}
        made.steps = with_calls(made.steps, read_messages(pieces, role="assistant").steps)
        tools = read_tools(parsed(attributes.get("mlflow.chat.tools"))) or given.tools
    elif kind == TOOL:
        fields.update(_tool(span))
    return Reading(
        kind=kind,
        dialect=NAME,
        **exchanged(given, made),
        tools=tuple(tools),
        said=tuple(_assessments(span)),
        **fields,
    )


def _streamed_calls(span: Span) -> list[dict[str, Any]]:
    """The calls of a streamed answer, put together from its pieces: the span's own output has only the text."""
    calls: dict[int, dict[str, Any]] = {}
    for event in sorted(span.events, key=lambda event: event.at):
        piece = parsed(event.attributes.get("mlflow.chunk.value"))
        for told in _told_calls(piece):
            index = told.get("index")
            if not isinstance(index, int) or len(calls) >= MAX_ITEMS:
                continue
            inner = told.get("function")
            function: dict[str, Any] = inner if isinstance(inner, dict) else {}
            call = calls.setdefault(index, {"id": None, "name": "", "arguments": []})
            call["id"] = call["id"] or told.get("id")
            call["name"] = call["name"] or function.get("name") or ""
            call["arguments"].append(str(function.get("arguments") or ""))
    return [
        {
            "id": call["id"],
            "function": {"name": call["name"], "arguments": "".join(call["arguments"])},
        }
        for _, call in sorted(calls.items())
    ]


def _told_calls(piece: Json) -> list[dict[str, Any]]:
    """The pieces of calls in one piece of an answer."""
    choices = piece.get("choices") if isinstance(piece, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    delta = first.get("delta") if isinstance(first, dict) else None
    calls = delta.get("tool_calls") if isinstance(delta, dict) else None
    return [call for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []


def _tool(span: Span) -> dict[str, Any]:
    given = parsed(span.attributes.get("mlflow.spanInputs"))
    result = parsed(span.attributes.get("mlflow.spanOutputs"))
    call = called_by_id(given)
    function = text_of(span.attributes.get("mlflow.spanFunctionName"))
    return {
        "call_id": text_of(span.attributes.get("gen_ai.tool.call.id")) or (call and call.call_id),
        "tool_name": (call and call.name)
        or (None if function in _METHODS else function)
        or span.name,
        "arguments": call.arguments if call else captured(given),
        "result": captured(result),
        "is_error": has_failed(span),
    }


def _assessments(span: Span) -> list[Statement]:
    """Assessments that were exported on a span; one that was withdrawn says nothing."""
    found: list[Statement] = []
    listed = parsed(span.attributes.get("mlflow.assessments"))
    for one in listed if isinstance(listed, list) else ():
        if not isinstance(one, dict) or one.get("valid") is False or not text_of(one.get("name")):
            continue
        source = one.get("source") if isinstance(one.get("source"), dict) else {}
        feedback = one.get("feedback")
        expected = one.get("expectation")
        value = feedback.get("value") if isinstance(feedback, dict) else None
        gold = expected.get("value") if isinstance(expected, dict) else None
        found.append(
            Statement(
                name=str(one["name"]),
                value=number_of(value),
                label=text_of(value) if number_of(value) is None else None,
                text=text_of(one.get("rationale")),
                correction=right_answer(gold),
                by=annotator_of(text_of(source.get("source_type")) if source else None),
                author=text_of(source.get("source_id")) if source else None,
            )
        )
    return found


DIALECT: Final = Dialect(name=NAME, claims=claims, read=read)
