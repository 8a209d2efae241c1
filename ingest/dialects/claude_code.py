"""Claude Code's traces (beta): interactions, model requests and tool runs, with bare attribute names.

A request carries what is new in its prompt and what the model wrote, not the history; content that the user did not
opt into is the literal `<REDACTED>`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import replace
from itertools import chain
from typing import Any, Final

from ingest.dialects.agent_logs import in_order
from ingest.dialects.attributes import captured, first_text, first_value, text_of
from ingest.dialects.content_blocks import blocks_text
from ingest.dialects.identity import has_failed, identity
from ingest.dialects.messages import Messages, exchanged, read_messages
from ingest.dialects.parts import first_of, parts_in
from ingest.dialects.reading import AGENT, MODEL, OTHER, TOOL, Dialect, Reading
from ingest.dialects.tool_schemas import read_tools
from ingest.files.partial_json import parse_json
from ingest.records.episode import Step
from ingest.records.span import Attributes, LogEvent, Span
from ingest.records.text import Json, objects_in

NAME: Final = "claude_code"

_KINDS: Final = {"interaction": AGENT, "llm_request": MODEL, "tool": TOOL, "tool.execution": TOOL}
_PART: Final = re.compile(r"(?:\A|\n\n---\n\n)\[(?:USER|USER PROMPT|TOOL RESULT: ([^\]\n]+))\]\n")
_INPUT: Final = re.compile(r"\A\[TOOL INPUT: [^\]\n]+\]\n")
_SYSTEM: Final = "claude_code.system_prompt"
_TOOL_DEFINED: Final = "claude_code.tool"

_BODIES: Final = {"api_request": "input", "api_response": "output"}
_BODY: Final = ("body", "request_text", "response_text")
"""What a request or an answer is called that a log event holds as text, whole (Claude Code) or but for its settings (Gemini CLI)."""
_HEADER: Final = "x-anthropic-"
"""What a line of the client's own begins with that stands before the instructions, and tells the model nothing."""
_REMINDER_ENDS: Final = "</system-reminder>"
_REMINDER: Final = re.compile(r"<system-reminder>.*?" + _REMINDER_ENDS, re.DOTALL)


def claims(span: Span) -> bool:
    """Whether the span is one of Claude Code's."""
    return (
        span.name.startswith("claude_code.")
        or str(span.attributes.get("span.type", "")).removeprefix("claude_code.") in _KINDS
    )


def read(span: Span) -> Reading:
    """Read one span."""
    attributes = span.attributes
    word = str(attributes.get("span.type") or span.name).removeprefix("claude_code.")
    kind = _KINDS.get(word, OTHER)
    fields: dict[str, Any] = identity(span)
    fields["model"] = fields["model"] or text_of(attributes.get("model"))
    given, made = Messages(), Messages()
    if kind == MODEL:
        given = _context(first_value(attributes, ("new_context", "user_prompt")))
        if attributes.get("new_context_truncated") is True:
            given.flags.add("truncated")
        made = read_messages(attributes.get("response.model_output"), role="assistant")
    elif kind == TOOL:
        fields.update(_tool(span))
    elif kind == AGENT and (prompt := captured(attributes.get("user_prompt"))):
        given.steps.append(Step(role="user", content=prompt))
    return Reading(
        kind=kind, dialect=NAME, is_turn=kind == AGENT, **exchanged(given, made), **fields
    )


def _context(value: Json) -> Messages:
    """What is new in a request: the user's words and the results, each under a heading of its own."""
    if not isinstance(value, str) or not _PART.match(value):
        return read_messages(value, role="user")
    found = Messages()
    headings = list(_PART.finditer(value))
    for heading, following in zip(headings, [*headings[1:], None], strict=True):
        text = value[heading.end() : following.start() if following else None]
        if heading[1] is None:
            found.steps.append(Step(role="user", content=text))
        else:
            content = blocks_text(parts_in(text) or text)
            found.steps.append(Step(role="tool", content=content, call_id=heading[1]))
    return found


def with_spans(events: Collection[LogEvent]) -> list[LogEvent]:
    """Log events, in which requests without spans, and the answers to them, have spans that are made up; in sessions of which no body was cut."""
    kept: list[LogEvent] = []
    asked: dict[tuple[str, str | None], LogEvent] = {}
    told: dict[str, list[LogEvent]] = defaultdict(list)
    # Some tell a request once more under the convention's names.
    convention = (e.attributes for e in events if e.name.startswith("gen_ai.client."))
    detailed = {text_of(held.get("session.id")) for held in convention}
    for event in sorted(events, key=in_order):
        side = None if event.span_id else _side(event)
        session, part = (text_of(event.attributes.get(k)) for k in ("session.id", "query_source"))
        if side is None or session is None or session in detailed:
            kept.append(event)
            continue
        if side == "input":
            asked[session, part] = event
        if (session, part) in asked:
            of = asked[session, part].event_id
            told[session].append(replace(event, trace_id=f"event:{of}", span_id=of))
    whole = (said for said in told.values() if all(map(exchanged_in, said)))
    return [*kept, *chain(*whole)]


