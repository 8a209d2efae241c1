"""Google's Agent Development Kit: JSON blobs of the 1.x releases, OpenTelemetry's conventions from 2.

Both put a span `execute_tool (merged tools)` after parallel calls, which repeats their results and is no call.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import chain
from typing import Final

from ingest.dialects.attributes import first_text, is_elided, parsed, parsed_call, text_of
from ingest.dialects.identity import has_failed
from ingest.dialects.messages import read_messages, settle_output
from ingest.dialects.otel_genai import read_as
from ingest.dialects.parts import out_of_object, without_object
from ingest.dialects.reading import AGENT, DUPLICATE, MODEL, OTHER, TOOL, Dialect, Reading
from ingest.records.episode import Step, ToolCall
from ingest.records.span import Attributes, Span
from ingest.records.text import Json, json_text

NAME: Final = "google_adk"

_REQUEST: Final = "gcp.vertex.agent.llm_request"
_RESPONSE: Final = "gcp.vertex.agent.llm_response"
_ABSENT: Final = frozenset({"", "{}", "N/A", "null"})
_CONTEXT: Final = "For context:\n"
"""What another agent did begins so, as the framework tells it in the user's place: nobody said that."""
_OF_ANOTHER: Final = re.compile(
    r"^\[[^\]\n]+\] (?:called tool `(\w+)` with parameters: |`(\w+)` tool returned result: |said: )",
    re.MULTILINE,
)
"""How each thing that it did begins."""


def claims(span: Span) -> bool:
    """Whether the span is one of the kit's."""
    return span.scope == "gcp.vertex.agent" or any(
        key.startswith("gcp.vertex.agent.") for key in span.attributes
    )


def read(span: Span) -> Reading:
    """Read one span."""
    attributes = span.attributes
    reading = read_as(span, NAME)
    reading = replace(reading, input=tuple(map(without_object, reading.input)))
    if text_of(attributes.get("gen_ai.tool.name")) == "(merged tools)":
        return replace(reading, kind=DUPLICATE)
    if reading.kind == TOOL:
        return _tool(span, reading)
    request, response = _blob(attributes, _REQUEST), _blob(attributes, _RESPONSE)
    if request is not None and not reading.has_content:
        given = read_messages(request, role="user")
        made = read_messages(response, role="assistant")
        return replace(
            reading,
            kind=MODEL,
            input=tuple(_without_context(given.steps)),
            output=tuple(settle_output(made.steps)),
            tools=tuple(given.tools) or reading.tools,
            flags=reading.flags | given.flags | made.flags,
        )
    if reading.kind == OTHER and span.name.startswith(("agent_run", "invocation")):
        name = span.name.partition("[")[2].rstrip("]") if span.name.startswith("agent_run") else ""
        return replace(reading, kind=AGENT, agent=reading.agent or name or None)
    return reading


def _without_context(steps: list[Step]) -> list[Step]:
    """Messages, with what other agents did as what it was; without it where one of them is told in another way."""
    told = [_told_of_another(step) if _is_context(step) else [step] for step in steps]
    bare = [step for step in steps if not _is_context(step)]
    return list(chain(*told)) if all(told) else bare


def _is_context(step: Step) -> bool:
    return step.role == "user" and (step.content or "").startswith(f"{_CONTEXT}[")


def _told_of_another(step: Step) -> list[Step]:
    """What one message tells of another agent, its calls as the one message that they were; nothing where a part of it is told in another way."""
    text = (step.content or "").removeprefix(_CONTEXT)
    heads = list(_OF_ANOTHER.finditer(text))
    ends = [*(head.start() - 1 for head in heads[1:]), None]
    found = (_act(step, h, text[h.end() : e]) for h, e in zip(heads, ends, strict=False))
    acts = [act for act in found if act]
    if not heads or heads[0].start() or len(acts) < len(heads):
        return []
    results = [act for act in acts if act.role == "tool"]
    words = "\n".join(act.content for act in acts if act.content and act not in results)
    calls = tuple(call for act in acts for call in act.tool_calls)
    spoke = replace(step, role="assistant", content=words or None, tool_calls=calls)
    return results if len(results) == len(acts) else [spoke, *results]


def _act(step: Step, head: re.Match[str], told: str) -> Step | None:
    """One thing that another agent did; None where its value is none of Python's."""
    asked, gave = head.groups()
    if not asked and not gave:
        return replace(step, role="assistant", content=told)
    value = parsed_call(told)
    if not isinstance(value, dict):
        return None
    if gave:
        return replace(step, role="tool", content=out_of_object(json_text(value)), tool_name=gave)
    call = ToolCall(call_id="", name=asked, arguments=json_text(value))
    return replace(step, role="assistant", content=None, tool_calls=(call,))


def _tool(span: Span, reading: Reading) -> Reading:
    arguments = _blob(span.attributes, "gcp.vertex.agent.tool_call_args")
    result = _blob(span.attributes, "gcp.vertex.agent.tool_response")
    if isinstance(result, dict) and isinstance(result.get("content"), dict):
        # A release writes down the message that hands the result in.
        (handed,) = read_messages([result["content"]], role="user").steps[:1] or (None,)
        result = handed.content if handed and handed.role == "tool" else result
    return replace(
        reading,
        arguments=reading.arguments or (None if arguments is None else json_text(arguments)),
        result=out_of_object(reading.result or (None if result is None else json_text(result))),
        call_id=reading.call_id or first_text(span.attributes, ("gcp.vertex.agent.event_id",)),
        is_error=has_failed(span),
    )


def _blob(attributes: Attributes, key: str) -> Json:
    value = attributes.get(key)
    if value is None or is_elided(value) or (isinstance(value, str) and value in _ABSENT):
        return None
    return parsed(value)


DIALECT: Final = Dialect(name=NAME, claims=claims, read=read)
