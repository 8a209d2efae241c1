"""Events under an app's own names, in a log and on a span: whole conversations are read, what only accompanies them is not."""

from __future__ import annotations

from typing import Any

import pytest

from ingest.assembly.assemble import assemble
from ingest.assembly.ties import Ties
from ingest.records.episode import Episode
from ingest.records.span import LogEvent, Span, SpanEvent
from ingest.records.text import Json
from tests.unit.assembled_calls import ANSWER, SYSTEM, USER, call
from tests.unit.ingest_emitters import APP, SECOND, START, span

Told = list[tuple[str, dict[str, Any]]]
DOTTED: Told = [
    ("kiosk.user.message", {"kiosk.text": "Late?"}),
    ("kiosk.tool.call", {"tool.name": "find_ship", "tool.arguments": '{"ship": "A"}', "tool.call_id": "c1"}),
    ("kiosk.cache.hit", {"kiosk.key": "x"}),
    ("kiosk.tool.result", {"tool.name": "find_ship", "tool.output": "late", "tool.call_id": "c1"}),
    ("kiosk.agent.reply", {"kiosk.text": "Yes."}),
]  # fmt: skip
PLAIN: Told = [
    ("user_input", {"message": "Late?"}),
    ("tool_call", {"tool": "find_ship", "arguments": {"ship": "A"}}),
    ("tool_result", {"tool": "find_ship", "result": "late"}),
    ("assistant_message", {"message": "Yes."}),
]


def logged(told: Told, session: str, *, place: str, first: int = 0) -> list[LogEvent]:
    """Log events of one conversation; their names and fields stand in one of several places."""
    found: list[LogEvent] = []
    for number, (name, held) in enumerate(told, first):
        whole = {"kiosk.session_id": session, **held}
        body: Json = (
            {"event": name, **whole} if place == "body" else name if place == "line" else None
        )
        attributes = {} if place == "body" else whole
        found.append(
            LogEvent(
                app=APP,
                event_id=f"{session}-{number}",
                trace_id=None,
                span_id=None,
                name=name if place == "name" else "",
                at=START + number * SECOND,
                body=body,
                attributes=attributes,
            )
        )
    return found


def check(episode: Episode) -> None:
    """The whole conversation."""
    assert [(s.role, s.content, [c.arguments for c in s.tool_calls]) for s in episode.steps] == [
        ("user", "Late?", []),
        ("assistant", None, ['{"ship": "A"}']),
        ("tool", "late", []),
        ("assistant", "Yes.", []),
    ]
    assert episode.source == "own_events"


@pytest.mark.parametrize("told", [DOTTED, PLAIN])
@pytest.mark.parametrize("place", ["name", "line", "body"])
def test_log_events_that_say_who_speaks_are_conversations(told: Told, place: str) -> None:
    """Two sessions whose events alternate, none of which belongs to a trace."""
    one, two = (logged(told, session, place=place) for session in ("s1", "s2"))
    mixed = [event for both in zip(one, two, strict=True) for event in both]
    found = assemble([], mixed, app=APP).episodes
    assert [episode.conversation_id for episode in found] == ["s1", "s2"]
    for episode in found:
        check(episode)
    ties = Ties()
    for event in mixed:
        ties.add_event(event)
    assert len(set(ties.group().values())) == 2


@pytest.mark.parametrize("told", [DOTTED, PLAIN])
def test_the_events_on_a_turns_span_are_the_turn(told: Told) -> None:
    """In a trace of its own each, of one conversation; where a model's call tells the words, the events say nothing new."""
    turns: list[Span] = []
    for number in (1, 20):
        events = tuple(
            SpanEvent(name=name, at=START + (number + at) * SECOND, attributes=held)
            for at, (name, held) in enumerate(told)
        )
        fields: dict[str, Any] = {"trace_id": f"{number:032x}", "events": events}
        turns.append(span(number, {"kiosk.session_id": "s1"}, name="turn", **fields))
    (episode,) = assemble(turns[:1], app=APP).episodes
    check(episode)
    (both,) = assemble(turns, app=APP).episodes
    assert [s.content for s in both.steps] == ["Late?", None, "late", "Yes."] * 2
    below = call(2, [SYSTEM, USER], ANSWER, trace_id=f"{1:032x}", parent_id=turns[0].span_id)
    (told_below,) = assemble([turns[0], below], app=APP).episodes
    assert [s.content for s in told_below.steps] == [
        SYSTEM["content"],
        USER["content"],
        ANSWER["content"],
    ]


@pytest.mark.parametrize(
    "told",
    [
        PLAIN[:3],
        PLAIN[1:],
        [("user_login", {"name": "Ann"}), ("agent_started", {"version": "2"})],
        [("message", {"text": "Late?"}), ("reply", {"text": "Yes."})],
    ],
)
def test_events_that_do_not_tell_both_sides_are_no_conversation(told: Told) -> None:
    """They accompany something: a user's words alone, calls alone, a program's own steps."""
    assert not [
        episode
        for episode in assemble([], logged(told, "s1", place="name"), app=APP).episodes
        if episode.source == "own_events"
    ]
