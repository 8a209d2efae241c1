"""Messages in other clothes: calls and results that a type tells, a message inside the content of another, typed spans below their trace."""

from __future__ import annotations

import json
from pathlib import Path

from tests.unit.test_ingest_harnesses import ANSWER, ASKED, answered, decoded, only, said, told


def test_calls_and_results_that_a_type_tells_on_the_agents_side(tmp_path: Path) -> None:
    """The framework's own events beside them are nothing that was said."""
    call = json.dumps({"name": "find_boat", "arguments": {"boat": 7}})
    talk = [
        ("user", "question", ASKED),
        ("assistant", "function_call", call),
        ("assistant", "tool_response", '{"free": true}'),
        ("assistant", "verbose", '{"msg_type": "generate_answer_finish"}'),
        ("assistant", "answer", ANSWER),
    ]
    messages = [said(role, text, type=kind) for role, kind, text in talk]
    assert told(only(tmp_path, {"conversation_id": "c1", "messages": messages}).episode.steps) == [
        ("user", ASKED, []),
        ("assistant", None, [("find_boat", {"boat": 7})]),
        ("tool", '{"free": true}', []),
        ("assistant", ANSWER, []),
    ]


def test_a_message_inside_the_content_of_another(tmp_path: Path) -> None:
    """A log keeps what a model's API has for a message as its own message's content."""
    plain = answered()
    inside = [
        {"id": f"m{n}", "role": one["role"], "content": one if n else one["content"]}
        for n, one in enumerate(plain)
    ]
    chat = only(tmp_path, {"session_id": "s1", "messages": inside})
    (tmp_path / "plain").mkdir()
    alike = only(tmp_path / "plain", {"session_id": "s1", "messages": plain})
    assert told(chat.episode.steps) == told(alike.episode.steps)


def test_typed_spans_below_their_trace(tmp_path: Path) -> None:
    """The thread and the marks of a trace's record belong to its root; a `general` span is the agent's."""
    messages = answered()
    when = {"start_time": "2026-11-01T10:00:00Z", "end_time": "2026-11-01T10:00:01Z"}
    root = {"id": "s0", "trace_id": "t1", "parent_span_id": None, "type": "general", **when}
    model = {"id": "s1", "trace_id": "t1", "parent_span_id": "s0", "type": "llm", **when}
    spans = [
        {**root, "name": "desk", "input": {"q": ASKED}, "output": {"a": ANSWER}},
        {**model, "name": "chat", "input": {"messages": messages[:-1]}, "output": messages[-1]},
    ]
    scores = [{"name": "user_feedback", "value": 1.0, "source": "ui"}]
    trace = {"id": "t1", "name": "desk", "thread_id": "c1", "feedback_scores": scores, **when}
    found = decoded(tmp_path, {"trace": trace, "spans": spans})
    assert found.rejected == []
    (root_span,) = (one for one in found.spans if one.parent_id is None)
    assert "c1" in root_span.attributes.values()
    assert [one.name for one in found.outcomes] == ["user_feedback"]
