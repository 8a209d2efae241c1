"""Spans that say in one word what they are (`llm`, `tool`, `task`), with input and output beside it, as evaluation platforms export their rows.

Comes in: one span: its id, the id of its trace or root, its parent, its type, times, `input`, `output`, scores. Goes out: the span with
OpenTelemetry's GenAI attributes, and the scores as outcomes of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from ingest.dialects.attributes import text_of
from ingest.files.chat_outcome import number_of, outcome_id_of
from ingest.formats.format import Decoded, Format
from ingest.formats.records.fields import CONVERSATION, TASK, Fields
from ingest.formats.records.verdicts import outcomes_of
from ingest.formats.records.words import snake_case
from ingest.otlp.record import Arrival
from ingest.records.moments import from_any
from ingest.records.outcome import Outcome
from ingest.records.span import STATUS_ERROR, STATUS_OK, Span
from ingest.records.text import Json, json_text

NAME: Final = "typed_spans"
_IDS: Final = ("span_id", "id")
_TRACES: Final = ("root_span_id", "trace_id")
_PARENTS: Final = ("span_parents", "parent_span_id", "parent_observation_id", "parent_id")
_TYPES: Final = ("type", "span_type", "kind")
_STARTED: Final = ("start", "start_time", "started_at", "created", "created_at")
_ENDED: Final = ("end", "end_time", "ended_at")
_OPERATIONS: Final = {
    **dict.fromkeys(("llm", "generation", "chat_model", "completion"), "chat"),
    **dict.fromkeys(("tool", "function"), "execute_tool"),
    **dict.fromkeys(("task", "agent", "chain", "workflow", "eval"), "invoke_agent"),
    **dict.fromkeys(("score", "scorer", "evaluator"), "evaluate"),
}


def claims(value: Json) -> bool:
    """Whether a value is one such span."""
    if not isinstance(value, dict) or "input" not in value:
        return False
    value = _in_snake_case(value)
    linked = any(key in value for key in _PARENTS)
    return linked and all(_first(value, keys) for keys in (_IDS, _TRACES)) and _type(value) != ""


def read(value: Json, arrival: Arrival) -> Decoded:
    """Read one span."""
    value = _in_snake_case(value)
    parent = _first(value, _PARENTS)
    parent = parent[0] if isinstance(parent, list) and parent else parent
    trace_id = text_of(_first(value, _TRACES)) or "unnamed"
    span = Span(
        app=arrival.app_for(None),
        trace_id=trace_id,
        span_id=text_of(_first(value, _IDS)) or "unnamed",
        parent_id=text_of(parent),
        name=_name(value),
        started_at=_time(value, _STARTED) or arrival.received_at,
        ended_at=_time(value, _ENDED),
        status=STATUS_ERROR if value.get("error") else STATUS_OK,
        scope=NAME,
        attributes=_attributes(value),
    )
    return Decoded(spans=[span], outcomes=list(_outcomes(span, value)))


def _in_snake_case(value: dict[str, Any]) -> dict[str, Any]:
    return {"output": None, **{snake_case(key): one for key, one in value.items()}}


def _type(value: dict[str, Any]) -> str:
    """The span's type in one spelling; empty where it says none that is known."""
    beside = value.get("span_attributes")
    places = [beside, value] if isinstance(beside, dict) else [value]
    words = [one.get(key) for one in places for key in _TYPES]
    known = (snake_case(word) for word in words if isinstance(word, str))
    return next((word for word in known if word in _OPERATIONS), "")


def _name(value: dict[str, Any]) -> str:
    beside = value.get("span_attributes")
    named = beside.get("name") if isinstance(beside, dict) else None
    return text_of(named or value.get("name")) or ""


def _time(value: dict[str, Any], names: tuple[str, ...]) -> int | None:
    metrics = value.get("metrics")
    places = [metrics, value] if isinstance(metrics, dict) else [value]
    given = (from_any(one[key]) for one in places for key in names if one.get(key) is not None)
    return next((time for time in given if time is not None), None)


def _attributes(value: dict[str, Any]) -> dict[str, Any]:
    metadata = value.get("metadata")
    beside = metadata if isinstance(metadata, dict) else {}
    metrics = value.get("metrics")
    counted = metrics if isinstance(metrics, dict) else {}
    fields = Fields(own=beside)
    operation = _OPERATIONS[_type(value)]
    given = {
        "gen_ai.operation.name": operation,
        "gen_ai.conversation.id": fields.text(CONVERSATION),
        "user.id": fields.user(),
        "tracegym.task_key": fields.text(TASK),
        "tracegym.do_not_train": fields.flag("do_not_train") or None,
    }
    if operation == "chat":
        given |= {
            "gen_ai.request.model": text_of(beside.get("model")),
            "gen_ai.tool.definitions": json_text(tools) if (tools := fields.tools()) else None,
            "gen_ai.input.messages": _text(value["input"]),
            "gen_ai.output.messages": _text(_answer(value["output"])),
            "gen_ai.usage.input_tokens": counted.get("prompt_tokens"),
            "gen_ai.usage.output_tokens": counted.get("completion_tokens"),
        }
    elif operation == "execute_tool":
        told = value["output"] if value["output"] is not None else value.get("error")
        given |= {
            "gen_ai.tool.name": _name(value),
            "gen_ai.tool.call.arguments": _text(value["input"]),
            "gen_ai.tool.call.result": _text(told),
        }
    elif operation == "invoke_agent":
        given["gen_ai.agent.name"] = _name(value) if _type(value) == "agent" else None
    return {key: one for key, one in given.items() if one is not None}


def _answer(output: Json) -> Json:
    """What the model said, where a row keeps the choices of a response."""
    choices = output if isinstance(output, list) else []
    if choices and all(isinstance(one, dict) and "message" in one for one in choices):
        return {"choices": choices}
    return output


def _text(value: Json) -> str | None:
    return value if value is None or isinstance(value, str) else json_text(value)


def _first(value: dict[str, Any], keys: tuple[str, ...]) -> Json:
    return next((value[key] for key in keys if value.get(key)), None)


def _outcomes(span: Span, value: dict[str, Any]) -> Iterator[Outcome]:
    """The scores of a span, which are its conversation's."""
    own = {key: value[key] for key in ("scores", "expected", "feedback") if value.get(key)}
    target = f"{span.trace_id}:{span.span_id}"
    for said in outcomes_of(Fields(own=own), answered=False):
        yield Outcome(
            app=span.app,
            outcome_id=outcome_id_of(span.app, f"span:{target}", said["name"], said["by"], NAME),
            target_kind="span",
            target_id=target,
            episode_id=None,
            name=said["name"],
            value=number_of(said.get("value")),
            label=said.get("label"),
            text=said.get("comment"),
            correction=said.get("correction"),
            by=said["by"],
            at=span.ended_at or span.started_at,
            source=NAME,
        )


FORMAT: Final = Format(
    name=NAME,
    title="spans of an evaluation platform, which say their type in a word",
    keys=("span_id", "span_attributes", "input", "output"),
    claims=claims,
    read=read,
)
