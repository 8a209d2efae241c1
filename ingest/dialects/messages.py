"""Messages in any of the shapes that model APIs and frameworks use, as steps.

Comes in: parsed JSON or text: OpenAI chat and Responses items, OTel parts, Anthropic blocks, Gemini contents,
LangChain messages, Vercel parts, whole requests and responses of these. Goes out: `Messages`.
Shapes are told apart by their keys, because one dialect's attribute carries many of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Final

from ingest.dialects.attributes import is_elided
from ingest.episode import Step, ToolCall
from ingest.partial_json import parse_json
from ingest.text import Json, canonical, json_text

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
}

_REASONING: Final = frozenset({"reasoning", "thinking", "redacted_thinking", "reasoning_text"})
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
    if _is_message(value):
        _read_message(value, role, found)
        return
    instructions = (
        value.get("instructions") or value.get("system") or _config(value).get("system_instruction")
    )
    if instructions and role != "assistant":
        _read_value(instructions, "system", found, depth + 1)
    response = _response_of(value)
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


def _response_of(value: dict[str, Any]) -> Json:
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
    return None


def _is_message(value: dict[str, Any]) -> bool:
    if "message" in value and "role" not in value:
        return False
    if value.get("lc") and isinstance(value.get("kwargs"), dict):
        return True
    kind = value.get("type")
    if kind in {"function_call", "function_call_output", "message", "reasoning"}:
        return True
    if isinstance(value.get("role"), str):
        return True
    return isinstance(kind, str) and kind in ROLE_OF and "content" in value


def _is_part(value: Json) -> bool:
    """A content part without a message around it, as Gemini and stripped exports have them."""
    if not isinstance(value, dict) or "role" in value or "message" in value:
        return False
    return value.get("type") in {"text", "input_text", "output_text"} and (
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


@dataclass(slots=True)
class _Turn:
    """One message being read: its text, its calls and the results it carries."""

    texts: list[str] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    results: list[Step] = field(default_factory=list)


def _read_message(value: dict[str, Any], default: str, found: Messages) -> None:
    role = role_of(value, default)
    if value.get("lc") and isinstance(value.get("kwargs"), dict):
        value = value["kwargs"]
    kind = value.get("type")
    if kind == "function_call":
        _read_call_item(value, found)
        return
    if kind == "function_call_output":
        found.steps.append(
            Step(
                role="tool",
                content=_result_text(value.get("output")),
                call_id=_text(value.get("call_id")),
            )
        )
        return
    if kind == "reasoning" and "role" not in value:
        found.flags.add("reasoning_left_out")
        return
    parts = value.get("parts") if value.get("parts") is not None else value.get("content")
    if role == "tool" and _is_definition(parts):
        found.tools += read_tools(
            parts
        )  # Langfuse's LangChain handler lists the tools among the messages
        return
    if role == "tool" and not _has_result_part(parts) and not _is_call_list(parts):
        _read_tool_message(value, parts, found)
        return
    turn = _Turn()
    for part in parts if isinstance(parts, list) else [parts]:
        _read_part(part, turn, found)
    turn.calls += _tool_calls(value)
    _emit(role, turn, found)


def _read_call_item(value: dict[str, Any], found: Messages) -> None:
    """A Responses item: text and calls of one turn are items of their own there, one step here."""
    call = _call(value.get("call_id") or value.get("id"), value)
    last = found.steps[-1] if found.steps else None
    if last is not None and last.role == "assistant":
        found.steps[-1] = replace(last, tool_calls=(*last.tool_calls, call))
    else:
        found.steps.append(Step(role="assistant", tool_calls=(call,)))


def _emit(role: str, turn: _Turn, found: Messages) -> None:
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


def _has_result_part(parts: Json) -> bool:
    return isinstance(parts, list) and any(
        isinstance(part, dict)
        and (
            part.get("type") in {"tool_call_response", "tool_result", "tool-result"}
            or _either(part, "function_response", "functionResponse") is not None
        )
        for part in parts
    )


def _is_definition(parts: Json) -> bool:
    if not isinstance(parts, dict) or parts.get("type") != "function":
        return False
    function = parts.get("function")
    return isinstance(function, dict) and bool({"parameters", "description"} & set(function))


def _is_call_list(parts: Json) -> bool:
    """Calls under the role of their results, as Koog repeats them in the history."""
    return (
        isinstance(parts, list)
        and bool(parts)
        and all(
            isinstance(part, dict)
            and isinstance(part.get("function"), dict)
            and "arguments" in part["function"]
            for part in parts
        )
    )


def _read_tool_message(value: dict[str, Any], parts: Json, found: Messages) -> None:
    failed = value.get("is_error")
    if value.get("status") == "error":
        failed = True
    found.steps.append(
        Step(
            role="tool",
            content=_result_text(parts),
            call_id=_text(value.get("tool_call_id") or value.get("call_id") or value.get("id")),
            tool_name=_text(value.get("name")),
            is_error=failed if isinstance(failed, bool) else None,
        )
    )


def _read_part(part: Json, turn: _Turn, found: Messages) -> None:
    if part is None:
        return
    if isinstance(part, str):
        if is_elided(part):
            found.flags.add("no_content")
        else:
            turn.texts.append(part)
        return
    if not isinstance(part, dict):
        turn.texts.append(json_text(part))
        return
    kind = part.get("type")
    if kind in _REASONING or part.get("thought") is True:
        found.flags.add("reasoning_left_out")
    elif kind in {"tool_call", "tool_use", "tool-call", "function_call"}:
        turn.calls.append(_call(_either(part, "id", "toolCallId") or part.get("call_id"), part))
    elif kind in {"tool_call_response", "tool_result", "tool-result"}:
        turn.results.append(_result(part))
    elif _either(part, "function_call", "functionCall") is not None:
        call = _either(part, "function_call", "functionCall")
        turn.calls.append(
            _call(call.get("id"), call) if isinstance(call, dict) else _call(None, {})
        )
    elif _either(part, "function_response", "functionResponse") is not None:
        turn.results.append(_result(_either(part, "function_response", "functionResponse")))
    elif isinstance(part.get("function"), dict):
        turn.calls.append(_call(part.get("id"), part["function"]))
    else:
        text = _part_text(part)
        if text is None:
            found.flags.add("non_text_content")
        elif is_elided(text):
            found.flags.add("no_content")
        else:
            turn.texts.append(text)


def _part_text(part: dict[str, Any]) -> str | None:
    kind = part.get("type")
    if kind not in {None, "text", "input_text", "output_text", "refusal", "summary_text"}:
        return None
    for key in ("text", "content", "refusal"):
        if isinstance(part.get(key), str):
            return str(part[key])
    return None


def _either(part: Json, *keys: str) -> Json:
    if isinstance(part, dict):
        for key in keys:
            if part.get(key) is not None:
                return part[key]
    return None


def _call(identity: Json, part: dict[str, Any]) -> ToolCall:
    arguments = None
    for key in ("arguments", "args", "input", "parameters"):
        if key in part:
            arguments = part[key]
            break
    return ToolCall(
        call_id=_text(identity) or "",
        name=_text(_either(part, "name", "toolName", "tool_name")) or "",
        arguments="" if arguments is None else json_text(arguments),
    )


def _tool_calls(value: dict[str, Any]) -> Iterable[ToolCall]:
    calls = value.get("tool_calls")
    if not calls and isinstance(value.get("additional_kwargs"), dict):
        calls = value["additional_kwargs"].get("tool_calls")
    if not calls and isinstance(value.get("toolCalls"), list):
        calls = value["toolCalls"]
    if isinstance(value.get("function_call"), dict):
        yield _call(None, value["function_call"])
    if isinstance(calls, str):
        read = parse_json(calls)
        calls = read.value if read else None
    for item in calls if isinstance(calls, list) else ():
        if not isinstance(item, dict):
            continue
        call = item.get("tool_call") if isinstance(item.get("tool_call"), dict) else item
        inner = call.get("function") if isinstance(call.get("function"), dict) else call
        yield _call(_either(call, "id", "toolCallId", "call_id"), inner)


def _result(part: Json) -> Step:
    if not isinstance(part, dict):
        return Step(role="tool", content=json_text(part))
    value = None
    for key in ("response", "result", "output", "content"):
        if key in part:
            value = part[key]
            break
    failed = _either(part, "is_error", "isError")
    if isinstance(value, dict) and set(value) <= {"type", "value", "reason"} and "type" in value:
        failed = True if str(value["type"]).startswith("error") else failed
        value = value.get("value")
    return Step(
        role="tool",
        content=_result_text(value),
        call_id=_text(_either(part, "id", "tool_use_id", "toolCallId", "tool_call_id")),
        tool_name=_text(_either(part, "name", "toolName")),
        is_error=failed if isinstance(failed, bool) else None,
    )


def _result_text(value: Json) -> str | None:
    """A tool's result as text: text parts joined, anything else as JSON."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, list) and value and all(_is_text_part(item) for item in value):
        return "\n".join(_part_text(item) or "" for item in value)
    if isinstance(value, dict) and set(value) == {"result"} and isinstance(value["result"], str):
        return str(value["result"])
    return json_text(value)


