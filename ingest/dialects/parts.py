"""Parts of one message: text, calls and results in the forms of all model APIs.

Comes in: a part as parsed JSON. Goes out: a `Turn` that is filled part by part. Which message the parts are of is
`messages`' business.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Final

from ingest.dialects.attributes import is_elided, parsed
from ingest.dialects.content_blocks import (
    blocks_text,
    is_text_block,
    part_text,
    protocol_result,
    result_text,
)
from ingest.files.partial_json import parse_json
from ingest.records.call_names import ARGUMENTS, TOOLS
from ingest.records.episode import Step, ToolCall
from ingest.records.text import Json, canonical, json_text, objects_in, type_of

REASONING: Final = frozenset({"reasoning", "thinking", "redacted_thinking", "reasoning_text"})
CALL_TYPES: Final = frozenset({"tool_call", "tool_use", "tool-call", "function_call"})
RESULT_TYPES: Final = frozenset(
    {"tool_call_response", "tool_result", "tool-result", "function_result"}
)
_UNTYPED: Final = {
    "tool_call": frozenset({"id", "name", "arguments"}),
    "tool_result": frozenset({"call_id", "content"}),
}
"""What a part has that is a call or a result and does not say its type (AutoGen)."""
_KINDS: Final = {"text", *CALL_TYPES, *RESULT_TYPES} - {"function_call", "function_result"}
_TOLD: Final = ("response", "result", "output", "content", "tool_result")
_CALLS_WITHIN: Final = {
    "function_call": "id",
    "functionCall": "id",
    "toolUse": "toolUseId",
    "toolRequest": "ref",
    "tool_call": "id",
}
"""Keys of a part under which a call stands (Gemini, Bedrock, Genkit, Haystack), and what its id is called there."""
_GEMINI_WRAPPED: Final = ({"result"}, {"output"}, {"content"})
_BEDROCK_PARTS: Final = frozenset(
    {"text", "toolUse", "toolResult", "reasoningContent"}
    | {"cachePoint", "image", "document", "video"}
)
_RESPONSES_PARTS: Final = frozenset({"input_text", "input_image", "input_file"})
_MARKS: Final = frozenset({"annotations", "meta"})
"""What the Model Context Protocol's Python library writes beside a text, also where it is null."""
_RUN_IDS: Final = ("call_id", "tool_call_id", "tool_use_id", "callId", "toolCallId")
_MEASURES: Final = frozenset({"duration_seconds", "duration_ms", "duration", "wall_time_seconds"})
_VERCEL_OUTPUTS: Final = frozenset(
    {"text", "json", "content", "error-text", "error-json", "execution-denied"}
)


def kinds_of(value: Json) -> set[str]:
    """The kinds of a message's parts, each of which says its own; nothing where a value is no list of these."""
    told = {str(type_of(one)) for one in objects_in(value)}
    return told if told <= _KINDS else set()


@dataclass(slots=True)
class Turn:
    """One message being read: its text, its calls and the results it carries."""

    texts: list[str] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    results: list[Step] = field(default_factory=list)
    flags: set[str] = field(default_factory=set)

    def take(self, part: Json) -> None:
        """Read one part."""
        if isinstance(part, dict):
            self._take_object(part)
        elif isinstance(part, str):
            self._take_text(part)
        elif part is not None:
            self.texts.append(json_text(part))

    def _take_object(self, part: dict[str, Any]) -> None:
        kind = _kind_of(part)
        call = next((key for key in _CALLS_WITHIN if isinstance(part.get(key), dict)), None)
        result = next((key for key in _RESULTS_WITHIN if isinstance(part.get(key), dict)), None)
        if kind in REASONING or part.get("thought") is True:
            self.flags.add("reasoning_left_out")
        elif kind in CALL_TYPES:
            identity = part.get("call_id") or first_of(part, "id", "toolCallId")
            self.calls.append(read_call(identity, part))
        elif kind in RESULT_TYPES:
            self.results.append(read_result(part))
        elif call is not None:
            self.calls.append(read_call(part[call].get(_CALLS_WITHIN[call]), part[call]))
        elif result is not None:
            self.results.append(_RESULTS_WITHIN[result](part[result]))
        elif "reasoningContent" in part:
            self.flags.add("reasoning_left_out")
        elif isinstance(part.get("function"), dict):
            self.calls.append(read_call(part.get("id"), part["function"]))
        else:
            self._take_text(part_text(part))

    def _take_text(self, text: str | None) -> None:
        if text is None:
            self.flags.add("non_text_content")
        elif is_elided(text):
            self.flags.add("no_content")
        else:
            self.texts.append(text)


