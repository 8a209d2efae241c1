"""Conversations in events under an app's own names, where these say who speaks: `user_message`, `tool_call`, `acme.agent.reply`.

Comes in: log events that name a conversation, or the events on one span. Goes out: what was said and done, read as the lines of an
app's own log are. Without a user's and an agent's words among them, events only accompany what is told elsewhere.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, Final

from ingest.dialects.identity import AGENT_KEYS, CONVERSATION_KEYS, USER_KEYS, identity_in
from ingest.dialects.messages import read_messages
from ingest.dialects.reading import AGENT, MODEL, Reading
from ingest.formats.records.conversation import read_conversation
from ingest.formats.records.words import NAMES, role_of, snake_case
from ingest.records.episode import Step
from ingest.records.moments import to_text
from ingest.records.span import Attributes, LogEvent, Span
from ingest.records.text import Json

NAME: Final = "own_events"

_ABOUT: Final = frozenset({*CONVERSATION_KEYS, *USER_KEYS, *AGENT_KEYS, "event.name", "event"})
_OF_CALLS: Final = frozenset({"tool", "function", "call"})
_SPEAK: Final = frozenset({"user", "assistant"})
_SAID: Final = frozenset(
    {*("message", "msg", "said", "reply", "response", "answer"), *("text", "utterance", "question")}
)
_ASKED: Final = frozenset({"input", "query"})
_RAN: Final = frozenset({*NAMES["requested"], *NAMES["returned"], "call", "called"} - {"message"})
_CONVENTION: Final = "gen_ai."
_MOST_NAMED: Final = 64

Event = tuple[str, int, Attributes]
"""What an event says that happened, when, and what it holds."""


def sessions(events: Iterable[LogEvent]) -> Iterator[tuple[list[LogEvent], Reading]]:
    """Each conversation that log events tell whole: its events in order, and what they say."""
    found: dict[str, list[tuple[LogEvent, Event]]] = defaultdict(list)
    for event in events:
        held = {**(event.body if isinstance(event.body, dict) else {}), **event.attributes}
        word = _word(_name(event, held))
        named = identity_in(held, event.resource)["conversation"] if word else None
        if word and named:
            line = event.body if isinstance(event.body, str) else ""
            beside = {"text": line} if line and not _word(line) else {}
            found[named].append((event, (word, event.at, {**beside, **held})))
    for session in found.values():
        session.sort(key=lambda one: (one[0].at, one[0].event_id))
        steps = _steps(told for _, told in session)
        if steps:
            about = {k: v for _, (_, _, held) in session for k, v in held.items()}
            first = session[0][0]
            told = identity_in(about, first.resource)
            input_, output = _parted(steps)
            reading = Reading(kind=MODEL, dialect=NAME, input=input_, output=output, **told)
            yield [event for event, _ in session], reading


def told_on(span: Span, reading: Reading) -> Reading:
    """A span's reading with what its own events tell of a turn, where nothing else does."""
    words = ((_word(event.name), event.at, event.attributes) for event in span.events)
    told = [] if reading.has_content else [one for one in words if one[0]]
    steps = _steps(told) if told else ()
    if not steps:
        return reading
    given, made = _parted(steps)
    return replace(reading, kind=AGENT, dialect=NAME, is_turn=True, input=given, output=made)


def _name(event: LogEvent, held: Attributes) -> str:
    """What happened: the event's name, else what a logger puts into its line."""
    line = event.body if isinstance(event.body, str) and len(event.body) <= _MOST_NAMED else ""
    names = (held.get("event.name"), event.name, held.get("event"), line)
    return next((one for one in names if isinstance(one, str) and _word(one)), "")


def _word(name: str) -> str:
    """The end of a name that says who speaks, or that a tool is called or answers; empty where none does."""
    parts = snake_case(name.replace(".", " ")).split("_")
    if name.startswith(_CONVENTION) or not 1 < len(parts) <= 4:
        return ""
    who, what = role_of(parts[-2]), parts[-1]
    speaks = who in _SPEAK and (what in _SAID or (who == "user" and what in _ASKED))
    if speaks:
        return f"{who}_message"
    return "_".join(parts[-2:]) if parts[-2] in _OF_CALLS and what in _RAN else ""


def _steps(events: Iterable[Event]) -> tuple[Step, ...]:
    """What was said and done; nothing where not both a user and the agent speak."""
    items: list[Json] = [
        {"event": word, "time": to_text(at), **_fields(held)} for word, at, held in events
    ]
    steps = read_messages(read_conversation(items).messages, role="user").steps
    speak = {step.role for step in steps if step.content}
    return tuple(steps) if {"user", "assistant"} <= speak else ()


def _fields(held: Attributes) -> dict[str, Any]:
    """What an event holds, by the last words of the names."""
    fields: dict[str, Any] = {}
    for key, value in held.items():
        *above, last = key.split(".")
        if key not in _ABOUT and value not in (None, ""):
            own = f"{above[-1]}_{last}" if above and above[-1] in _OF_CALLS else last
            fields.setdefault(own, value)
    return fields


def _parted(steps: tuple[Step, ...]) -> tuple[tuple[Step, ...], tuple[Step, ...]]:
    """What went before the agent's last words, and these."""
    ends = steps[-1].role == "assistant"
    return (steps[:-1], steps[-1:]) if ends else (steps, ())
