"""Spans that say in one word what they are (`llm`, `tool`, `task`), with input and output beside it, as evaluation platforms export their rows.

Comes in: one span: its id, the id of its trace or root, its parent, its type, times, `input`, `output`, scores. Goes out: the span with
OpenTelemetry's GenAI attributes, and the scores as outcomes of it.
"""

from __future__ import annotations

from typing import Any, Final

from ingest.dialects.attributes import text_of
from ingest.dialects.parts import first_of
from ingest.formats.format import Decoded, Format
from ingest.formats.records.fields import CONVERSATION, MODEL, TASK, Fields
from ingest.formats.records.verdicts import outcomes_of_span
from ingest.formats.records.words import snake_case
from ingest.formats.spans.model_calls import Call, attributes_of, is_request
from ingest.formats.unknown import refuse
from ingest.otlp.record import Arrival
from ingest.records.moments import from_any
from ingest.records.span import IF_ASKED, STATUS_ERROR, STATUS_OK, Span
from ingest.records.text import Json, json_text, objects_in

NAME: Final = "typed_spans"
_IDS: Final = ("span_id", "id")
_TRACES: Final = ("root_span_id", "trace_id")
_PARENTS: Final = ("span_parents", "parent_span_id", "parent_observation_id", "parent_id")
_TYPES: Final = ("type", "span_type", "kind", "span_kind", "event")
_STARTED: Final = (
    *("start", "start_time", "started_at", "created", "created_at", "start_ns"),
    "timestamp",
)
_HOLDERS: Final = ("properties", "attributes")
"""What an envelope of a span is called, whose fields may all begin with a vendor's word."""
_INPUTS: Final = ("input", "inputs")
_OUTPUTS: Final = ("output", "output_choices")
_ENDED: Final = ("end", "end_time", "ended_at")
_DATA: Final = "span_data"
"""Where OpenAI's Agents SDK has what a span is about, whatever that is; the trace itself is a record of its own, which names the conversation."""
_OF_SPANS: Final = (*_INPUTS, *_HOLDERS, _DATA, "group_id")
_RUN_OF_FUNCTION: Final = "perhaps_tool"
"""The type of a function's run: a tool's if a model asked for it."""
_OPERATIONS: Final = {
    **dict.fromkeys(("llm", "generation", "chat_model", "completion", "response"), "chat"),
    **dict.fromkeys(("tool", "function"), "execute_tool"),
    **dict.fromkeys(("task", "agent", "chain", "workflow", "eval", "general"), "invoke_agent"),
    **dict.fromkeys(("score", "scorer", "evaluator"), "evaluate"),
    _RUN_OF_FUNCTION: "execute_tool",
}


def claims(value: Json) -> bool:
    """Whether a value is one such span."""
    if not isinstance(value, dict) or not any(key in value for key in _OF_SPANS):
        return False
    value = _plain_span(value)
    linked = "input" in value and any(key in value for key in _PARENTS)
    return linked and all(_first(value, keys) for keys in (_IDS, _TRACES)) and _type(value) != ""


def read(value: Json, arrival: Arrival) -> Decoded:
    """Read one span."""
    value = _plain_span(value)
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
    return Decoded(spans=[span], outcomes=outcomes_of_span(span, Fields(own=_marks(value))))


def read_below(value: dict[str, Any], trace: dict[str, Any], arrival: Arrival) -> Decoded:
    """Read one span of a trace; what the trace says of itself stands on the span without a parent."""
    if not claims(value):
        return Decoded(rejected=[refuse(value, arrival)])
    if _first(_plain_span(value), _PARENTS) is None:
        told = {key: one for key, one in trace.items() if one and not value.get(key)}
        value = {**value, **told}
    return read(value, arrival)


def _plain_span(value: dict[str, Any]) -> dict[str, Any]:
    """The span's fields in one spelling, out of the envelope of an event, and without a word that begins them all."""
    own = {snake_case(key): one for key, one in value.items()}
    data = own.pop(_DATA, {} if own.get("object") == "trace" else None)
    if isinstance(data, dict):
        root = {"conversation_id": own.get("group_id"), "trace_id": own.get("id")}
        beside = root if own.get("object") == "trace" else {}
        own = {"input": None, "parent_id": None, **beside, **own, **data}
        kind = own.get("type")
        own |= {} if isinstance(kind, str) and kind in _OPERATIONS else {"type": "general"}
    for inner in (own[key] for key in _HOLDERS if isinstance(own.get(key), dict)):
        named = {snake_case(key): one for key, one in inner.items()}
        trace = next((key for key in named if key.endswith(_TRACES)), None)
        if trace is not None:
            word = trace.removesuffix("trace_id").removesuffix("root_span_id")
            own = {k.removeprefix(word): v for k, v in (own | named).items()}
            own["event"] = str(own.get("event")).lstrip("$").removeprefix(word)
    given = {"input": own["inputs"]} if "inputs" in own and "input" not in own else {}
    return {**own, **given, "output": _first(own, _OUTPUTS)}


def _type(value: dict[str, Any]) -> str:
    """The span's type in one spelling; empty where it says none that is known."""
    beside = value.get("span_attributes")
    places = [beside, value] if isinstance(beside, dict) else [value]
    words = [one.get(key) for one in places for key in _TYPES]
    known = (snake_case(word) for word in words if isinstance(word, str))
    return next((word for word in known if word in _OPERATIONS), "") or _type_by_input(value)


