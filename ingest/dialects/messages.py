"""Messages in any of the shapes that model APIs and frameworks use, as steps.

Comes in: parsed JSON or text: OpenAI chat and Responses items, OTel parts, Anthropic blocks, Gemini contents,
LangChain messages, Vercel parts, whole requests and responses of these. Goes out: `Messages`.
Shapes are told apart by their keys, because one dialect's attribute carries many of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from ingest.dialects.attributes import is_elided
from ingest.dialects.content_blocks import blocks_text, has_media
from ingest.dialects.parts import (
    Turn,
    id_text,
    is_call_list,
    is_definition,
    is_result,
    read_call,
    read_calls,
    read_result,
    result_parts,
    without_measures,
)
from ingest.dialects.tool_schemas import read_tools
from ingest.files.partial_json import parse_json
from ingest.records.call_names import RESULT_LISTS
from ingest.records.episode import Step
from ingest.records.text import Json, type_of

ROLE_OF: Final = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "model": "assistant",
    "ai": "assistant",
    "tool": "tool",
    "function": "tool",
    "HumanMessage": "user",
    "AIMessage": "assistant",
    "AIMessageChunk": "assistant",
    "SystemMessage": "system",
    "ToolMessage": "tool",
    "FunctionMessage": "tool",
    "UserMessage": "user",
    "AssistantMessage": "assistant",
    "FunctionExecutionResultMessage": "tool",
}

_RUN_BY_MAKER: Final = frozenset({"web_search_call", "file_search_call", "local_shell_call"})
"""Calls to tools that the model's maker runs: their type names the tool, and what was asked of it is an `action`."""
CALL_ITEMS: Final = frozenset({"function_call", "custom_tool_call", *_RUN_BY_MAKER})
"""Items of OpenAI's Responses API that are calls; a custom tool takes text, under `input`."""
RESULT_ITEMS: Final = frozenset({f"{one}_output" for one in CALL_ITEMS})
_WRAPPERS: Final = ("messages", "contents", "input", "prompt", "chat_history")


@dataclass(slots=True, kw_only=True)
class Messages:
    """What was read, and what was missing."""

    steps: list[Step] = field(default_factory=list)
    tools: list[str] = field(default_factory=list)
    flags: set[str] = field(default_factory=set)

    def add(self, other: Messages) -> None:
        """Append what another reading found."""
        self.steps += other.steps
        self.tools += other.tools
        self.flags |= other.flags


def read_messages(value: Json, *, role: str) -> Messages:
    """Read messages from whatever an attribute holds; `role` is whose a bare text is."""
    found = Messages()
    if isinstance(value, str):
        if is_elided(value):
            found.flags.add("no_content")
            return found
        read = parse_json(value) if value.lstrip()[:1] in {"{", "["} else None
        if read is None or not isinstance(read.value, dict | list):
            if value:
                found.steps.append(Step(role=role, content=value))
            return found
        if read.cut:
            found.flags.add("truncated")
        value = read.value
    _read_value(value, role, found, 0)
    return found


def read_more(value: Json, found: Messages, *, role: str) -> None:
    """Read one more message of a list behind those that were found: a call that stands alone joins the turn before it."""
    _read_value(value, role, found, 0)


def _read_value(value: Json, role: str, found: Messages, depth: int) -> None:
    if depth > 6 or value is None:
        return
    if isinstance(value, list):
        if value and all(_is_part(item) for item in value):
            _read_message({"role": role, "content": value}, role, found)
            return
        for item in value:
            _read_value(item, role, found, depth + 1)
    elif isinstance(value, dict):
        _read_dict(value, role, found, depth)
    elif isinstance(value, str) and value:
        found.steps.append(Step(role=role, content=value))


