"""Logs of calls to a model's API, one record a call: what was sent and what came back, as gateways, proxies and clouds keep them.

Comes in: a record with the body of a request (messages, with the model's settings beside them) and the body of the response, whatever the
provider and the names around them. Goes out: the span of that call. Each call repeats the history, so that a record is no
conversation of its own: the assembly joins calls by the conversation's id, by the response that a call goes on from, or by their history.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any, Final

from ingest.dialects.parts import first_of
from ingest.formats.format import Decoded, Format
from ingest.formats.records.fields import CONVERSATION, MODEL, STARTED, TASK, Fields, told_in
from ingest.formats.records.speech import moment
from ingest.formats.records.verdicts import outcomes_of_span
from ingest.formats.records.words import role_of, snake_case
from ingest.otlp.record import Arrival
from ingest.records.span import STATUS_ERROR, Span
from ingest.records.text import Json, json_bytes, json_text, type_of

NAME: Final = "model_calls"
_SENT: Final = ("messages", "contents", "input")
_SETTINGS: Final = frozenset(
    {
        *("model", "temperature", "max_tokens", "max_completion_tokens", "max_output_tokens"),
        *("tools", "tool_choice", "tool_config", "stream", "stop_sequences", "top_p"),
        *("generation_config", "inference_config", "anthropic_version", "previous_response_id"),
    }
)
"""What only the body of a request has beside the messages."""
_PROMPTS: Final = ("system", "instructions", "systemInstruction", "system_instruction")
_OF_REQUEST: Final = frozenset({*_SENT, *_SETTINGS, *_PROMPTS})
_SESSION: Final = re.compile(
    r"(?:.+_)?(?:session|thread|chat|conversation)_id|session|conversation"
)
"""Names of a conversation in labels; a bare `thread` is more often the program's."""
_OTHER_SESSIONS: Final = frozenset({"parent", "previous", "prev", "root", "last", "source"})
_ID: Final = re.compile(r"(?=.*\d)[\w.:@/+=-]{4,128}")
_LOGGED: Final = (
    *("request_created_at", "request_time", "request_timestamp", "logging_time", "logged_at"),
    "ts",
    *STARTED,
)
_INPUT_TOKENS: Final = ("prompt_tokens", "input_tokens", "inputTokens", "promptTokenCount")
_OUTPUT_TOKENS: Final = (
    *("completion_tokens", "output_tokens", "outputTokens"),
    "candidatesTokenCount",
)
_NUMBER: Final = re.compile(r"\d+")
_DEEPEST: Final = 3
RUN: Final = "run_id"
"""An app's own id of what it did, by which its other files may go; it may also be one call's, and joins none."""
_NOTHING: Final[tuple[Json, ...]] = (None, "", {}, [])
_FAILED: Final = ("failure", "failed", "error")
_ANSWERED: Final = frozenset({"success", "is_success", "successful"})
"""What a gateway says of the call itself, whatever came of the conversation."""
_BATCH_ID: Final = "custom_id"
_BEFORE: Final = 3600 * 10**9


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """The two bodies of one call, and what stands around them."""

    request: dict[str, Any]
    response: dict[str, Any]
    beside: dict[str, Any]
    """The record without the branches that hold the bodies."""


def claims(value: Json) -> bool:
    """Whether a value is one call to a model that says when or under which id it was answered, or one side of a batch's."""
    call = call_in(value)
    if call is None or _BATCH_ID in call.beside:
        return call is not None
    return _response_id(call.response) is not None or _time(call) is not None


