"""Content that was taken off its spans and sent in log events: the bodies of these are read as if it still stood there."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ingest.assembly.assemble import assemble
from ingest.records.span import LogEvent, Span
from ingest.records.text import Json
from tests.unit.ingest_emitters import APP, SECOND, START, span

SESSION = {"session.id": "s1"}
TOOL = {"type": "constructor", "id": ["langchain", "schema", "messages", "ToolMessage"], "lc": 1}
CALLED = {
    "gen_ai.completion.0.role": "assistant",
    "gen_ai.completion.0.tool_calls.0.id": "c1",
    "gen_ai.completion.0.tool_calls.0.name": "find_berth",
    "gen_ai.completion.0.tool_calls.0.arguments": '{"ship": "A"}',
}
FLAT = {
    "llm.request.type": "chat",
    "gen_ai.prompt.0.role": "system",
    "gen_ai.prompt.1.role": "user",
}


def moved(number: int, given: list[tuple[str, Json]], made: Json = None) -> LogEvent:
    """What a span was given and what it made, in the body of its event."""
    body: dict[str, Any] = {"input": {"messages": [{"role": r, "content": c} for r, c in given]}}
    if made is not None:
        body["output"] = {"messages": [{"role": "assistant", "content": made}]}
    return LogEvent(
        app=APP,
        event_id=f"e{number}",
        trace_id="a" * 32,
        span_id=f"{number:016x}",
        name="opentelemetry.instrumentation.langchain",
        at=START + number * SECOND + 1,
        body=body,
        attributes=SESSION,
    )


def spans() -> list[Span]:
    """Two model calls and a run in between, without any text."""
    run = {"traceloop.span.kind": "tool", "traceloop.entity.name": "find_berth"}
    work = {"traceloop.span.kind": "workflow", "traceloop.entity.name": "desk"}
    return [
        span(1, {**SESSION, **work}),
        span(2, {**SESSION, **FLAT, **CALLED}, parent_id=f"{1:016x}"),
        span(3, {**SESSION, **run}, parent_id=f"{1:016x}"),
        span(4, {**SESSION, **FLAT}, parent_id=f"{1:016x}"),
        span(5, {**SESSION, **run}, parent_id=f"{1:016x}"),
    ]


RESULT = {**TOOL, "kwargs": {"content": "B4", "tool_call_id": "c1", "status": "success"}}
FAILED = {**TOOL, "kwargs": {"content": "gone", "tool_call_id": "c2", "status": "error"}}
SAID: list[tuple[str, Json]] = [("system", "Be kind."), ("user", "Where does A lie?")]
WRAPPED: list[tuple[str, Json]] = [
    (role, {"content": json.dumps([{"text": text}])}) for role, text in SAID
]


@pytest.mark.parametrize(
    ("said", "answer"),
    [(SAID, "At B4."), (WRAPPED, {"message": '[{"text": "At B4."}]', "finish_reason": "stop"})],
)
def test_content_in_log_events_is_read_where_it_stood(
    said: list[tuple[str, Json]], answer: Json
) -> None:
    """Beside the calls that stayed on the span; an agent's own in- and output is no message."""
    given = {"inputs": {"ship": "A"}, "input_str": "{}", "tags": [], "metadata": {}}
    events = [
        moved(1, [("user", json.dumps({"inputs": {"messages": []}}))], "{}"),
        moved(2, said),
        moved(3, [("user", json.dumps(given))], json.dumps({"output": RESULT})),
        moved(4, [*said, ("tool", "B4")], answer),
        moved(5, [("user", json.dumps(given))], json.dumps({"output": FAILED})),
        moved(9, said, "This span never came."),
    ]
    (episode,) = assemble(spans(), events, app=APP).episodes
    assert [(s.role, s.content, [c.name for c in s.tool_calls]) for s in episode.steps] == [
        ("system", "Be kind.", []),
        ("user", "Where does A lie?", []),
        ("assistant", None, ["find_berth"]),
        ("tool", "B4", []),
        ("assistant", "At B4.", []),
        ("assistant", None, ["find_berth"]),
        ("tool", "gone", []),
    ]
    assert episode.steps[-1].is_error is True
    assert episode.steps[2].tool_calls[0].arguments == '{"ship": "A"}'


@pytest.mark.parametrize(
    "body",
    [
        {"input": {"messages": []}, "output": {"messages": []}},
        {"input": {"messages": [1]}},
        {"input": "Hello", "output": "Hi"},
        {"input": {"messages": [{"role": "user", "content": "Hi"}]}, "page": 3},
        "input",
        None,
    ],
)
def test_other_bodies_move_nothing(body: Json) -> None:
    """An event of the app's own stays one."""
    event = LogEvent(**{f: getattr(moved(2, SAID), f) for f in LogEvent.__slots__} | {"body": body})
    (episode,) = assemble(spans(), [event], app=APP).episodes
    assert not any(step.content for step in episode.steps)
