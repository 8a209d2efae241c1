"""What common clients tell in places of their own: bodies in log events, parts without types, verdicts beside spans, calls beside agents."""

from __future__ import annotations

import json
from typing import Any

from ingest.assembly.assemble import Assembled, assemble
from ingest.dialects.messages import read_messages
from ingest.records.episode import Episode
from ingest.records.span import LogEvent, Span, SpanEvent
from ingest.records.text import Json
from tests.unit.assembled_calls import ANSWER, SYSTEM, USER, call
from tests.unit.ingest_emitters import APP, START, span

TOOLS = [{"name": "dig", "input_schema": {"type": "object"}}]
DIG = {"type": "tool_use", "id": "t1", "name": "dig", "input": {"at": "B2"}}
DUG = {"type": "tool_result", "tool_use_id": "t1", "content": "a chest"}
ASKED = {"role": "user", "content": "Dig at B2."}
CHAT = {"gen_ai.operation.name": "chat", "gen_ai.conversation.id": "s1"}


def of(episode: Episode) -> list[tuple[str, str | None, list[str]]]:
    """An episode's messages: who, what, and which tools are called."""
    return [(s.role, s.content, [c.name for c in s.tool_calls]) for s in episode.steps]


def only(found: Assembled) -> Episode:
    """The one episode."""
    (episode,) = found.episodes
    return episode


def logged(at: int, name: str, **attributes: Json) -> LogEvent:
    """An event of one session, without a span."""
    held = {"session.id": "s1", **attributes}
    return LogEvent(app=APP, event_id=f"e{at}", name=name, at=START + at, attributes=held)


def body(at: int, side: str, source: str, told: dict[str, Any], *, cut: int = 0) -> LogEvent:
    """One side of a model call, whose text may be cut."""
    text = json.dumps(told)
    return logged(
        at, f"api_{side}_body", query_source=source, body=text[: len(text) - cut], model="m"
    )


def session(cut: int = 0) -> list[LogEvent]:
    """A session whose title another call finds meanwhile, and whose first request is sent twice."""
    more = {
        "system": [{"text": "x-anthropic-bill: 1"}, {"text": "Be brisk."}],
        "tools": TOOLS,
        "model": "m",
    }
    first = {"messages": [ASKED], **more}
    history = [
        ASKED,
        {"role": "assistant", "content": [DIG]},
        {"role": "user", "content": [DUG]},
    ]
    return [
        logged(0, "user_prompt", prompt="Dig at B2."),
        body(1, "request", "title", {"messages": [ASKED], "system": "Name it."}),
        body(2, "request", "main", first),
        body(3, "request", "main", first),
        body(4, "response", "title", {"role": "assistant", "content": "A dig"}),
        body(5, "response", "main", {"role": "assistant", "content": [DIG]}),
        logged(6, "tool_decision", tool_name="dig", tool_use_id="t1", decision="accept"),
        logged(7, "tool_result", tool_name="dig", tool_use_id="t1", success="true"),
        body(8, "request", "main", {"messages": history, **more}, cut=cut),
        body(9, "response", "main", {"role": "assistant", "content": "A chest."}),
    ]


def test_bodies_without_spans_tell_a_session() -> None:
    """A request and the next answer to the same part of the program are one call; letting a tool run is no verdict."""
    found = assemble([], session()[::-1], app=APP)
    assert of(only(found)) == [
        ("system", "Be brisk.", []),
        ("user", "Dig at B2.", []),
        ("assistant", None, ["dig"]),
        ("tool", "a chest", []),
        ("assistant", "A chest.", []),
    ]
    episode = only(found)
    assert (episode.conversation_id, episode.model, len(episode.tools)) == ("s1", "m", 1)
    assert found.outcomes == []


def test_a_session_with_a_cut_body_is_told_by_its_other_events() -> None:
    """These have the user's words and the calls, which half of the bodies would lack."""
    found = assemble([], session(cut=9), app=APP)
    assert of(only(found))[:2] == [("user", "Dig at B2.", []), ("assistant", None, ["dig"])]


def verdicts(events: list[LogEvent], *spans: Span) -> set[tuple[str, Json]]:
    """The outcomes of a conversation."""
    found = assemble([call(1, [SYSTEM, USER], ANSWER), *spans], events, app=APP)
    return {(one.name, one.label if one.value is None else one.value) for one in found.outcomes}


def test_a_survey_is_answered_in_words() -> None:
    """The word stands under a name that only says that it answers; one that judges nothing is no verdict."""
    for word, found in (("good", {("exit_survey", "good")}), ("dismissed", set())):
        event = logged(1, "exit_survey", survey_kind="session", response=word)
        assert verdicts([event]) == found


def test_evaluations_stand_in_a_spans_attributes_or_are_an_events_name() -> None:
    """Score, word and reason under one beginning; an event of the convention may be called after what was judged."""
    held = {"eval.goal.score": 0.5, "eval.goal.label": "partly", "eval.goal.explanation": "Late."}
    assert verdicts([], span(5, held)) == {("goal", 0.5)}
    event = logged(1, "gen_ai.evaluation.voting", **{"gen_ai.evaluation.score": 0.0})
    assert verdicts([event]) == {("voting", 0.0)}
    on_span = SpanEvent(name=event.name, at=START, attributes=event.attributes)
    assert verdicts([], span(5, {}, events=(on_span,))) == {("voting", 0.0)}


def chat(number: int, given: list[dict[str, Any]], said: str, **more: Json) -> Span:
    """A model call of one conversation, in a trace of its own."""
    made = [{"role": "assistant", "content": said}]
    held = {"gen_ai.input.messages": json.dumps(given), "gen_ai.output.messages": json.dumps(made)}
    return span(number, {**CHAT, **held, **more}, trace_id=f"{number:032x}")


def test_what_names_a_conversation_is_no_turn_of_its_agent() -> None:
    """It shares no message with the agent, and is offered none of its tools; a turn without memory is offered them."""
    tools = {"gen_ai.tool.definitions": json.dumps(TOOLS)}
    asked = [[SYSTEM, {"role": "user", "content": text}] for text in ("Dig.", "Dig more.")]
    naming = [{"role": "user", "content": "Name this: Dig."}]
    found = assemble(
        [
            chat(1, asked[0], "Dug.", **tools),
            chat(2, naming, "Digging"),
            chat(3, asked[1], "Dug more.", **tools),
        ],
        app=APP,
    )
    assert [text for role, text, _ in of(only(found)) if role == "assistant"] == [
        "Dug.",
        "Dug more.",
    ]
    assert "side_calls_left_out" in only(found).completeness


def test_parts_may_not_say_their_type() -> None:
    """A call has a name, arguments and an id, a result the id of its call; what was said beside calls is a thought there."""
    asking = {
        "content": [{"id": "k1", "name": "dig", "arguments": "{}"}],
        "thought": "I dig.",
        "finish_reason": "function_calls",
    }
    gave = [{"content": "a chest", "name": "dig", "call_id": "k1", "is_error": False}]
    history = [
        {"type": "UserMessage", "content": "Dig.", "source": "user"},
        {"type": "AssistantMessage", **asking},
        {"type": "FunctionExecutionResultMessage", "content": gave},
    ]
    told = read_messages([*history], role="user").steps
    assert [(s.role, s.content, [c.name for c in s.tool_calls]) for s in told] == [
        ("user", "Dig.", []),
        ("assistant", "I dig.", ["dig"]),
        ("tool", "a chest", []),
    ]
    assert told[2].call_id == "k1"
    assert told[1:2] == read_messages(asking, role="assistant").steps