def call_in(value: Json) -> Call | None:
    """The call that a record holds; None where it holds no request or no response of a model's API, of which a batch has one in another file."""
    if not isinstance(value, dict):
        return None
    value = {key: told_in(one) for key, one in value.items()}  # tables keep bodies as text
    below = _objects_below(value)
    response = next((at for at in below if _is_response(at[1]) or _tells_failure(*at)), None)
    others = {key: one for key, one in value.items() if response is None or key != response[0]}
    is_half = isinstance(value.get(_BATCH_ID), str)
    request = _request_in(others) or (((), {}) if is_half and response is not None else None)
    if request is None:
        return None
    if response is None:
        # Nothing in the place of the answer: the call was broken off.
        empty = (key for key, one in value.items() if _names_response(key) and one in _NOTHING)
        response = (next(empty, ""), {})
        if not (response[0] or is_half):
            return None
    keys, body = request
    beside = {key: one for key, one in others.items() if key not in keys}
    return Call(request=body, response=response[1], beside=beside)


def _request_in(record: dict[str, Any]) -> tuple[Collection[str], dict[str, Any]] | None:
    """The body of a request below a record, else the columns of the record that make one up, with the keys of these."""
    sent = next((one for key in _SENT if isinstance(one := record.get(key), list)), [])
    if sent and role_of(str(first_of(sent[-1], "role"))) not in {"user", "tool"}:
        return None  # a conversation, with its answer
    below = next(((path, one) for path, one in _objects_below(record) if is_request(one)), None)
    own = {key for key in record if snake_case(key) in _OF_REQUEST}
    if below is not None:
        return {below[0], *own.intersection(_SENT)}, below[1]
    return (own, {key: record[key] for key in own}) if sent and is_request(record) else None


