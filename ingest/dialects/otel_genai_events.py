"""GenAI content in events instead of attributes: one event a request (1.37+), or one event a message (≤ 1.36).

Comes in: the log events and span events of one span, in order. Goes out: what they say, as a `Reading`; None where
they say nothing. The per-message form is also what older Semantic Kernel and Agent Framework releases send.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from ingest.dialects import claude_code
from ingest.dialects.attributes import arguments_of, is_elided, parsed
from ingest.dialects.content_blocks import blocks_text
from ingest.dialects.evaluation import asked_by, read_evaluation
from ingest.dialects.identity import identity_in
from ingest.dialects.messages import Messages, exchanged, read_messages
from ingest.dialects.otel_genai import read_content, read_prompt
from ingest.dialects.parts import first_of, is_result, parts_in
from ingest.dialects.reading import MODEL, Reading, Statement
from ingest.dialects.tool_output import read_output
from ingest.records.episode import Step
from ingest.records.span import Attributes, LogEvent, Span
from ingest.records.text import json_text, objects_in

DETAILS: Final = "gen_ai.client.inference.operation.details"
NAME: Final = "otel_genai_events"

_ROLE_OF_EVENT: Final = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
}
_PROMPT: Final = "gen_ai.content.prompt"
_COMPLETION: Final = "gen_ai.content.completion"
_CHOICE: Final = "gen_ai.choice"
_TOOL: Final = "gen_ai.tool.message"

_MOVED_EVENT: Final = "input and output"
"""Stands for the name of an event whose body holds what went into its span and what came out: AWS's distribution takes that off the spans."""

_CALLED: Final = ("event", "event_type", "log_type", "type", "kind")
"""What says what happened in an event that has no name, or one that its logger gave it."""

CONTENT_EVENTS: Final = frozenset({DETAILS, _PROMPT, _COMPLETION, _CHOICE, *_ROLE_OF_EVENT})


_PRINTED: Final = re.compile(
    r'Chat (?:Client Prompt Content:\n\[(".*")|Model Completion:\n\["(.+)")\]\s*', re.DOTALL
)
_PRINTED_MESSAGE: Final = re.compile(
    r'"(system|user)":"(.*?)"(?=, "(?:system|user|assistant|tool)":"|\Z)', re.DOTALL
)
"""Nothing is escaped there: a message ends where the next one's role begins."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Saying:
    """One event, on a span or in a log."""

    name: str
    at: int
    attributes: Attributes
    body: Any = None


def sayings(span: Span | None, events: Iterable[LogEvent]) -> list[Saying]:
    """The content events of one span, wherever they were put, in the order in which they were said."""
    found = [one for event in events for one in told_in(event)]
    if found or span is None:
        return sorted(found, key=lambda one: one.at)
    # A span keeps its events in the order in which they were put on it; clocks do not always.
    return [
        Saying(name=event.name, at=event.at, attributes=event.attributes)
        for event in span.events
        if event.name in CONTENT_EVENTS
    ]


def told_in(event: LogEvent) -> Iterator[Saying]:
    """What a log event says: under a name of the convention, or as the text that Spring AI prints."""
    printed = _PRINTED.fullmatch(event.body) if isinstance(event.body, str) else None
    if event.name in CONTENT_EVENTS:
        yield Saying(name=event.name, at=event.at, attributes=event.attributes, body=event.body)
    elif held := claude_code.exchanged_in(event):
        yield Saying(name=DETAILS, at=event.at, attributes=held)
    elif held := moved_off(event):
        yield Saying(name=_MOVED_EVENT, at=event.at, attributes=held)
    elif printed is not None and printed[2] is not None:
        yield Saying(name=_CHOICE, at=event.at, attributes={"content": printed[2]})
    elif printed is not None:
        for role, text in sorted(_PRINTED_MESSAGE.findall(printed[1])):
            yield Saying(name=f"gen_ai.{role}.message", at=event.at, attributes={"content": text})


def moved_off(event: LogEvent) -> dict[str, list[Any]]:
    """The messages that an event holds for its span, by the convention's names; nothing where its body is anything else."""
    body = event.body if isinstance(event.body, dict) and event.span_id else {}
    lists = {side: first_of(one, "messages") for side, one in body.items()}
    told = {
        f"gen_ai.{side}.messages": list(map(_plain_message, objects_in(one)))
        for side, one in lists.items()
    }
    return told if body.keys() <= {"input", "output"} and all(told.values()) else {}


def _plain_message(message: dict[str, Any]) -> dict[str, Any]:
    """A message whose content is no object of its own, as that of an event on a span is, and no parts written as text."""
    content = message.get("content")
    text = first_of(content, "content", "message") if isinstance(content, dict) else content
    return {**message, "content": parts_in(text) or text}


def read_sayings(found: Sequence[Saying]) -> Reading | None:
    """What the events of one model call say."""
    details = [one for one in found if one.name in {DETAILS, _MOVED_EVENT}]
    if details:
        return _read_details(details)
    given, made = Messages(), Messages()
    told = [_message(one) for one in found]
    captured = any("content" in message or "tool_calls" in message for message in told)
    for one, message in zip(found, told, strict=True):
        target = made if one.name in {_CHOICE, _COMPLETION} else given
        target.add(_read_message(one, message, captured=captured))
    given.steps = _results_once(behind_their_calls(given.steps))
    if not given.steps and not made.steps and not (given.flags | made.flags):
        return None
    return Reading(kind=MODEL, dialect=NAME, tools=tuple(given.tools), **exchanged(given, made))


