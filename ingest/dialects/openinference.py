"""OpenInference, Arize's convention: `openinference.span.kind` and flattened `llm.*` attributes.

Annotations come inline, or on a carrier span whose one link names the target.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import chain
from typing import Any, Final

from ingest.dialects.attributes import (
    arguments_of,
    first_text,
    has_index_gap,
    is_elided,
    number_of,
    parsed,
    text_of,
    unflatten,
)
from ingest.dialects.identity import has_failed, identity
from ingest.dialects.messages import Messages, exchanged, read_messages
from ingest.dialects.otel_genai import statements as genai_statements
from ingest.dialects.parts import CALL_TYPES
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
from ingest.dialects.tool_output import read_output
from ingest.dialects.tool_schemas import read_tools
from ingest.files.chat_outcome import annotator_of
from ingest.records.episode import Step
from ingest.records.span import Attributes, Span
from ingest.records.text import Json, type_of

NAME: Final = "openinference"

_KINDS: Final = {"LLM": MODEL, "TOOL": TOOL, "AGENT": AGENT, "CHAIN": AGENT, "EVALUATOR": EVALUATOR}

_OF_A_CALL: Final = (
    "llm.input_messages",
    "llm.output_messages",
    "llm.prompts",
    "llm.choices",
    "llm.token_count",
)
_TELLS_OF_A_RUN: Final = {"tool.name", "tool.parameters", "input.value", "output.value"}
_PYTHON_OBJECT: Final = re.compile(r"[A-Za-z_][\w.]*\(\w+=.*\)|<[\w.]+ object.*>", re.DOTALL)


def claims(span: Span) -> bool:
    """Whether the span follows the convention."""
    return "openinference.span.kind" in span.attributes


def read(span: Span) -> Reading:
    """Read one span."""
    attributes = span.attributes
    kind = _KINDS.get(str(attributes.get("openinference.span.kind", "")).upper(), OTHER)
    fields: dict[str, Any] = identity(span)
    given, made = Messages(), Messages()
    tools: list[str] = []
    if kind == MODEL and not _is_preparation(attributes):
        given, made, tools = _content(attributes)
        if "smolagents" in span.scope:
            given.steps = list(map(_without_heading, given.steps))
    elif kind == MODEL or (kind == TOOL and _is_hand_over(span)):
        kind = OTHER
    elif kind == TOOL:
        fields.update(_tool(span))
        tools = _own_definition(span)
    return Reading(
        kind=kind,
        dialect=NAME,
        **exchanged(given, made),
        tools=tuple(tools),
        said=(*read_annotations(span), *genai_statements(span)),
        **fields,
    )


def _without_heading(step: Step) -> Step:
    """What the user wrote, without the words that smolagents puts before it."""
    task = step.role == "user" and step.content
    return replace(step, content=task.removeprefix("New task:\n")) if task else step


def _is_preparation(attributes: Attributes) -> bool:
    """Whether a span is of a method that only puts a request together: Python objects as text, no messages or tokens."""
    if any(key.startswith(_OF_A_CALL) for key in attributes):
        return False
    given = parsed(attributes.get("input.value"))
    lists = [v for v in given.values() if isinstance(v, list)] if isinstance(given, dict) else []
    return any(isinstance(one, str) and _PYTHON_OBJECT.fullmatch(one) for one in chain(*lists))


def _is_hand_over(span: Span) -> bool:
    """Whether a tool has no name, and no result but the agent that its span is called after: `handoff to Clerk`."""
    told = _TELLS_OF_A_RUN & set(span.attributes)
    named = str(span.attributes.get("output.value", ""))
    names_it = bool(named) and span.name.endswith(f" {named}")
    return not told or ("tool.name" not in told and names_it)


def _content(attributes: Attributes) -> tuple[Messages, Messages, list[str]]:
    given = flattened(attributes, "llm.input_messages", "user")
    made = flattened(attributes, "llm.output_messages", "assistant")
    whole: Messages | None = None
    if not given.steps:
        for prompt in unflatten(attributes, "llm.prompts"):
            given.add(read_messages(_inner(prompt, "prompt").get("text"), role="user"))
    if not given.steps:
        whole = read_messages(attributes.get("input.value"), role="user")
        given = whole
    if not made.steps:
        for choice in unflatten(attributes, "llm.choices"):
            made.add(read_messages(_inner(choice, "completion").get("text"), role="assistant"))
    if not made.steps:
        made = read_messages(attributes.get("output.value"), role="assistant")
    tools: list[str] = []
    for tool in unflatten(attributes, "llm.tools"):
        tools += read_tools([tool])
    return given, made, tools or (whole.tools if whole else [])


def _inner(value: Json, key: str) -> dict[str, Any]:
    inner = value.get(key) if isinstance(value, dict) else None
    return inner if isinstance(inner, dict) else {}


def flattened(attributes: Attributes, prefix: str, role: str) -> Messages:
    """The messages that were flattened into `prefix.0.message.role` and so on."""
    found = Messages()
    for item in unflatten(attributes, prefix):
        message = _inner(item, "message")
        results = _results(item)
        if results:
            found.add(read_messages(results, role="tool"))
            continue
        contents = message.get("contents")
        if isinstance(contents, list):
            parts = [_part(part) for part in contents]
            if message.get("tool_calls"):
                # Clients that list the parts of an answer name its calls there a second time.
                parts = [part for part in parts if type_of(part) not in CALL_TYPES]
            message = {**message, "content": parts}
        if "content" not in message and "tool_calls" not in message and "role" not in message:
            continue
        calls = message.get("tool_calls")
        for call in calls if isinstance(calls, list) else ():
            # No arguments are no attribute; where they are hidden, so is the whole message.
            if function := _inner(_inner(call, "tool_call"), "function"):
                function.setdefault("arguments", "{}")
        if message.get("role") == "tool":
            # An empty text is no attribute there; hidden text would be "__REDACTED__".
            told = message.get("content", "")
            # A list is written as text; where the request holds it as one, the model was given its parts.
            text = told if isinstance(told, str) and told[:2] == "[{" else None
            is_list = text is not None and text in str(attributes.get("input.value"))
            message = {**message, "content": parsed(text) if is_list else told}
        found.add(read_messages({"role": role, **message}, role=role))
    if has_index_gap(attributes, prefix):
        found.flags.add("truncated")
    return found


def _results(item: Json) -> list[dict[str, Any]]:
    """The results that one message of a role of its own carries, each as JSON text."""
    listed = item.get("function") if isinstance(item, dict) else None
    told = [parsed(one) for one in listed] if isinstance(listed, list) else []
    return [
        {**one, "role": "tool", "tool_call_id": one.get("call_id")}
        for one in told
        if isinstance(one, dict) and "content" in one
    ]


def _part(item: Json) -> dict[str, Any]:
    """One part of a message; a call's own fields stand beside the part's."""
    part = _inner(item, "message_content")
    call = _inner(item, "tool_call")
    if type_of(part) in CALL_TYPES and call:
        return {**part, "id": call.get("id"), **_inner(call, "function")}
    return part


def _tool(span: Span) -> dict[str, Any]:
    attributes = span.attributes
    arguments = attributes.get("input.value")
    if arguments is None and not _is_schema(attributes.get("tool.parameters")):
        arguments = attributes.get("tool.parameters")
    asked = parsed(arguments)
    calling = asked.get("calling") if isinstance(asked, dict) else None
    if isinstance(calling, dict) and {"tool_name", "arguments"} <= calling.keys():
        arguments = calling["arguments"]  # beside the text that CrewAI read it from
    told = read_output(attributes.get("output.value"))
    call_id = first_text(attributes, ("tool.id", "tool_call.id", "gen_ai.tool.call.id"))
    return {
        "call_id": call_id or told.call_id,
        "tool_name": first_text(attributes, ("tool.name", "gen_ai.tool.name")) or span.name,
        "arguments": None if arguments is None or is_elided(arguments) else arguments_of(arguments),
        "result": told.text,
        "is_error": told.is_error or has_failed(span),
    }


def _own_definition(span: Span) -> list[str]:
    """The tool's definition on its own span: some clients send it nowhere else."""
    attributes = span.attributes
    if not _is_schema(attributes.get("tool.parameters")):
        return []
    definition = {
        "name": first_text(attributes, ("tool.name", "gen_ai.tool.name")),
        "description": text_of(attributes.get("tool.description")),
        "parameters": attributes["tool.parameters"],
    }
    return read_tools([definition])


