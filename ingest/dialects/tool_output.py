"""What a tool gave back, out of the objects that frameworks put around it.

Comes in: the output that a tool's span carries: text, JSON, or a framework's own result object as JSON (LangChain's
tool message, LlamaIndex's tool output, MCP's call result). Goes out: the result's text with the call it answers and
whether it failed, where the object says so.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

from ingest.dialects.attributes import is_elided, parsed, python_literal
from ingest.dialects.content_blocks import (
    blocks_text,
    named_blocks_text,
    protocol_result,
    protocol_text,
)
from ingest.dialects.parts import first_of, id_text
from ingest.records.text import Json, json_text

_LLAMA_OUTPUT: Final = frozenset({"tool_name", "raw_input", "raw_output", "is_error"})

_SHOWN: Final = re.compile(
    r"""content=(?P<content>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*") .*?tool_call_id='(?P<call>[^']*)'""",
    re.DOTALL,
)

RESULT_MARK: Final = re.compile(
    r"\s*(Call id: \S+\n)?(?:(?(1)Error|(?!))|Observation|Obs|(?:API|Tool|Function|Execution|Action|Environment|(?:(?:New|Current) )?(?:Terminal|Shell|Command|Console|Code))[ _]?(?:output|result|response|return|state|screen)s?|Output|Result)"
    r"(?: ?\d+| of \[[\w.-]+\])?[ \t]*:[ \t]*\n?",
    re.IGNORECASE,
)
"""What a result begins with where an agent's client tells it in words: `Observation: …`."""
_NAMED_MARK: Final = re.compile(
    r"\s*(?:The (?:output|result) of [\w ]{1,40}?(?::| is\b)|[A-Z][\w-]*(?: (?!(?:is|are|was|the)\b)[\w-]+){0,2} (?:output|result|response)s?:)"
)
"""The same with the name of what answered, which is a part of what the agent was told: `Shop database output: …`."""
FAILURE_MARK: Final = re.compile(r"\s*(?:Call id: \S+\n)?Error[ \t]*:[ \t]*\n?")
"""What a call that failed is told by in the place of a result."""


def marked_result(text: str) -> str | None:
    """The result that a client tells in words, without a bare mark; None where nothing marks it as one."""
    mark = RESULT_MARK.match(text)
    named = text if mark or _NAMED_MARK.match(text) else None
    return text[mark.end() :] if mark else named


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolOutput:
    """A tool's result without what was around it."""

    text: str | None = None
    call_id: str | None = None
    is_error: bool | None = None


def read_output(value: Json) -> ToolOutput:
    """The result inside a tool span's output; None as text where nothing was captured."""
    if value is None or is_elided(value):
        return ToolOutput()
    output = parsed(value)
    if isinstance(output, dict) and set(output) <= {"output", "kwargs"} and "output" in output:
        output = value = output["output"]
    message = _tool_message(output)
    if message is not None:
        return ToolOutput(
            text=blocks_text(message.get("content")),
            call_id=id_text(message.get("tool_call_id")),
            is_error=True if message.get("status") == "error" else None,
        )
    result = protocol_result(output)
    if result is not None:
        failed = first_of(result, "isError", "is_error")
        return ToolOutput(text=protocol_text(result), is_error=failed is True or None)
    if isinstance(output, dict) and set(output) >= _LLAMA_OUTPUT:
        told = output.get("blocks") or output.get("content") or output["raw_output"]
        return ToolOutput(text=blocks_text(told), is_error=output["is_error"] is True or None)
    told = named_blocks_text(output)
    return ToolOutput(text=json_text(value) if told is None else told)


def _tool_message(output: Json) -> dict[str, Any] | None:
    """LangChain's message of a tool, in each of the forms in which it is written down."""
    if isinstance(output, str):
        return _printed_message(output)
    if not isinstance(output, dict):
        return None
    inner = output.get("data") if output.get("type") == "tool" else None
    if isinstance(inner, dict) and "content" in inner:
        return inner
    kind = output.get("id")
    inner = output.get("kwargs")
    if output.get("lc") and isinstance(inner, dict) and isinstance(kind, list):
        return inner if kind and kind[-1] == "ToolMessage" else None
    return output if output.get("type") == "tool" and "content" in output else None


def _printed_message(output: str) -> dict[str, Any] | None:
    """LangChain's message as Python shows it."""
    found = _SHOWN.match(output) if output.startswith("content=") else None
    content = python_literal(found["content"]) if found else None
    if found is None or content is None:
        return None
    status = "error" if "status='error'" in output[found.end("content") :] else None
    return {"content": content, "tool_call_id": found["call"], "status": status}