def _type_by_input(value: dict[str, Any]) -> str:
    """The type of a function's run that is told by what went in: the body of a request to a model, or what may be a tool's arguments."""
    given = value["input"] if "inputs" in value else None
    if not isinstance(given, dict) or value.get("op_name") is None:
        return ""
    if is_request(given):
        return "llm"
    return "task" if _first(value, _PARENTS) is None else _RUN_OF_FUNCTION


def _name(value: dict[str, Any]) -> str:
    beside = value.get("span_attributes")
    named = beside.get("name") if isinstance(beside, dict) else None
    # An address ends in the function's name, maybe behind its class', and a version.
    address = text_of(value.get("op_name")) or ""
    function = address.rpartition("/")[2].partition(":")[0].rpartition(".")[2]
    return text_of(named or value.get("name")) or function


def _time(value: dict[str, Any], names: tuple[str, ...]) -> int | None:
    metrics = value.get("metrics")
    places = [metrics, value] if isinstance(metrics, dict) else [value]
    given = (from_any(one[key]) for one in places for key in names if one.get(key) is not None)
    return next((time for time in given if time is not None), None)


def _attributes(value: dict[str, Any]) -> dict[str, Any]:
    metadata = value.get("metadata", value.get("attributes"))
    beside = metadata if isinstance(metadata, dict) else {}
    metrics = value.get("metrics", value.get("usage"))
    counted = metrics if isinstance(metrics, dict) else {}
    fields = Fields(own=beside)
    top = Fields(own={k: v for k, v in value.items() if not isinstance(v, dict)})
    operation = _OPERATIONS[_type(value)]
    given = {
        "gen_ai.operation.name": operation,
        "gen_ai.conversation.id": fields.text(CONVERSATION) or top.text(CONVERSATION),
        "user.id": fields.user() or top.user(),
        "tracegym.task_key": fields.text(TASK),
        "tracegym.do_not_train": fields.flag("do_not_train") or None,
    }
    if operation == "chat" and "op_name" in value and isinstance(value["input"], dict):
        told = value["output"] if isinstance(value["output"], dict) else {}
        whole = attributes_of(Call(request=value["input"], response=told, beside=beside), fields)
        given = whole | {key: one for key, one in given.items() if one is not None}
    elif operation == "chat":
        given |= {
            "gen_ai.request.model": text_of(beside.get("model")) or top.text(MODEL),
            "gen_ai.tool.definitions": json_text(tools)
            if (tools := fields.tools() or top.tools())
            else None,
            "gen_ai.input.messages": _text(value["input"]),
            "gen_ai.output.messages": _text(_answer(value["output"])),
            "gen_ai.response.id": text_of(value.get("response_id")),
            "gen_ai.usage.input_tokens": first_of(counted, "prompt_tokens", "input_tokens"),
            "gen_ai.usage.output_tokens": first_of(counted, "completion_tokens", "output_tokens"),
        }
    elif operation == "execute_tool":
        given[IF_ASKED] = _type(value) == _RUN_OF_FUNCTION or None
        failed = value["output"] is None
        given |= {
            "gen_ai.tool.name": _name(value),
            "gen_ai.tool.call.arguments": _text(_value(value["input"])),
            "gen_ai.tool.call.result": _text(
                _value(value.get("error") if failed else value["output"])
            ),
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


def _value(held: Json) -> Json:
    return held["value"] if isinstance(held, dict) and set(held) == {"value"} else held


def _text(value: Json) -> str | None:
    return value if value is None or isinstance(value, str) else json_text(value)


def _first(value: dict[str, Any], keys: tuple[str, ...]) -> Json:
    return next((value[key] for key in keys if value.get(key)), None)


def _marks(value: dict[str, Any]) -> dict[str, Any]:
    told = {key: value[key] for key in ("scores", "expected", "feedback") if value.get(key)}
    told |= {"scores": value["feedback_scores"]} if value.get("feedback_scores") else {}
    judged = value.get("evaluation")
    said = _feedback(value.get("summary"))
    told |= {"scores": said} if said else {}
    # Each evaluator's statement stands under its name.
    if isinstance(judged, dict) and all(isinstance(one, dict) for one in judged.values()):
        told |= {"evaluations": judged} if judged else {}
    return told


def _feedback(summary: Json) -> dict[str, Any]:
    """What a list of feedback says, each by the last word of its kind: a scorer's output, somebody's annotation or reaction."""
    found: dict[str, Any] = {}
    places = [summary, *summary.values()] if isinstance(summary, dict) else []
    listed = (
        one
        for place in places
        if isinstance(place, dict)
        for one in objects_in(place.get("feedback"))
    )
    for one in listed:
        words = str(one.get("feedback_type")).split(".")
        load = one.get("payload")
        said = _first(load, ("output", "value", "emoji")) if isinstance(load, dict) else None
        word = next((word for word in reversed(words) if not word.isdecimal()), "")
        parts = said.items() if isinstance(said, dict) else ()
        figures: dict[str, Any] = {
            f"{word}.{key}": value for key, value in parts if isinstance(value, int | float)
        }
        found |= figures or {word: said}
    return found


FORMAT: Final = Format(
    name=NAME,
    title="spans of an evaluation platform, which say their type in a word",
    keys=("span_id", "span_attributes", "input", "output"),
    claims=claims,
    read=read,
)
