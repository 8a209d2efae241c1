"""Sessions that a coding agent tells in log events alone: Claude Code's, Codex's and Gemini's command lines without traces.

Comes in: log events. Goes out: one `Reading` a session: what the user wrote, the calls and their results, in order of time. What
the agent wrote is in no event. Where spans tell a session, these events only say again what the spans say.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from ingest.dialects.attributes import first_text, first_value, is_elided, text_of
from ingest.dialects.identity import CONVERSATION_KEYS, MODEL_KEYS, USER_KEYS, name_of
from ingest.dialects.parts import read_call
from ingest.dialects.reading import MODEL, Reading
from ingest.records.episode import Step
from ingest.records.span import LogEvent
from ingest.records.text import json_text

NAME: Final = "agent_logs"

_PROMPT: Final = "user_prompt"
_REQUEST: Final = "api_request"
_DECISION: Final = "tool_decision"
_KINDS: Final = frozenset({_PROMPT, _REQUEST, _DECISION, "tool_result", "tool_call"})
_TOOL_KEYS: Final = ("tool_name", "function_name")
_ID_KEYS: Final = ("tool_use_id", "call_id")
_ARGUMENT_KEYS: Final = ("tool_input", "arguments", "function_args")
_FAILED: Final = {"true": False, "false": True}


def sessions(events: Iterable[LogEvent]) -> Mapping[str, list[LogEvent]]:
    """The events of each session in which somebody wrote or did something, in order."""
    found: dict[str, list[LogEvent]] = defaultdict(list)
    for event in events:
        session = name_of(event.attributes, CONVERSATION_KEYS)
        if session and (_kind(event) in {_PROMPT, _REQUEST} or _tool(event)):
            found[session].append(event)
    return {
        session: sorted(told, key=lambda event: (event.at, event.event_id))
        for session, told in found.items()
        if any(_kind(event) != _REQUEST for event in told)
    }


def read_session(session: str, events: Sequence[LogEvent]) -> Reading:
    """One session."""
    steps: list[Step] = []
    whole = True
    for event in _without_carried_out(events):
        told = list(_steps(event))
        steps += told
        whole = whole and all(
            one.content or any(c.arguments for c in one.tool_calls) for one in told
        )
    models = Counter(first_text(event.attributes, ("model", *MODEL_KEYS)) for event in events)
    del models[None]
    return Reading(
        kind=MODEL,
        dialect=NAME,
        conversation=session,
        subject=next(filter(None, (name_of(one.attributes, USER_KEYS) for one in events)), None),
        model=next((model for model, _ in models.most_common(1)), None),
        input=tuple(step for step in steps if step.role != "user" or step.content),
        flags=frozenset() if whole else frozenset({"no_content"}),
    )


def _kind(event: LogEvent) -> str | None:
    # Rust's bridge puts a line of the program into the place of the name.
    name = text_of(event.attributes.get("event.name")) or event.name
    word = name.rsplit(".", 1)[-1]
    return word if word in _KINDS else None


def _tool(event: LogEvent) -> str | None:
    return first_text(event.attributes, _TOOL_KEYS) if _kind(event) else None


def _id(event: LogEvent) -> str | None:
    return first_text(event.attributes, _ID_KEYS)


def _without_carried_out(events: Sequence[LogEvent]) -> list[LogEvent]:
    """The events without decisions whose calls ran: only a call that never ran is known from its decision."""
    waiting: list[LogEvent] = []
    carried_out: set[str] = set()
    for event in events:
        if _kind(event) == _DECISION:
            waiting.append(event)
        elif _tool(event):
            before = next((one for one in waiting if _is_of(one, event)), None)
            if before is not None:
                waiting.remove(before)
                carried_out.add(before.event_id)
    return [event for event in events if event.event_id not in carried_out]


def _is_of(decision: LogEvent, run: LogEvent) -> bool:
    return _tool(decision) == _tool(run) and _id(decision) in {None, _id(run)}


def _steps(event: LogEvent) -> Iterator[Step]:
    """What an event says: the user's words, or a call with what is known of its result."""
    attributes = event.attributes
    if _kind(event) == _PROMPT:
        prompt = text_of(attributes.get("prompt"))
        yield Step(role="user", content=None if is_elided(prompt) else prompt, at=event.at)
        return
    if _kind(event) == _REQUEST:
        return
    arguments = first_value(attributes, _ARGUMENT_KEYS)
    known = {} if is_elided(arguments) or arguments is None else {"arguments": arguments}
    call = read_call(_id(event), {"name": _tool(event), **known})
    yield Step(role="assistant", tool_calls=(call,), at=event.at)
    if _kind(event) == _DECISION:
        return
    failed = _FAILED.get(text_of(attributes.get("success")) or "")
    result = first_value(attributes, ("output", "error") if failed else ("output",))
    yield Step(
        role="tool",
        content=None if result is None or is_elided(result) else json_text(result),
        call_id=call.call_id or None,
        tool_name=call.name,
        at=event.at,
        is_error=failed,
    )
