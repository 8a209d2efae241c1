"""Claude Code's own telemetry as its command line sent it, in small; its session files: test_ingest_claude_code_sessions."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from ingest.assembly.assemble import assemble
from ingest.dialects.claude_code import exchanged_in
from ingest.records.episode import Episode
from ingest.records.span import LogEvent, Span, SpanEvent
from tests.unit.ingest_emitters import APP, START, span

SET_UP = f"{0:016x}"
PARTS = "\n\n---\n\n"


def sent(number: int, kind: str, parent: int | None = 0, **attributes: Any) -> Span:  # noqa: ANN401 - any attribute
    """One span of a session."""
    told = {"span.type": kind, "session.id": "s1", **attributes}
    above = None if parent is None else f"{parent:016x}"
    return span(number, told, name=f"claude_code.{kind}", parent_id=above)


def logged(number: int, name: str, **attributes: Any) -> LogEvent:  # noqa: ANN401 - any attribute
    """One log event: its body is the whole name, its attribute the short one."""
    return LogEvent(
        app=APP,
        event_id=f"e{number}",
        trace_id="a" * 32,
        span_id=SET_UP,
        name=name,
        at=START + number,
        body=f"claude_code.{name}",
        attributes={"session.id": "s1", **attributes},
    )


def session() -> list[Span]:
    """A turn with two calls, one of which fails, and a second turn in a new process that sends the past again."""
    results = f"[TOOL RESULT: t1]\n1\tsent{PARTS}[TOOL RESULT: t2]\nNo such file."
    first: dict[str, Any] = {
        "new_context": "[USER]\nWhere are A1 and B2?",
        "response.model_output": "I look.",
    }
    bye: dict[str, Any] = {"response.model_output": "Bye."}
    sent_it: dict[str, Any] = {"response.model_output": "A1 was sent."}
    past = f"[USER]\nWhere are A1 and B2?{PARTS}{results}"
    spans = [
        sent(0, "interaction", None, new_context="[USER PROMPT]\nWhere are A1 and B2?"),
        sent(1, "llm_request", **first),
        sent(6, "llm_request", new_context=results, **sent_it),
        sent(
            8,
            "llm_request",
            new_context=f"{past}{PARTS}[USER]\nThanks.",
            **bye,
        ),
    ]
    for number, (call, file) in enumerate((("t1", "A1"), ("t2", "B2"))):
        given: dict[str, Any] = {"tool_input": f'[TOOL INPUT: Read]\n{{"file_path":"{file}"}}'}
        spans.append(sent(2 + number, "tool", tool_name="Read", tool_use_id=call, **given))
    ended: dict[str, Any] = {"success": False, "error": "No such file.", "tool_use_id": "t2"}
    return [*spans, sent(4, "tool.execution", 3, **ended)]


def episode_of(spans: list[Span], events: list[LogEvent]) -> Episode:
    """The one episode of a session."""
    (episode,) = assemble(spans, events, app=APP).episodes
    return episode


def test_a_session_of_two_processes_is_one_whole_dialogue() -> None:
    """Headings are taken off, calls come from the tools' spans, the failure from the execution below; nothing is lost."""
    episode = episode_of(session(), [])
    assert [(s.role, s.content, s.call_id) for s in episode.steps] == [
        ("user", "Where are A1 and B2?", None),
        ("assistant", "I look.", None),
        ("tool", "1\tsent", "t1"),
        ("tool", "No such file.", "t2"),
        ("assistant", "A1 was sent.", None),
        ("user", "Thanks.", None),
        ("assistant", "Bye.", None),
    ]
    asked = [(c.call_id, c.name, json.loads(c.arguments)) for c in episode.steps[1].tool_calls]
    assert asked == [("t1", "Read", {"file_path": "A1"}), ("t2", "Read", {"file_path": "B2"})]
    assert [s.is_error for s in episode.steps if s.role == "tool"] == [None, True]
    assert "history_edited" in episode.completeness
    assert not {"orphan_results", "unasked_tool_runs", "branched"} & set(episode.completeness)


def test_instructions_and_tools_come_from_the_log_events_of_the_interaction() -> None:
    """The spans have hashes only; each definition is an event of its own."""
    definition = {"name": "Read", "description": "Reads.", "input_schema": {"type": "object"}}
    events = [
        logged(1, "system_prompt", system_prompt="Be kind."),
        logged(2, "tool", tool_name="Read", tool=json.dumps(definition)),
        logged(3, "user_prompt", prompt="Where are A1 and B2?"),
    ]
    episode = episode_of(session(), events)
    assert (episode.steps[0].role, episode.steps[0].content) == ("system", "Be kind.")
    (tool,) = map(json.loads, episode.tools)
    assert tool["function"] == {
        "name": "Read",
        "description": "Reads.",
        "parameters": {"type": "object"},
    }
    # An event of that short name from anybody else is not Claude Code's.
    other = LogEvent(**{**{f: getattr(events[1], f) for f in events[1].__slots__}, "body": "tool"})
    assert not episode_of(session(), [other]).tools


