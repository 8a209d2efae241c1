"""Calls and results of one message, under any of the names in use, as OpenAI's messages have them.

Comes in: an item of a list of messages. Goes out: the calls beside its text (with the results that some logs keep inside
them), the calls or results that its content is a list of, and the message of a tool.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Final

from ingest.dialects.attributes import python_literal
from ingest.dialects.content_blocks import blocks_text, is_text_block
from ingest.dialects.parts import CALL_TYPES, first_of, is_result, parts_in
from ingest.files.partial_json import parse_json
from ingest.formats.records.steps import call_of, opened
from ingest.formats.records.text_calls import (
    announced,
    calls_in,
    object_act,
    results_in,
    written_list,
)
from ingest.formats.records.words import CALL, NAMES, is_name, role_of
from ingest.formats.records.written_calls import ARGUMENT, listed_calls, plain_act, written_call
from ingest.records.call_names import (
    ARGUMENTS,
    CALL_IDS,
    CALL_LISTS,
    CALLS,
    FAILURES,
    RESULT_LISTS,
    RESULTS,
    TOOLS,
)
from ingest.records.text import Json, json_text, objects_in, type_of

_RESULT: Final = tuple(name for name in RESULTS if name not in RESULT_LISTS)
"""Where one result stands; a list of several is read apart."""
_FAILED: Final = ("error", "failed", "failure")
_NO_CALLS: Final = frozenset((*NAMES["said"], *RESULT_LISTS))
Message = dict[str, Any]


@dataclass(slots=True, kw_only=True)
class MessageCalls:
    """The calls of a message, what is left of its content, and results that stood beside the calls."""

    calls: list[Message] = field(default_factory=list)
    results: list[Message] = field(default_factory=list)
    content: Json = None
    is_written: bool = False
    """Whether the call is a line of the text."""
    holds_results: bool = False
    """Whether results stood inside listed calls."""
    is_list: bool = False
    """Whether the calls are a list in the text, or one where others have one call: their results are a list, too."""


def message_calls(
    item: Message, content: Json, *, index: int | str, is_model: bool
) -> MessageCalls:
    """Everything that a message asks for; `index` makes ids for calls that need one, `is_model` lets text hold calls."""
    found = MessageCalls(content=content, is_list=bool(_several_calls(item)))
    for number, call in enumerate(_listed_calls(item)):
        held = next((key for key in (*_RESULT, *FAILURES) if _stands_beside(call, key)), None)
        own = call
        if held is not None:
            identity = next((call[key] for key in ("id", *CALL_IDS) if call.get(key)), None)
            identity = identity or f"call_{index}_{number}"
            own = {**call, "id": identity}
            has_failed = held in FAILURES or call.get("status") in _FAILED
            failed = {"is_error": True} if has_failed else {}
            found.results.append({"tool_call_id": identity, "content": call[held], **failed})
        found.calls.append(own)
    found.holds_results = bool(found.results)
    parts = content if isinstance(content, list) else []
    text = parts[0]["text"] if len(parts) == 1 and is_text_block(parts[0]) else content
    if is_model and not found.calls and isinstance(text, str):
        tagged = calls_in(text)
        told = tagged or written_call(text) or object_act(text, in_list=True)
        if told is not None:
            found.calls, found.content = told.calls, told.text
            found.is_written, found.is_list = tagged is None or told.is_named, told.is_list
    if isinstance(found.content, list) and any(map(_page_call, found.content)):
        _take_answered(found, found.content)
    found.results += _listed_results(item)
    listed = _untyped_list(found.content)
    if listed is not None:
        found.calls += listed.calls
        found.results += listed.results
        found.content = None
    return found


def _take_answered(found: MessageCalls, parts: list[Json]) -> None:
    """Take the parts that are calls with their results out of the content."""
    calls = {n: call for n, part in enumerate(parts) if (call := _page_call(part)) is not None}
    for call in calls.values():
        identity = call.get("id") or call.get("toolCallId")
        found.calls.append({**{k: v for k, v in call.items() if k != "result"}, "id": identity})
        if call.get("result") is not None:
            told = {"tool_call_id": identity, "content": json_text(call["result"])}
            found.results.append(told)
    found.content = [part for n, part in enumerate(parts) if n not in calls]


def call_by_message(item: Message, tools: set[str]) -> Message:
    """The call that a message is which an agent sends to one of these tools, with its text as arguments, or lists; else the message itself."""
    listed = written_list(item.get("content")) if role_of(str(item.get("role"))) == CALL else []
    if listed:
        return {**item, "role": "assistant", "content": None, "tool_calls": listed}
    tool = item.get("recipient")
    text = blocks_text(next((item[key] for key in NAMES["said"] if item.get(key)), None)) or ""
    if not isinstance(tool, str) or tool not in tools or listed_calls(text):
        return item
    read = parse_json(text)
    given = read.value if read is not None and isinstance(read.value, dict) else {ARGUMENT: text}
    # A program that calls what is named beside it begins with the arguments: `x = {"id": 1}`.
    assigned = python_literal(text.partition("\n")[0].partition(" = ")[2])
    for key, one in item.items() if isinstance(assigned, dict) else ():
        tool, given = (one, assigned) if key.endswith("function_name") and one else (tool, given)
    rest = {key: one for key, one in item.items() if key not in {"content", "id"}}
    return {**rest, "tool_calls": [{"name": tool, "arguments": given}]}


def holds_call(content: Json) -> bool:
    """Whether a text of an agent is, or ends in, a call."""
    return isinstance(content, str) and (
        calls_in(content) is not None
        or written_call(content) is not None
        or plain_act(content) is not None
        or object_act(content) is not None
        or bool(announced(content)[1])
    )


def results(item: Message, content: Json) -> list[Message]:
    """The message of a tool: one result, or several that a template or a framework put into one."""
    own = _listed_results(item)
    if own:
        return own  # what the message says is then their texts, joined
    if content is None:
        content = next((item[key] for key in _RESULT if item.get(key) is not None), None)
    listed = _untyped_list(content)
    if listed is not None and listed.results:
        return listed.results
    answered = results_in(content) if isinstance(content, str) else None
    if answered and len(answered) > 1:
        return [{"content": text} for text in answered]
    message: Message = {"content": answered[0] if answered else content, **_call_of(item)}
    named = next((item[key] for key in TOOLS if is_name(item.get(key))), None)
    if named is not None:
        message["name"] = named
    message |= {key: item[key] for key in ("is_error", "status") if key in item}
    return [_failed_message(message, item.get("error"))]


def _listed_results(item: Message) -> list[Message]:
    """The results that a message lists beside what it says."""
    listed = next((item[key] for key in RESULT_LISTS if isinstance(item.get(key), list)), None)
    told = ((one, first_of(one, *RESULTS, "content")) for one in objects_in(listed))
    return [
        {**_call_of(one), **_name_of(one), "content": json_text(content)}
        for one, content in told
        if content is not None
    ]


def _name_of(result: Message) -> Message:
    call = result.get("call")
    own = call if isinstance(call, dict) else result
    named = next((own[key] for key in TOOLS if is_name(own.get(key))), None)
    return {} if named is None else {"name": named}


def pieces(content: Json) -> list[Json]:
    """An agent's content, cut behind each run of calls with their results inside, and around results that stand among its parts."""
    if isinstance(content, list) and any(map(is_result, content)):
        return [list(run) for _, run in groupby(content, key=is_result)]
    if not isinstance(content, list) or not any(map(_answered_call, content)):
        return [content]
    runs = [
        list(run) for _, run in groupby(content, key=lambda part: _answered_call(part) is not None)
    ]
    found: list[Json] = []
    for run in runs:
        if _answered_call(run[0]) is not None and found and _answered_call(found[-1][-1]) is None:
            found[-1] = [*found[-1], *run]
        else:
            found.append(run)
    return found