def _is_text_part(item: Json) -> bool:
    return isinstance(item, dict) and item.get("type") in {"text", "output_text", "input_text"}


def _text(value: Json) -> str | None:
    """An id or a name; a composite id (a list, or a list as JSON text) becomes one canonical text."""
    if value is None or value == "":
        return None
    return value if isinstance(value, str) else canonical(value)


def settle_output(steps: list[Step]) -> list[Step]:
    """What a model call really said: one turn; of several choices the first, of an agent's whole loop everything."""
    if len(steps) < 2 or any(step.role == "tool" for step in steps):
        return steps
    if all(step.tool_calls for step in steps[1:]):
        calls = tuple(call for step in steps for call in step.tool_calls)
        return [replace(steps[0], tool_calls=calls)]
    return steps[:1]  # further choices of one request were never said to anyone


def read_tools(value: Json) -> list[str]:
    """Tool definitions in OpenAI's form, each as canonical JSON text, from any of the forms in use."""
    if isinstance(value, str):
        read = parse_json(value)
        value = read.value if read else None
    if isinstance(value, dict):
        value = (
            list(value.values()) if all(isinstance(v, dict) for v in value.values()) else [value]
        )
    tools: list[str] = []
    for item in value if isinstance(value, list) else ():
        tools += _read_tool(item)
    return tools


def _read_tool(item: Json) -> list[str]:
    if isinstance(item, str):
        return read_tools(item)
    if not isinstance(item, dict):
        return []
    declared = _either(item, "function_declarations", "functionDeclarations")
    if isinstance(declared, list):
        return read_tools(declared)
    for wrapper in ("tool.json_schema", "json_schema"):
        if item.get(wrapper):
            return read_tools([item[wrapper]])
    if isinstance(item.get("tool"), dict) and "json_schema" in item["tool"]:
        return read_tools([item["tool"]["json_schema"]])
    inner = item.get("function") if isinstance(item.get("function"), dict) else item
    name = inner.get("name")
    if not isinstance(name, str) or not name:
        return []
    function: dict[str, Any] = {"name": name}
    if isinstance(inner.get("description"), str):
        function["description"] = inner["description"]
    for key in ("parameters", "input_schema", "inputSchema", "parameters_json_schema"):
        schema = inner.get(key)
        if isinstance(schema, str):
            read = parse_json(schema)
            schema = read.value if read else None
        if isinstance(schema, dict):
            function["parameters"] = schema
            break
    if isinstance(inner.get("strict"), bool):
        function["strict"] = inner["strict"]
    return [canonical({"type": "function", "function": function})]