def _side(event: LogEvent) -> str | None:
    """Which side of a model call an event holds, by its name (`api_request_body`) and what it has."""
    word = event.name.rpartition(".")[2].removesuffix("_body")
    return _BODIES.get(word) if first_value(event.attributes, _BODY) is not None else None


def exchanged_in(event: LogEvent) -> dict[str, Json]:
    """What a model's request or its answer holds, by the convention's names; nothing where its log event is another one or was cut."""
    side = _side(event) if event.span_id else None
    read = parse_json(str(first_value(event.attributes, _BODY))) if side else None
    value = read.value if read and not read.cut else None
    if side is None or not isinstance(value, list | dict) or not value:
        return {}
    body: dict[str, Any] = value if isinstance(value, dict) else {"contents": value}
    told = first_of(body, "messages", "contents") or [body]
    found = {f"gen_ai.{side}.messages": [_without_reminders(m) for m in objects_in(told)]}
    parts = objects_in(body.get("system"))
    kept = [one for one in parts if not str(one.get("text")).startswith(_HEADER)]
    held: dict[str, Any] = body | ({"system": kept} if kept else {}) | dict(event.attributes)
    asked = {"gen_ai.system_instructions": "system", "gen_ai.tool.definitions": "tools"}
    about = {"gen_ai.request.model": "model", "session.id": "session.id", "user.id": "user.id"}
    return found | {name: held[key] for name, key in (asked | about).items() if held.get(key)}


def _without_reminders(message: dict[str, Any]) -> dict[str, Any]:
    """A message without what the client puts around what its user wrote."""
    parts = message.get("content")
    if message.get("role") != "user" or not isinstance(parts, list):
        return message
    return {**message, "content": [one for one in map(_users_own, parts) if one is not None]}


def _users_own(part: Json) -> Json:
    """A part of a message without reminders; None where it holds nothing else."""
    text = part if isinstance(part, str) else first_of(part, "text")
    if not isinstance(text, str) or _REMINDER_ENDS not in text:
        return part
    # Behind the last end no reminder is looked for: each that begins before it has one.
    before, end, behind = text.rpartition(_REMINDER_ENDS)
    left = (_REMINDER.sub("", before + end) + behind).strip() or None
    return {**part, "text": left} if left and isinstance(part, dict) else left


def is_setting(event: LogEvent) -> bool:
    """Whether a log event tells what the agent was set up with: its instructions, or one of its tools."""
    return event.body in (_SYSTEM, _TOOL_DEFINED) or event.name in (_SYSTEM, _TOOL_DEFINED)


def with_settings(reading: Reading, events: Iterable[LogEvent]) -> Reading:
    """An interaction's reading with the instructions and the tools that its log events tell."""
    system: list[Step] = []
    tools: list[str] = []
    for event in sorted(events, key=lambda event: (event.at, event.event_id)):
        tools += read_tools([event.attributes.get("tool")])
        system += read_messages(event.attributes.get("system_prompt"), role="system").steps
    return replace(reading, input=(*system, *reading.input), tools=(*reading.tools, *tools))


def _tool(span: Span) -> dict[str, Any]:
    attributes = span.attributes
    ran: Attributes = next((e.attributes for e in span.events if e.name == "tool.output"), {})
    result = first_value(ran, ("output", "content", "diff"))
    arguments = first_value({**ran, **attributes}, ("tool_input", "full_command", "file_path"))
    wrong = True if text_of(attributes.get("success")) == "false" else has_failed(span)
    if result is None and wrong:
        result = attributes.get("error")
    if isinstance(arguments, str):
        arguments = _INPUT.sub("", arguments)
    return {
        "call_id": first_text(attributes, ("tool_use_id", "gen_ai.tool.call.id")),
        "tool_name": first_text(attributes, ("tool_name", "gen_ai.tool.name"))
        or (None if span.name.endswith(".execution") else span.name),
        "arguments": captured(arguments),
        "result": captured(result),
        "is_error": wrong,
    }


DIALECT: Final = Dialect(name=NAME, claims=claims, read=read)