def _objects_below(value: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every object below a record, the nearest first, with the record's own key that leads to it."""
    level = [(key, one) for key, one in value.items() if isinstance(one, dict)]
    for _ in range(_DEEPEST):
        yield from level
        level = [(k, two) for k, one in level for two in one.values() if isinstance(two, dict)]


def is_request(body: dict[str, Any]) -> bool:
    """Whether an object is the body of a request to a model's API."""
    sent = next((body[key] for key in _SENT if body.get(key)), None)
    return isinstance(sent, list | str) and any(snake_case(key) in _SETTINGS for key in body)


def _is_response(body: dict[str, Any]) -> bool:
    """Whether an object is what a model's API answers: OpenAI's two, Anthropic's, Gemini's, Bedrock's."""
    for key, inner in (("choices", "message"), ("candidates", "content")):
        if isinstance(body.get(key), list):
            return any(isinstance(one, dict) and inner in one for one in body[key])
    if isinstance(body.get("output"), list):
        return body.get("object") == "response"
    if isinstance(body.get("output"), dict):
        return isinstance(body["output"].get("message"), dict) and "stopReason" in body
    said = isinstance(body.get("content"), list) and body.get("role") == "assistant"
    return said and type_of(body) == "message"


def _tells_failure(key: str, body: dict[str, Any]) -> bool:
    """Whether an object says that the call came to nothing."""
    return _names_response(key) and bool(body.get("error"))


def _names_response(key: str) -> bool:
    return "response" in snake_case(key).split("_")


def read(value: Json, arrival: Arrival) -> Decoded:
    """Read one call."""
    call = call_in(value)
    if call is None:
        return Decoded()
    fields = Fields(own=call.beside)
    text = json_bytes(value) if arrival.text is None else arrival.text
    # Calls of one second stand in the order of the file.
    place = ".".join(number.zfill(9) for number in _NUMBER.findall(arrival.position))
    key = f"{place}-{hashlib.blake2b(text, digest_size=8).hexdigest()}"
    # Of a batch's call, which has no times, the request stands before the response, whichever file came first.
    early = _BEFORE if not call.response else 0
    started_at = _time(call) or arrival.received_at - early
    told = call.beside.get("error") or call.beside.get("status") in _FAILED
    has_failed = call.response.get("error") or (told and not call.response)
    span = Span(
        app=arrival.app_for(None),
        trace_id=key,
        span_id=key,
        name="chat",
        started_at=started_at,
        status=STATUS_ERROR if has_failed else 0,
        scope=NAME,
        attributes=attributes_of(call, fields),
    )
    told = {key: one for key, one in call.beside.items() if snake_case(key) not in _ANSWERED}
    return Decoded(spans=[span], outcomes=outcomes_of_span(span, Fields(own=told)))


def attributes_of(call: Call, fields: Fields) -> dict[str, Any]:
    """The attributes of the span of a call."""
    request, response = call.request, call.response
    sent = next((request[key] for key in _SENT if request.get(key)), None)
    usage = first_of({snake_case(k): v for k, v in response.items()}, "usage", "usage_metadata")
    given = {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": Fields(own=request).text(MODEL, deep=1) or fields.text(MODEL),
        "gen_ai.response.id": _response_id(response),
        "gen_ai.request.previous_response.id": request.get("previous_response_id"),
        "gen_ai.system_instructions": _prompt(request),
        "gen_ai.input.messages": json_text(sent) if isinstance(sent, list) else sent,
        "gen_ai.output.messages": json_text(response) if _is_response(response) else None,
        "gen_ai.tool.definitions": json_text(tools) if (tools := _tools(request)) else None,
        "gen_ai.conversation.id": conversation_of(call),
        "user.id": _user(call),
        "tracegym.task_key": fields.text(TASK),
        RUN: fields.top_text((RUN,)),
        "tracegym.do_not_train": fields.flag("do_not_train") or None,
        "gen_ai.usage.input_tokens": first_of(usage, *_INPUT_TOKENS),
        "gen_ai.usage.output_tokens": first_of(usage, *_OUTPUT_TOKENS),
    }
    return {key: value for key, value in given.items() if value is not None}


def conversation_of(call: Call) -> str | None:
    """The conversation's id: what stands beside the bodies, else among the request's own labels."""
    labels = _labels(call.request)
    places = [Fields(own=call.beside), Fields(own=labels)]
    known = next((name for place in places if (name := place.text(CONVERSATION))), None)
    known = known or call.beside.get(_BATCH_ID)
    if known is not None:
        return known
    named = {
        value
        for place in (call.beside, labels)
        for one in (place, *(inner for _, inner in _objects_below(place)))
        for key, value in one.items()
        if isinstance(value, str) and _ID.fullmatch(value) and _names_session(snake_case(key))
    }
    return named.pop() if len(named) == 1 else None


def _names_session(word: str) -> bool:
    return bool(_SESSION.fullmatch(word)) and word.partition("_")[0] not in _OTHER_SESSIONS


def _user(call: Call) -> str | None:
    """The user, beside the bodies or as the request names them to the provider."""
    own = {key: one for key, one in call.request.items() if not isinstance(one, dict | list)}
    places = (
        call.beside,
        {key.removeprefix("request_"): one for key, one in call.beside.items()},
        {**own, "user_id": own.get("safety_identifier")},
        _labels(call.request),
    )
    return next((user for place in places if (user := Fields(own=place).user())), None)


def _labels(request: dict[str, Any]) -> dict[str, Any]:
    """What a request says about itself: objects beside the messages."""
    return {k: v for k, v in request.items() if isinstance(v, dict) and k not in _SENT}


def _prompt(request: dict[str, Any]) -> str | None:
    told = next((request[key] for key in _PROMPTS if request.get(key)), None)
    if isinstance(told, dict) and isinstance(told.get("parts"), list):
        told = told["parts"]  # Gemini's prompt says that it is the user's
    return told if told is None or isinstance(told, str) else json_text(told)


def _tools(request: dict[str, Any]) -> list[Any]:
    return Fields(own={k: v for k, v in request.items() if k not in _SENT}).tools()


def _response_id(response: dict[str, Any]) -> str | None:
    found = response.get("id") or response.get("responseId")
    return found if isinstance(found, str) else None


def _time(call: Call) -> int | None:
    """When the call was made, else when it was answered."""
    for place in (call.beside, call.response):
        named = {snake_case(key): one for key, one in place.items()}
        found = next((time for key in _LOGGED if (time := moment(named.get(key)))), None)
        if found is not None:
            return found
    return moment(call.response.get("createTime"))


FORMAT: Final = Format(
    name=NAME,
    title="a log of calls to a model's API",
    keys=("request", "response"),
    claims=claims,
    read=read,
)
