"""Reads what a policy sent: an assistant message of any shape becomes text and requested calls, never an exception.

In: one message as an endpoint, a trainer or a file gave it. Out: the message in plain OpenAI shape, and its calls with
the fault of each that cannot be run. Not here: running the calls (`environment`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from ..task.attempt import Json
from ..values.json_text import halved, nested_deeper
from ..values.literals import DECODER

MAX_DEPTH: Final = 64
"""Nesting of arguments; no real tool takes more, and the interpreter's own limit is near 1,000."""

NO_NAME: Final = "the tool call has no function name"
NOT_AN_OBJECT: Final = "the arguments of the tool call are not a JSON object"
NOT_JSON: Final = "the arguments of the tool call are not valid JSON"
TOO_DEEP: Final = "the arguments of the tool call are nested too deep"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One tool call that a message asks for."""

    call_id: str
    name: str
    text: str
    """The argument text as sent."""
    arguments: Mapping[str, Json] = field(default_factory=dict)
    fault: str = ""
    """Why it cannot be run; empty when it can."""


def text_of(content: object) -> str:
    """The text of a message's `content`: a string, a list of parts, or nothing."""
    if isinstance(content, str):
        return content
    if isinstance(content, list | tuple):
        parts = [part.get("text") for part in content if isinstance(part, Mapping)]
        return "\n".join(part for part in parts if isinstance(part, str))
    return ""


def requests_of(message: object, *, first: int) -> tuple[Request, ...]:
    """The calls that a message asks for; `first` numbers those that carry no id."""
    calls = message.get("tool_calls") if isinstance(message, Mapping) else None
    if isinstance(calls, Mapping):
        calls = [calls]
    if not isinstance(calls, list | tuple):
        return ()
    return tuple(_request(call, f"call_{first + i}") for i, call in enumerate(calls))


def plain_message(message: object, requests: tuple[Request, ...]) -> dict[str, Json]:
    """The message in plain OpenAI shape, as it enters the transcript."""
    content = message.get("content") if isinstance(message, Mapping) else message
    text = text_of(content)
    return said_with(text, requests)


def said_with(text: str, requests: tuple[Request, ...]) -> dict[str, Json]:
    """An assistant message of a text and calls, in plain OpenAI shape."""
    if not requests:
        return {"role": "assistant", "content": text}
    calls: list[Json] = [
        {
            "id": request.call_id,
            "type": "function",
            "function": {"name": request.name, "arguments": request.text},
        }
        for request in requests
    ]
    return {"role": "assistant", "content": text or None, "tool_calls": calls}


def _request(call: object, spare_id: str) -> Request:
    call = _mapping(call)
    function = _mapping(call.get("function"))
    call_id = call.get("id")
    return request_for(
        function.get("name"),
        function.get("arguments"),
        call_id=call_id if isinstance(call_id, str) and call_id else spare_id,
    )


def request_for(name: object, raw: object, *, call_id: str) -> Request:
    """One call as a policy asked for it, with its fault where it cannot be run."""
    text = raw if isinstance(raw, str) else _dump(raw)
    parsed, fault = _arguments(text)
    if not isinstance(name, str) or not name:
        fault = NO_NAME
    return Request(
        call_id=call_id,
        name=name if isinstance(name, str) else "",
        text=text,
        arguments=parsed if not fault else {},
        fault=fault,
    )


def _mapping(value: object) -> Mapping[str, Any]:
    # A plain dictionary first: asking whether something is a `Mapping` is ten times as slow.
    return value if isinstance(value, dict) or isinstance(value, Mapping) else {}  # noqa: SIM101 - see above


def _dump(raw: object) -> str:
    """Argument text of a client that sends an object instead of text; clients send nothing for "no arguments"."""
    if raw is None:
        return ""
    try:
        return json.dumps(raw, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return "(not JSON)"


def _arguments(text: str) -> tuple[dict[str, Json], str]:
    if not text.strip():
        return {}, ""
    try:
        value = DECODER.decode(text)
    except RecursionError:
        return {}, TOO_DEEP
    except ValueError:
        return {}, NOT_JSON
    if not isinstance(value, dict):
        return {}, NOT_AN_OBJECT
    deep = text.count("[") + text.count("{") > MAX_DEPTH and nested_deeper(value, MAX_DEPTH - 1)
    if deep or halved(text, value):
        return {}, TOO_DEEP if deep else NOT_JSON
    return value, ""