def _is_schema(value: Json) -> bool:
    schema = parsed(value)
    return isinstance(schema, dict) and ("properties" in schema or schema.get("type") == "object")


def read_annotations(span: Span) -> list[Statement]:
    """Inline annotations, and those of a carrier span, with the target that each one names."""
    attributes = span.attributes
    found: list[Statement] = []
    linked = span.links[0].trace_id if len(span.links) == 1 else span.trace_id
    for prefix, item in (("annotations", "annotation"), ("evaluations", "evaluation")):
        found += _statements(attributes, prefix, item, _link_target(span))
        found += _statements(attributes, f"trace.{prefix}", item, ("trace", linked))
        session = text_of(attributes.get("session.id"))
        found += _statements(
            attributes, f"session.{prefix}", item, ("conversation", session or None)
        )
    return found


def _link_target(span: Span) -> tuple[str, str | None]:
    # "Parentage must not identify the target": with one link the target is what it names, else the span itself.
    if len(span.links) == 1:
        return "span", f"{span.links[0].trace_id}:{span.links[0].span_id}"
    return "span", None


def _statements(
    attributes: Attributes, prefix: str, item: str, target: tuple[str, str | None]
) -> list[Statement]:
    found: list[Statement] = []
    for entry in unflatten(attributes, prefix):
        note = _inner(entry, item)
        name = text_of(note.get("name"))
        if name is None:
            continue
        found.append(
            Statement(
                name=name,
                value=number_of(note.get("score")),
                label=text_of(note.get("label")),
                text=text_of(note.get("explanation")),
                by=annotator_of(text_of(note.get("annotator_kind"))),
                author=text_of(note.get("identifier")),
                target_kind=target[0],
                target_id=target[1],
            )
        )
    return found


DIALECT: Final = Dialect(name=NAME, claims=claims, read=read)