def _answered_call(part: Json) -> Message | None:
    """A part that is a call with its result inside, as pages of chats keep them, in the words of a list of calls."""
    call = _page_call(part)
    return call if call is not None and call.get("result") is not None else None


def _page_call(part: Json) -> Message | None:
    """The same, also where the result never came."""
    kind = type_of(part) if isinstance(part, dict) else None
    inner = part.get("toolInvocation") if isinstance(part, dict) else None
    if isinstance(inner, dict):
        return inner
    if not isinstance(kind, str) or not isinstance(part.get("toolCallId"), str):
        return None
    name = part.get("toolName") or kind.removeprefix("tool-")
    told = part.get("output", part.get("errorText"))
    if not is_name(name) or (told is None and ("input" not in part or kind in CALL_TYPES)):
        return None
    return {"id": part["toolCallId"], "name": name, "args": part.get("input", {}), "result": told}


def _call_of(item: Message) -> Message:
    """The call that a tool's message answers, where it says so."""
    key = next((key for key in CALL_IDS if not isinstance(item.get(key, {}), dict)), None)
    if key is None:
        return {"id": item["id"]} if item.get("id") is not None else {}
    identity = item[key]
    if isinstance(identity, list):
        identity = identity[0] if identity else None
    return {"tool_call_id": identity}


