"""Claude Code's traces (beta): interactions, model requests and tool runs, with bare attribute names.

A request carries what is new in its prompt and what the model wrote, not the history; content that the user did not
opt into is the literal `<REDACTED>`.
"""

from __future__ import annotations

from typing import Any, Final

from ingest.dialects.attributes import first, first_text, is_elided, text_of
from ingest.dialects.identity import failed, identity
from ingest.dialects.messages import Messages, exchanged, read_messages
from ingest.dialects.reading import AGENT, MODEL, OTHER, TOOL, Dialect, Reading, Said
from ingest.span import LogEvent, Span
from ingest.text import json_text

NAME: Final = "claude_code"

_KINDS: Final = {"interaction": AGENT, "llm_request": MODEL, "tool": TOOL}

DECISIONS: Final = frozenset({"claude_code.tool_decision", "tool_decision"})
"""Log events in which somebody, or a rule, let a tool run or stopped it."""


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
        given = read_messages(first(attributes, ("new_context", "user_prompt")), role="user")
        made = read_messages(attributes.get("response.model_output"), role="assistant")
    elif kind == TOOL:
        fields.update(_tool(span))
    return Reading(
        kind=kind,
        dialect=NAME,
        **exchanged(given, made),
        **fields,
    )


def _tool(span: Span) -> dict[str, Any]:
    attributes = span.attributes
    arguments = first(attributes, ("tool_input", "full_command", "file_path"))
    result = next(
        (
            first(event.attributes, ("output", "content", "diff"))
            for event in span.events
            if event.name == "tool.output"
        ),
        None,
    )
    return {
        "call_id": first_text(attributes, ("tool_use_id", "gen_ai.tool.call.id")),
        "tool_name": first_text(attributes, ("tool_name", "gen_ai.tool.name")) or span.name,
        "arguments": None if arguments is None or is_elided(arguments) else json_text(arguments),
        "result": None if result is None or is_elided(result) else json_text(result),
        "is_error": True if text_of(attributes.get("success")) == "false" else failed(span),
    }


def read_decision(event: LogEvent) -> Said | None:
    """A decision over a tool run: the user's where the user was asked, else a rule's; None where it says none."""
    decision = text_of(event.attributes.get("decision"))
    session = text_of(event.attributes.get("session.id"))
    if decision is None or (session is None and event.trace_id is None):
        return None
    asked = str(event.attributes.get("source") or "").startswith("user")
    return Said(
        name="tool_decision",
        label=decision,
        text=text_of(event.attributes.get("tool_name")),
        by="end_user" if asked else "code",
        at=event.at,
        target_kind="conversation" if session else "span",
        target_id=session,
        # A session holds many decisions: the event's own identity keeps them apart.
        author=event.event_id,
    )


DIALECT: Final = Dialect(name=NAME, claims=claims, read=read)