def is_result(part: Json) -> bool:
    """Whether a part is the result of a call."""
    return isinstance(part, dict) and (
        _kind_of(part) in RESULT_TYPES
        or any(isinstance(part.get(key), dict) for key in _RESULTS_WITHIN)
    )


def _kind_of(part: dict[str, Any]) -> Json:
    kind = type_of(part)
    bare = (one for one, keys in _UNTYPED.items() if kind is None and keys <= part.keys())
    return next(bare, kind)


def is_call_list(parts: Json) -> bool:
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


def is_definition(parts: Json) -> bool:
    """Whether a message's content is a tool's definition."""
    if not isinstance(parts, dict) or parts.get("type") != "function":
        return False
    function = parts.get("function")
    return isinstance(function, dict) and bool({"parameters", "description"} & set(function))


def first_of(part: Json, *keys: str) -> Json:
    """The first of the keys that an object has."""
    if isinstance(part, dict):
        for key in keys:
            if part.get(key) is not None:
                return part[key]
    return None


def read_call(identity: Json, part: dict[str, Any]) -> ToolCall:
    """One call; arguments that were not captured are empty text, which is no JSON and nobody's `{}`."""
    arguments = next((part[key] for key in ARGUMENTS if key in part), None)
    name = first_of(part, "name", "toolName", "tool_name", "function_name", "tool", "tool_id", "fn")
    if name is None and isinstance(part.get("function"), str):
        name = part["function"]
    return ToolCall(
        call_id=id_text(identity) or "",
        name=id_text(name) or "",
        arguments="" if arguments is None else json_text(arguments),
    )


def called_by_id(given: Json) -> ToolCall | None:
    """The call that a function was given to run: an id, the arguments, and perhaps a name and switches that are off; None where it was given anything else."""
    told = given.items() if isinstance(given, dict) else ()
    known = {key: value for key, value in told if value is not None}
    call_id = first_of(known, *_RUN_IDS)
    held = [parsed(value) for key, value in known.items() if key in ARGUMENTS]
    is_call = known.keys() <= {*_RUN_IDS, *ARGUMENTS, *TOOLS} and len(held) == 1
    return read_call(call_id, known) if call_id and is_call and isinstance(held[0], dict) else None


def read_calls(value: dict[str, Any]) -> Iterable[ToolCall]:
    """The calls that a message has beside its content."""
    extra = value.get("additional_kwargs")
    calls = first_of(value, "tool_calls", "toolCalls") or first_of(extra, "tool_calls")
    if isinstance(value.get("function_call"), dict):
        yield read_call(None, value["function_call"])
    if isinstance(calls, str):
        read = parse_json(calls)
        calls = read.value if read else None
    for listed in calls if isinstance(calls, list) else ():
        item = parsed(
            listed
        )  # an attribute of an event holds no objects: LiveKit writes each call as JSON
        if isinstance(item, dict):
            call = item["tool_call"] if isinstance(item.get("tool_call"), dict) else item
            inner = call["function"] if isinstance(call.get("function"), dict) else call
            yield read_call(first_of(call, "id", *_RUN_IDS, "request_id", "tool_id"), inner)


def read_result(part: dict[str, Any]) -> Step:
    """One result part."""
    value = next((part[key] for key in _TOLD if key in part), None)
    if value is None and ("result" in part or "response" in part):
        value = "null"  # what a model reads of a tool that returned nothing
    failed = first_of(part, "is_error", "isError")
    if (
        type_of(part) == "tool-result"
        and isinstance(value, dict)
        and type_of(value) in _VERCEL_OUTPUTS
    ):
        failed = True if str(value["type"]).startswith("error") else failed
        value = value.get("value", value.get("reason"))
    return Step(
        role="tool",
        content=blocks_text(result_parts(value)),
        call_id=id_text(
            first_of(part, "id", "tool_use_id", "toolCallId", "tool_call_id", "call_id", "tool_id")
        ),
        tool_name=id_text(first_of(part, "name", "toolName")),
        is_error=failed if isinstance(failed, bool) else None,
    )