def _read_dict(value: dict[str, Any], role: str, found: Messages, depth: int) -> None:
    found.tools += read_tools(value.get("tools") or _config(value).get("tools"))
    if isinstance(value.get("toolCalls"), list) and "content" not in value:
        value = {"role": role, "content": value.get("text"), **value}  # what came of one step
    if _is_message(value):
        _read_message(value, role, found)
        return
    instructions = (
        value.get("instructions") or value.get("system") or _config(value).get("system_instruction")
    )
    if instructions and role != "assistant":
        _read_value(instructions, "system", found, depth + 1)
    response = response_in(value)
    if response is not None:
        _read_value(response, "assistant", found, depth + 1)
        return
    if isinstance(value.get("args"), list) and set(value) <= {"args", "kwargs"}:
        # The arguments of a traced Python function: the first one that holds text or messages.
        given = [*value["args"], *(value.get("kwargs") or {}).values()]
        _read_value(
            next((v for v in given if isinstance(v, str | list)), None), role, found, depth + 1
        )
        return
    for key in _WRAPPERS:
        if value.get(key):
            _read_value(value[key], role, found, depth + 1)
            return
    for key in ("message", "content", "text", "output", "result", "new_message"):
        if value.get(key):
            _read_value(value[key], role, found, depth + 1)
            return


def _config(value: dict[str, Any]) -> dict[str, Any]:
    config = value.get("config")
    return config if isinstance(config, dict) else {}


def response_in(value: dict[str, Any]) -> Json:
    """The message inside a whole response of OpenAI, Gemini or LangChain."""
    if isinstance(value.get("choices"), list):
        first = value["choices"][:1]
        return [choice.get("message") for choice in first if isinstance(choice, dict)]
    if isinstance(value.get("candidates"), list):
        first = value["candidates"][:1]
        return [choice.get("content") for choice in first if isinstance(choice, dict)]
    if isinstance(value.get("generations"), list):
        generation = value["generations"]
        while isinstance(generation, list) and generation:
            generation = generation[0]
        if isinstance(generation, dict):
            return generation.get("message") or generation.get("text")
    if isinstance(value.get("output"), list) and "object" in value:
        return value["output"]
    if isinstance(value.get("output"), dict) and "stopReason" in value:
        return value["output"].get("message")
    return None


def _is_message(value: dict[str, Any]) -> bool:
    if "message" in value and "role" not in value:
        return False
    if value.get("lc") and isinstance(value.get("kwargs"), dict):
        return True
    kind = type_of(value)
    if kind in {*CALL_ITEMS, *RESULT_ITEMS, "message", "reasoning"}:
        return True
    is_answer = "finish_reason" in value and isinstance(value.get("content"), str | list)
    if isinstance(value.get("role"), str) or is_answer:
        return True
    return isinstance(kind, str) and kind in ROLE_OF and "content" in value


def _is_part(value: Json) -> bool:
    """A content part without a message around it, as Gemini and stripped exports have them."""
    if not isinstance(value, dict) or "role" in value or "message" in value:
        return False
    return type_of(value) in {"text", "input_text", "output_text"} and (
        "text" in value or "content" in value
    )


def role_of(value: dict[str, Any], default: str) -> str:
    """The message's role in our words."""
    kwargs_id = value.get("id")
    if value.get("lc") and isinstance(kwargs_id, list) and kwargs_id:
        return ROLE_OF.get(str(kwargs_id[-1]), default)
    for key in ("role", "type"):
        word = value.get(key)
        if isinstance(word, str) and word in ROLE_OF:
            return ROLE_OF[word]
    # A role of the app's own making is a participant's name: who speaks in the input is not the model.
    return default


def _read_message(value: dict[str, Any], default: str, found: Messages) -> None:
    role = role_of(value, default)
    if role == "user" and isinstance(value.get("tool_call_id"), str):
        role = "tool"  # Anthropic's API has results in the user's name
    if value.get("lc") and isinstance(value.get("kwargs"), dict):
        value = value["kwargs"]
    kind = type_of(value)
    if kind in CALL_ITEMS:
        _read_call_item(value, found)
        return
    if kind in RESULT_ITEMS:
        _read_tool_message({"call_id": value.get("call_id")}, value.get("output"), found)
        return
    if kind == "reasoning" and "role" not in value:
        found.flags.add("reasoning_left_out")
        return
    parts = value.get("parts") if value.get("parts") is not None else value.get("content")
    if role == "tool" and is_definition(parts):
        found.tools += read_tools(
            parts
        )  # Langfuse's LangChain handler lists the tools among the messages
        return
    listed = next((value[key] for key in RESULT_LISTS if isinstance(value.get(key), list)), None)
    if role == "tool" and listed:
        found.steps += (read_result(part) for part in listed if isinstance(part, dict))
        return
    holds_results = isinstance(parts, list) and any(map(is_result, parts))
    if role == "tool" and not holds_results and not is_call_list(parts):
        _read_tool_message(value, parts, found)
        return
    _emit(role, _turn_of(parts, value), found)