def behind_their_calls(steps: list[Step]) -> list[Step]:
    """Results behind the calls that they answer: where a service tells a step when it is done, its results come first."""
    listed = [(at, step, step.call_id) for at, step in enumerate(steps)]
    first = {call.call_id: at for at, step, _ in listed[::-1] for call in step.tool_calls}
    answered = {told for at, _, told in listed if told and at > first.get(told, at)}
    early = first.keys() - answered
    place = {at: first[told] for at, _, told in listed if told in early}
    order = sorted((place.get(at, at), at in place, at) for at, *_ in listed)
    return [steps[at] for *_, at in order]


def _results_once(steps: list[Step]) -> list[Step]:
    """Results that have an event of their own and stand in the message that carried them: the fuller one of both."""
    kept: list[Step] = []
    at: dict[str, int] = {}
    for step in steps:
        if step.role != "tool":
            at.clear()
        elif step.call_id is not None and step.call_id in at:
            if step.is_error is not None:
                kept[at[step.call_id]] = step
            continue
        elif step.call_id is not None:
            at[step.call_id] = len(kept)
        kept.append(step)
    return kept


def _read_details(details: Sequence[Saying]) -> Reading:
    """One request's content, in one event or in several that hold a part each; of what is told twice the last."""
    told = {key: value for one in details for key, value in one.attributes.items()}
    content = read_content(told)
    return Reading(
        kind=MODEL,
        dialect="otel_genai",
        input=tuple(content.given.steps),
        output=tuple(content.made.steps),
        tools=tuple(content.tools),
        flags=frozenset(content.given.flags | content.made.flags),
        **identity_in(told, {}),
    )


def _message(one: Saying) -> dict[str, Any]:
    """The message of an event: in its body, or in its attributes where the event is on a span."""
    # A span's event has attributes only: Semantic Kernel's and Azure's write the body into one of them.
    body = parsed(one.attributes.get("gen_ai.event.content", one.body))
    message: dict[str, Any] = dict(one.attributes)
    if isinstance(body, dict):
        message.update(body)
    elif isinstance(body, str):
        message["content"] = body
    if one.name == _CHOICE:
        message = _message_of_choice(message)
    # The event's name is the role: Semantic Kernel writes participants' names into the field.
    message["role"] = _ROLE_OF_EVENT.get(one.name, "assistant")
    message.pop("type", None)
    parts = parts_in(message.get("content"))
    # A result's own text may look like parts; only whole results are taken out of it.
    if parts is None or (one.name == _TOOL and not all(map(is_result, parts))):
        return message
    return {**message, "content": parts}


def _message_of_choice(message: dict[str, Any]) -> dict[str, Any]:
    """The message of a choice: whole, or only its text or its parts."""
    inner = message.get("message")
    told = parsed(inner)
    if isinstance(told, dict):
        return {key: message[key] for key in ("tool_calls",) if key in message} | told
    return message if inner is None else {**message, "content": inner}


def read_run(found: Sequence[Saying]) -> dict[str, Any]:
    """The fields of a `Reading` that the events of a tool's span fill: what it was asked for and what it gave back."""
    told: dict[str, Any] = {}
    for one in found:
        if one.name == _MOVED_EVENT:
            given, made = (
                first_of(one.attributes, f"gen_ai.{s}.messages") for s in ("input", "output")
            )
            output = read_output(blocks_text(made[0]["content"]) if made else None)
            told |= {"result": output.text, "call_id": output.call_id, "is_error": output.is_error}
            told["arguments"] = arguments_of(given[0]["content"]) if given else None
        message = _message(one)
        content = message.get("content")
        if one.name == _TOOL and content is not None and not is_elided(content):
            told["arguments"] = json_text(content)
        elif one.name == _CHOICE and content is not None and not is_elided(content):
            told["result"] = blocks_text(parts_in(content) or content)
    return told


def _read_message(one: Saying, message: dict[str, Any], *, captured: bool) -> Messages:
    if one.name == _PROMPT:
        return read_prompt(one.attributes.get("gen_ai.prompt"))
    if one.name == _COMPLETION:
        return read_messages(one.attributes.get("gen_ai.completion"), role="assistant")
    if "content" not in message and "tool_calls" not in message:
        if not captured:
            empty = Messages()
            empty.flags.add("no_content")
            return empty
        # The other messages of the request have content, so capture is on: this one is empty.
        message = {**message, "content": ""}
    return read_messages(message, role=str(message["role"]))


def statements(events: Iterable[LogEvent]) -> list[tuple[LogEvent, Statement]]:
    """The statements among log records, each with the record that carries it: evaluations, and what users were asked."""
    return [(event, said) for event in events for said in _stated(event)]


def _stated(event: LogEvent) -> Iterator[Statement]:
    body = parsed(event.body)
    held = {**(body if isinstance(body, dict) else {}), **event.attributes}
    judged = read_evaluation(event.name, held, at=event.at)
    named = identity_in(held, {})["conversation"]
    # A logger's own words may be about anything: they have to name a conversation.
    own = (*map(held.get, _CALLED), event.body) if named else ()
    names = (one for one in (event.name, *own) if isinstance(one, str) and one[:1] != "{")
    asked = (list(asked_by(name, held, at=event.at)) for name in names)
    for said in [judged] if judged else next(filter(None, asked), []):
        alone = said.target_id is None and event.trace_id is None and named
        yield replace(said, target_kind="conversation", target_id=named) if alone else said