def _read_gemini_result(part: dict[str, Any]) -> Step:
    value = part.get("response")
    return Step(
        role="tool",
        content=result_text(_out_of_object(value)),
        call_id=id_text(part.get("id")),
        tool_name=id_text(part.get("name")),
        is_error=True if isinstance(value, dict) and set(value) == {"error"} else None,
    )


def out_of_object(text: str | None) -> str | None:
    """A result without the object that Gemini's API asks for, where its client wrote it into anything else."""
    told = parsed(text)
    return text if (value := _out_of_object(told)) is told else json_text(value)


def without_object(step: Step) -> Step:
    """A step, of results what stands in that object."""
    return replace(step, content=out_of_object(step.content)) if step.role == "tool" else step


def _out_of_object(value: Json) -> Json:
    # The API takes objects only: its documentation and its SDKs wrap every other result like this.
    keys = set(value) if isinstance(value, dict) else set()
    if not isinstance(value, dict) or keys not in _GEMINI_WRAPPED:
        return value
    value = value[keys.pop()]
    return "null" if value is None else value


def _read_answer(part: dict[str, Any]) -> Step:
    """A result that names the call it answers (Genkit), or holds it (Haystack)."""
    asked = part["origin"] if isinstance(part.get("origin"), dict) else part
    told = {"id": first_of(asked, "ref", "id"), "name": first_of(asked, "name", "tool_name")}
    value = part.get("output", part.get("result"))
    return read_result({**told, "result": value, "is_error": part.get("error")})


def _read_bedrock_result(part: dict[str, Any]) -> Step:
    content = part.get("content")
    listed = content if isinstance(content, list) else []
    bare = [i["json"] if isinstance(i, dict) and set(i) == {"json"} else i for i in listed]
    told = bare if isinstance(content, list) else content
    if len(bare) == 1 and not is_text_block(bare[0]):
        told = bare[0]
    return Step(
        role="tool",
        content=blocks_text(told),
        call_id=id_text(part.get("toolUseId")),
        is_error=part["status"] == "error" if isinstance(part.get("status"), str) else None,
    )


_RESULTS_WITHIN: Final[dict[str, Callable[[dict[str, Any]], Step]]] = {
    "function_response": _read_gemini_result,
    "functionResponse": _read_gemini_result,
    "toolResult": _read_bedrock_result,
    "toolResponse": _read_answer,
    "tool_call_result": _read_answer,
}


def result_parts(content: Json) -> Json:
    """The parts of a result, where a client wrote a model API's, LangChain's or MCP's parts, or the one, or MCP's whole result, as JSON into the place of its text."""
    is_one = isinstance(content, str) and content[:1] == "{" and '"annotations"' in content
    whole = protocol_result(parsed(content)) if is_one else None
    parts = whole["content"] if whole else parts_in(f"[{content}]" if is_one else content)
    return parts if parts and all(_is_result_part(part) for part in parts) else content


def without_measures(content: Json) -> tuple[Json, int | None]:
    """A command's output and its exit code, where a client put these and how long it ran around it, as JSON; else the content, and None."""
    is_one = isinstance(content, str) and content[:1] == "{" and '"exit_code"' in content
    match parsed(content) if is_one else None:
        case {"output": str(text), "metadata": {"exit_code": int(code), **more}, **rest} if (
            not rest and more.keys() <= _MEASURES
        ):
            return text, code
    return content, None


def _is_result_part(part: dict[str, Any]) -> bool:
    # A tool may answer with parts of its own: these carry a type, an id or a protocol's marks, which only a client gives.
    is_marked = part.keys() >= _MARKS and is_text_block(part)
    return type_of(part) in _RESPONSES_PARTS or is_marked or str(part.get("id")).startswith("lc_")


def parts_in(text: Json) -> list[Any] | None:
    """The parts of a message that a client wrote as JSON into the place of its text; None where it is text."""
    if not isinstance(text, str) or not text.startswith("["):
        return None
    read = parse_json(text)
    parts = read.value if read else None
    if not isinstance(parts, list) or not parts or not all(_is_block(part) for part in parts):
        return None
    return parts


def _is_block(part: Json) -> bool:
    if not isinstance(part, dict):
        return False
    return isinstance(part.get("type"), str) or (len(part) == 1 and set(part) <= _BEDROCK_PARTS)


def id_text(value: Json) -> str | None:
    """An id or a name; a composite id (a list) becomes one canonical text."""
    if value is None or value == "":
        return None
    return value if isinstance(value, str) else canonical(value)
