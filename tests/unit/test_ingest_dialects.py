"""One dialogue, many emitters: every dialect gives the same episode."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace

import pytest

from ingest.assembly.assemble import assemble
from ingest.dialects.table import dialect_of
from ingest.files.chat_log import Chat
from ingest.records.episode import Episode, Step
from ingest.records.span import SpanEvent
from ingest.records.text import canonical_arguments
from tests.chat_line import parse_line
from tests.unit.ingest_emitters import (
    APP,
    EMITTERS,
    START,
    TOOL,
    TURNS,
    Emitted,
    mlflow,
    openinference,
    otel_genai,
    span,
)


def told(step: Step) -> tuple[object, ...]:
    """What a step says, without times, tokens and names of agents."""
    calls = tuple((c.call_id, c.name, canonical_arguments(c.arguments)) for c in step.tool_calls)
    return step.role, step.content, calls, step.call_id, step.tool_name


def written() -> Episode:
    """The dialogue as a chat log holds it."""
    line = {"episode_id": "c1", "app": APP, "user_id": "u1", "tools": [TOOL], "messages": TURNS}
    chat = parse_line(json.dumps(line), source="s", position="line 1")
    assert isinstance(chat, Chat)
    return chat.episode


@pytest.mark.parametrize("emit", EMITTERS.values(), ids=EMITTERS.keys())
def test_every_dialect_gives_the_chat_logs_episode(emit: Callable[[], Emitted]) -> None:
    """Messages, calls, results, tools, ids, user and model are the same whichever client sent them."""
    sent = emit()
    found = assemble(sent.spans, sent.events, app=APP)
    expected = written()
    assert len(found.episodes) == 1
    episode = found.episodes[0]
    assert [told(step) for step in episode.steps] == [told(step) for step in expected.steps]
    assert episode.episode_id == expected.episode_id
    assert episode.conversation_id == "c1"
    assert episode.subject == "u1"
    assert episode.model == "m"
    assert episode.tools == expected.tools
    assert episode.completeness == ()
    assert [s.output_tokens for s in episode.steps if s.role == "assistant"] == [5, 5]


@pytest.mark.parametrize("emit", EMITTERS.values(), ids=EMITTERS.keys())
def test_order_of_arrival_and_duplicates_do_not_matter(emit: Callable[[], Emitted]) -> None:
    """Spans and events in any order, some of them twice, give the same episode."""
    sent = emit()
    expected = assemble(sent.spans, sent.events, app=APP).episodes
    shuffler = random.Random(7)  # noqa: S311 - shuffles, and always alike
    for _ in range(5):
        spans, events = sent.spans + sent.spans[::2], sent.events + sent.events[::2]
        shuffler.shuffle(spans)
        shuffler.shuffle(events)
        assert assemble(spans, events, app=APP).episodes == expected


def test_a_coding_agents_traces_are_read() -> None:
    """Claude Code's requests carry only what is new; its tool's output is an event; hidden text is named."""
    ask = {"span.type": "llm_request", "session.id": "c1", "model": "m", "new_context": "Fix it."}
    output = json.dumps(
        [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}}]
    )
    run = {
        "span.type": "tool",
        "tool_name": "Bash",
        "tool_use_id": "t1",
        "tool_input": '{"command": "ls"}',
    }
    hidden = {
        "span.type": "llm_request",
        "new_context": "<REDACTED>",
        "response.model_output": "Done.",
    }
    spans = [
        span(1, {**ask, "response.model_output": output}),
        span(
            2, run, events=(SpanEvent(name="tool.output", at=START, attributes={"output": "a.py"}),)
        ),
        span(3, hidden),
    ]
    (episode,) = assemble(spans, app=APP).episodes
    assert [(s.role, s.content) for s in episode.steps] == [
        ("user", "Fix it."),
        ("assistant", None),
        ("tool", "a.py"),
        ("assistant", "Done."),
    ]
    assert (episode.source, episode.conversation_id) == ("claude_code", "c1")
    assert "no_content" in episode.completeness


def test_feedback_spans_of_logfire_are_outcomes_of_the_span_above() -> None:
    """A typed value on an annotation span is an outcome; the span is no step."""
    judged = otel_genai().spans
    note = span(
        50,
        {
            "logfire.span_type": "annotation",
            "logfire.feedback.name": "helpful",
            "helpful": True,
            "logfire.feedback.comment": "thanks",
        },
        parent_id=judged[1].span_id,
    )
    found = assemble([*judged, note], app=APP)
    assert [(o.name, o.value, o.text, o.episode_id) for o in found.outcomes] == [
        ("helpful", 1.0, "thanks", found.episodes[0].episode_id)
    ]
    assert len(found.episodes[0].steps) == len(TURNS)


def test_assessments_of_mlflow_are_outcomes_unless_withdrawn() -> None:
    """Who judged is kept, an expectation is the right answer, an invalid assessment says nothing."""
    notes = [
        {
            "name": "ok",
            "source": {"source_type": "HUMAN", "source_id": "x"},
            "feedback": {"value": True},
        },
        {"name": "judge", "source": {"source_type": "LLM_JUDGE"}, "feedback": {"value": 0.5}},
        {"name": "gold", "source": {"source_type": "HUMAN"}, "expectation": {"value": "42"}},
        {"name": "old", "valid": False, "feedback": {"value": 1}},
    ]
    spans = mlflow().spans
    root = replace(
        spans[0], attributes={**spans[0].attributes, "mlflow.assessments": json.dumps(notes)}
    )
    outcomes = assemble([root, *spans[1:]], app=APP).outcomes
    assert {(o.name, o.value, o.by, o.correction) for o in outcomes} == {
        ("ok", 1.0, "reviewer", None),
        ("judge", 0.5, "model", None),
        ("gold", None, "reviewer", "42"),
    }


def test_an_unknown_dialect_still_names_the_conversation() -> None:
    """A span that no dialect claims joins its children and gives them its ids."""
    sent = otel_genai().spans
    plain = replace(sent[0], attributes={"session.id": "c7", "enduser.id": "u7"}, name="handler")
    assert dialect_of(plain) == "otel"
    (episode,) = assemble([plain, *sent[1:]], app=APP).episodes
    assert (episode.conversation_id, episode.subject) == ("c7", "u7")


def test_hostile_indices_cost_nothing() -> None:
    """`gen_ai.prompt.999999999.content` is one message, and the gap before it is named."""
    attributes = {
        "llm.request.type": "chat",
        "gen_ai.prompt.999999999.content": "x",
        "gen_ai.prompt.999999999.role": "user",
    }
    (episode,) = assemble([span(1, attributes)], app=APP).episodes
    assert [s.content for s in episode.steps] == ["x"]
    assert "truncated" in episode.completeness


@pytest.mark.parametrize("calls", [True, 3, "x", {"id": 1}])
def test_calls_that_are_no_list_take_nothing_along(calls: object) -> None:
    """`message.tool_calls: true` on one message of OpenInference costs no other message."""
    sent = openinference().spans
    odd = {**sent[0].attributes, "llm.input_messages.1.message.tool_calls": calls}
    (episode,) = assemble([replace(sent[0], attributes=odd), *sent[1:]], app=APP).episodes
    assert ("user", "Where is my order A1?") in {(s.role, s.content) for s in episode.steps}