def test_what_the_user_writes_is_not_taken_for_a_heading_in_its_middle() -> None:
    """A heading stands at the start or after the separator; a cut context says so."""
    text = "[USER]\nIt says [TOOL RESULT: t1]\nnothing"
    cut = sent(1, "llm_request", None, new_context=text, new_context_truncated=True)
    episode = episode_of([cut], [])
    assert episode.steps[0].content == "It says [TOOL RESULT: t1]\nnothing"
    assert "truncated" in episode.completeness


def test_the_bodies_of_requests_say_what_their_spans_do_not() -> None:
    """Without the client's reminders and without the title that a small model writes; a body that was cut says nothing."""

    def body(number: int, side: str, of: int, told: dict[str, Any], *, cut: int = 0) -> LogEvent:
        event = logged(number, f"api_{side}_body", body=json.dumps(told)[: -cut or None])
        return replace(event, span_id=f"{of:016x}")

    asked = {"role": "user", "content": [{"type": "text", "text": t} for t in (REMINDER, "A1?")]}
    used: dict[str, Any] = {"type": "tool_use", "id": "t1", "name": "Read", "input": {"file": "A1"}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "sent"}
    answers: list[dict[str, Any]] = [
        {"role": "assistant", "content": [used]},
        {"role": "assistant", "content": [{"type": "text", "text": "A1 was sent."}]},
    ]
    past = [asked, answers[0], {"role": "user", "content": [result]}]
    more: dict[str, Any] = {
        "system": [{"type": "text", "text": "Be kind."}],
        "tools": [{"name": "Read", "input_schema": {"type": "object"}}],
    }
    title = {"messages": [{"role": "user", "content": "A1?"}], "system": "Write a title."}
    spans = [
        sent(0, "interaction", None, user_prompt="A1?"),
        sent(1, "llm_request"),
        sent(2, "tool", tool_name="Read", tool_use_id="t1"),
        sent(3, "llm_request"),
    ]
    for cut in (0, 9):
        events = [
            body(1, "request", 0, title),
            body(2, "response", 0, {"role": "assistant", "content": "Where A1 is"}),
            body(3, "request", 1, {"messages": [asked], **more}, cut=cut),
            body(4, "response", 1, answers[0]),
            body(5, "request", 3, {"messages": past, **more}, cut=cut),
            body(6, "response", 3, answers[1]),
        ]
        found = episode_of(spans, events)
        assert [(s.role, s.content) for s in found.steps if s.role != "tool"] == [
            *([] if cut else [("system", "Be kind.")]),
            ("user", "A1?"),
            ("assistant", None),
            ("assistant", "A1 was sent."),
        ]
        assert [call.arguments for s in found.steps for call in s.tool_calls] == ['{"file": "A1"}']
        assert bool(found.tools) == (not cut)


def test_an_interaction_alone_tells_what_was_asked() -> None:
    """Where nothing else that was said is logged, the prompts stand in their places, and each is a turn of its own."""
    spans = [
        sent(0, "interaction", None, user_prompt="Go on."),
        sent(1, "llm_request"),
        sent(2, "interaction", None, user_prompt="Go on."),
        sent(3, "llm_request", 2),
    ]
    found = episode_of(spans, [])
    assert [(s.role, s.content) for s in found.steps] == [("user", "Go on.")] * 2


REMINDER = "<system-reminder>\nToday is Monday.\n</system-reminder>\n"


PARTS_OF_USERS: list[tuple[Any, list[Any]]] = [
    (f"{REMINDER} close A1 {REMINDER}", ["close A1"]),
    (f"{REMINDER}{REMINDER}", []),
    ("close A1\n</system-reminder>", ["close A1\n</system-reminder>"]),
]


@pytest.mark.parametrize(("text", "left"), PARTS_OF_USERS)
def test_what_a_user_says_beside_reminders_stays(text: str, left: list[str]) -> None:
    """In a part of a message and in a text that stands alone in the list."""
    for part in ({"type": "text", "text": text}, text):
        told = {"messages": [{"role": "user", "content": [part]}]}
        event = logged(1, "api_request_body", body=json.dumps(told))
        (message,) = exchanged_in(event)["gen_ai.input.messages"]
        assert [one if part is text else one["text"] for one in message["content"]] == left


def test_a_tools_output_holds_its_whole_input() -> None:
    """Its span names a file or a command alone. What ran after one silent request was asked for together."""
    ran = [
        SpanEvent(
            name="tool.output",
            at=START,
            attributes={"tool_input": json.dumps({"path": path, "lines": 3}), "output": "sent"},
        )
        for path in ("A1", "B2")
    ]
    spans = [
        sent(0, "interaction", None, user_prompt="Where are A1 and B2?"),
        sent(1, "llm_request"),
        *(
            replace(
                sent(n, "tool", tool_name="Read", file_path="A1", tool_use_id=f"t{n}"),
                events=(one,),
            )
            for n, one in enumerate(ran, 2)
        ),
    ]
    episode = episode_of(spans, [])
    assert [step.role for step in episode.steps] == ["user", "assistant", "tool", "tool"]
    asked = [json.loads(call.arguments) for call in episode.steps[1].tool_calls]
    assert asked == [{"path": "A1", "lines": 3}, {"path": "B2", "lines": 3}]