def _failed_message(message: Message, failure: Json) -> Message:
    """The message of a call that failed, with the failure's own words where it has no others."""
    if not failure:
        return message
    told = failure.get("message") if isinstance(failure, dict) else failure
    if not blocks_text(message["content"]) and isinstance(told, str):
        return {**message, "content": told, "is_error": True}
    return {**message, "is_error": True}


def _listed_calls(item: Message) -> list[Message]:
    key = next((key for key in (*CALL_LISTS, *item) if lists_calls(key, item.get(key))), "")
    listed = item.get(key, _several_calls(item))
    if isinstance(listed, str):
        read = parse_json(listed)
        listed = read.value if read else None
    if isinstance(listed, dict):
        # `actions` may also be what a framework did: under a name for several, a call names its tool.
        is_call = key in (*CALLS, "toolCall") or any(one in listed for one in TOOLS)
        listed = [listed] if is_call else []
    calls = objects_in(listed)
    return [{**one, **(call_of(one) or {})} if opened(one) is not one else one for one in calls]


def lists_calls(key: str, value: Json) -> bool:
    """Whether a message keeps its calls there: under a name for them, or as nothing but tools with arguments and a place for a result."""
    items = objects_in(value) if key not in _NO_CALLS else []
    told = (call_of(one) is not None and any(key in one for key in _RESULT) for one in items)
    return bool(value) and (key in CALL_LISTS or (items == value and all(told)))


def _several_calls(item: Message) -> list[Json]:
    """The calls under the name that a model's API once had for one: what comes back is a list, too."""
    listed = item.get("function_call")
    return listed if isinstance(listed, list) else []


def _stands_beside(call: Message, key: str) -> bool:
    """Whether a call carries its result: it has arguments of its own, and this beside them."""
    if call.get(key) is None or (key in FAILURES and not isinstance(call[key], str)):
        return False
    return isinstance(call.get("function"), dict) or any(
        one in call for one in ARGUMENTS if one != key
    )


def _untyped_list(content: Json) -> MessageCalls | None:
    """The calls or the results that a message's content is a list of, without a word about their type."""
    items = (parts_in(content) or []) if isinstance(content, str) else content
    if not isinstance(items, list) or not items:
        return None
    if not all(isinstance(one, dict) and "type" not in one for one in items):
        return None
    if all("arguments" in one and isinstance(one.get("name"), str) for one in items):
        return MessageCalls(calls=items)
    if all("call_id" in one and "content" in one for one in items):
        keys = ("content", "name", "is_error")
        told = [
            {"tool_call_id": one["call_id"], **{key: one[key] for key in keys if key in one}}
            for one in items
        ]
        return MessageCalls(results=told)
    # A call may be an object of one key, the tool's name, with its arguments as JSON text.
    pairs = [pair for one in items for pair in one.items()]
    given = [parse_json(told) if isinstance(told, str) else None for _, told in pairs]
    is_part = any(name in NAMES["keys_of_parts"] for name, _ in pairs)
    are_given = all(one and isinstance(one.value, dict) for one in given)
    if len(pairs) == len(items) and are_given and not is_part:
        return MessageCalls(calls=[{"name": name, "arguments": told} for name, told in pairs])
    return None