def _turn_of(parts: Json, message: dict[str, Any]) -> Turn:
    turn = Turn()
    for part in parts if isinstance(parts, list) else [parts]:
        turn.take(part)
    if turn.calls and not turn.texts and isinstance(message.get("thought"), str):
        turn.take(message["thought"])  # AutoGen puts what was said beside calls there
    known = {call.call_id for call in turn.calls if call.call_id}
    turn.calls += (call for call in read_calls(message) if call.call_id not in known)
    return turn


def _read_call_item(value: dict[str, Any], found: Messages) -> None:
    """A Responses item: text and calls of one turn are items of their own there, one step here."""
    given = value.get("input")
    if type_of(value) == "custom_tool_call" and isinstance(given, str):
        value = {**value, "input": {"input": given}}
    if (kind := type_of(value)) in _RUN_BY_MAKER:
        action = value.get("action")
        asked = action if isinstance(action, dict) else {"queries": value.get("queries")}
        given = {key: one for key, one in asked.items() if key != "type"}
        value = {**value, "name": str(kind).removesuffix("_call"), "arguments": given}
    call = read_call(value.get("call_id") or value.get("id"), value)
    last = found.steps[-1] if found.steps else None
    if last is not None and last.role == "assistant":
        found.steps[-1] = replace(last, tool_calls=(*last.tool_calls, call))
    else:
        found.steps.append(Step(role="assistant", tool_calls=(call,)))


def _emit(role: str, turn: Turn, found: Messages) -> None:
    found.flags |= turn.flags
    # Results come first: a user's message that carries results answers the calls, then speaks.
    found.steps += turn.results
    text = "\n".join(turn.texts) if turn.texts else None
    if turn.calls:
        found.steps.append(
            Step(role="assistant", content=text or None, tool_calls=tuple(turn.calls))
        )
    elif text is not None and (text or not turn.results):
        found.steps.append(Step(role="user" if role == "tool" else role, content=text))
    elif not turn.results and role == "assistant":
        found.steps.append(Step(role=role, content=None))


def _read_tool_message(value: dict[str, Any], parts: Json, found: Messages) -> None:
    failed = value.get("is_error")
    if value.get("status") == "error":
        failed = True
    parts, code = without_measures(result_parts(parts))
    failed = code != 0 if code is not None and failed is None else failed
    if has_media(parts):
        found.flags.add("non_text_content")
    found.steps.append(
        Step(
            role="tool",
            content=blocks_text(parts),
            call_id=id_text(value.get("tool_call_id") or value.get("call_id") or value.get("id")),
            tool_name=id_text(value.get("name")),
            is_error=failed if isinstance(failed, bool) else None,
        )
    )


def settle_output(steps: list[Step]) -> list[Step]:
    """What a model call really said: one turn; of several choices the first, of an agent's whole loop everything."""
    if len(steps) < 2 or any(step.role == "tool" for step in steps):
        return steps
    if all(step.tool_calls for step in steps[1:]):
        calls = tuple(call for step in steps for call in step.tool_calls)
        return [replace(steps[0], tool_calls=calls)]
    return steps[:1]  # further choices of one request were never said to anyone


def with_calls(said: Sequence[Step], told: Iterable[Step]) -> list[Step]:
    """What a model said, with the calls that are told beside it alone."""
    calls = tuple(call for step in told for call in step.tool_calls)
    if not calls or any(step.tool_calls for step in said):
        return list(said)
    last = said[-1] if said else Step(role="assistant")
    return [*said[:-1], replace(last, content=last.content or None, tool_calls=calls)]


def exchanged(given: Messages, made: Messages) -> dict[str, Any]:
    """The fields of a `Reading` that hold what a model was given, what it really said, and what was missing."""
    return {
        "input": tuple(given.steps),
        "output": tuple(settle_output(made.steps)),
        "flags": frozenset(given.flags | made.flags),
    }
