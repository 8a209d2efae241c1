"""Sessions that a coding agent tells in log events alone: Claude Code's, Codex's and Gemini's command lines without traces.

Comes in: log events. Goes out: one `Reading` a session: what the user wrote, the calls and their results, in order of time. What
the agent wrote is in no event. Where spans tell a session, these events only say again what the spans say.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from ingest.dialects.attributes import captured, first_integer, first_text, first_value, text_of
from ingest.dialects.identity import CONVERSATION_KEYS, MODEL_KEYS, identity_in, name_of
from ingest.dialects.parts import read_call
from ingest.dialects.reading import MODEL, Reading
from ingest.records.episode import Step
from ingest.records.span import LogEvent

NAME: Final = "agent_logs"

_PROMPT: Final = "user_prompt"
_REQUEST: Final = "api_request"
_DECISION: Final = "tool_decision"
_WORDS: Final = frozenset({_PROMPT, _REQUEST, _DECISION, "tool_result", "tool_call"})
_ARGUMENTS: Final = ("tool_input", "arguments", "function_args")
_FAILED: Final = {"true": False, "false": True}


def sessions(events: Iterable[LogEvent]) -> Iterator[tuple[list[LogEvent], Reading]]:
    """Each session in which somebody wrote or did something: its events in order, and what they say."""
    found: dict[str, list[LogEvent]] = defaultdict(list)
    for event in events:
        session = name_of(event.attributes, CONVERSATION_KEYS)
        if session and (_word(event) in {_PROMPT, _REQUEST} or _tool(event)):
            found[session].append(event)
    for session, told in found.items():
        told.sort(key=in_order)
        said = [step for event in _where_decided(told) for step in _steps(event)]
        about = {key: value for event in told for key, value in event.attributes.items()}
        models = Counter(first_text(event.attributes, ("model", *MODEL_KEYS)) for event in told)
        model = next((model for model, _ in models.most_common() if model), None)
        whole = all(s.content or any(c.arguments for c in s.tool_calls) for s in said)
        reading = Reading(
            kind=MODEL,
            dialect=NAME,
            **{**identity_in(about, told[0].resource), "conversation": session, "model": model},
            input=tuple(step for step in said if step.role != "user" or step.content),
            flags=frozenset() if whole else frozenset({"no_content"}),
        )
        if said:
            yield told, reading


def in_order(event: LogEvent) -> tuple[int, int, str]:
    """What orders a session's events: those of one moment by their client's count."""
    count = first_integer(event.attributes, ("event.sequence",))
    return event.at, count or 0, event.event_id


def _word(event: LogEvent) -> str | None:
    # Rust's bridge puts a line of the program into the place of the name.
    name = text_of(event.attributes.get("event.name")) or event.name
    word = name.rsplit(".", 1)[-1]
    return word if word in _WORDS else None


def _tool(event: LogEvent) -> str | None:
    return first_text(event.attributes, ("tool_name", "function_name")) if _word(event) else None


def _id(event: LogEvent) -> str | None:
    return first_text(event.attributes, ("tool_use_id", "call_id"))


def _where_decided(events: Sequence[LogEvent]) -> list[LogEvent]:
    """The events, of each call that ran its end in the place of its decision: calls that a model makes together end in any order."""
    decided: dict[str | None, deque[int]] = defaultdict(deque)
    placed: dict[int, LogEvent] = {}
    for place, event in enumerate(events):
        tool = _tool(event)
        if _word(event) == _DECISION:
            # The name may be a server's mask there (`mcp_tool`).
            decided[_id(event) or tool].append(place)
        waiting = decided[_id(event)] or decided[tool]
        ran = _word(event) != _DECISION and waiting
        placed[waiting.popleft() if ran else place] = event
    return [placed[place] for place in sorted(placed)]


def _steps(event: LogEvent) -> Iterator[Step]:
    """What an event says: the user's words, or a call with what is known of its result."""
    attributes = event.attributes
    if _word(event) == _PROMPT:
        yield Step(role="user", content=captured(attributes.get("prompt")), at=event.at)
    elif _tool(event):
        arguments = captured(first_value(attributes, _ARGUMENTS))
        call = read_call(_id(event), {"name": _tool(event), "arguments": arguments or ""})
        yield Step(role="assistant", tool_calls=(call,), at=event.at)
        if _word(event) != _DECISION:
            failed = _FAILED.get(text_of(attributes.get("success")) or "")
            result = first_value(attributes, ("output", "error") if failed else ("output",))
            yield Step(
                role="tool",
                content=captured(result),
                call_id=call.call_id or None,
                tool_name=call.name,
                at=event.at,
                is_error=failed,
            )
