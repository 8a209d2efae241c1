"""Hard cases of real telemetry that no other file of tests holds: each is one test with the case's name."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from ingest.assembly.assemble import assemble
from ingest.files.outcome_table import attach
from ingest.records.episode import Episode
from ingest.records.span import Span
from tests.unit.ingest_emitters import (
    APP,
    SECOND,
    START,
    TOOL,
    Emitted,
    openinference,
    otel_genai,
    span,
)


def only(spans: list[Span]) -> Episode:
    """The one episode of these spans."""
    (episode,) = assemble(spans, app=APP).episodes
    return episode


def said(role: str, *parts: dict[str, Any] | str) -> dict[str, Any]:
    """One message in OpenTelemetry's form."""
    told = [{"type": "text", "content": p} if isinstance(p, str) else p for p in parts]
    return {"role": role, "parts": told}


def asks(call: str, name: str = "find") -> dict[str, Any]:
    """A part that asks for a tool."""
    return {"type": "tool_call", "id": call, "name": name, "arguments": {"k": call}}


def gets(call: str, result: str) -> dict[str, Any]:
    """A part with a tool's result."""
    return {"type": "tool_call_response", "id": call, "response": result}


def chat(
    number: int,
    given: list[Any],
    made: list[Any] | None,
    **attributes: Any,  # noqa: ANN401 - any attribute
) -> Span:
    """One model call of conversation c1."""
    fields = {k: attributes.pop(k) for k in ("parent_id", "trace_id", "status") if k in attributes}
    told: dict[str, Any] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.conversation.id": "c1",
        "gen_ai.input.messages": json.dumps(given),
        "gen_ai.tool.definitions": json.dumps([TOOL]),
    }
    if made is not None:
        told["gen_ai.output.messages"] = json.dumps(made)
    return span(number, {**told, **attributes}, **fields)


def tool(number: int, call: str, result: str | None, **fields: Any) -> Span:  # noqa: ANN401 - fields of a span
    """One tool run of conversation c1."""
    told = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.conversation.id": "c1",
        "gen_ai.tool.name": fields.pop("name", "find"),
        "gen_ai.tool.call.id": call,
        "gen_ai.tool.call.arguments": json.dumps({"k": call}),
    }
    return span(
        number, told | ({} if result is None else {"gen_ai.tool.call.result": result}), **fields
    )


def shape(episode: Episode) -> list[tuple[str, str | None]]:
    """Roles and texts."""
    return [(step.role, step.content) for step in episode.steps]


HI, OK = said("user", "hi"), said("assistant", "ok")


def test_clock_skew_between_hosts() -> None:
    """The tool's host is an hour ahead and one span ends before it starts: order follows what was said."""
    spans = [
        chat(1, [HI], [said("assistant", asks("k1"))]),
        tool(2, "k1", "found", started_at=START + 3600 * SECOND, ended_at=START + 3599 * SECOND),
        chat(3, [HI, said("assistant", asks("k1")), said("tool", gets("k1", "found"))], [OK]),
        chat(4, [HI, said("assistant", asks("k1")), said("tool", gets("k1", "found")), OK, said("user", "bye")], [said("assistant", "bye")]),
    ]  # fmt: skip
    assert [role for role, _ in shape(only(spans))] == [
        "user", "assistant", "tool", "assistant", "user", "assistant",
    ]  # fmt: skip


def test_a_stream_that_the_user_aborted() -> None:
    """Partial output without usage or finish reason is what was said; none at all is named."""
    partial = only([chat(1, [HI], [said("assistant", "It wa")])])
    assert shape(partial) == [("user", "hi"), ("assistant", "It wa")]
    assert partial.steps[1].output_tokens is None
    none = only([chat(1, [HI], None)])
    assert "missing_output" in none.completeness
    assert ("user", "hi") in shape(none)


def test_a_batch_that_was_lost_leaves_orphans() -> None:
    """Children whose parents never arrived stay an episode, and it says so."""
    orphans = [
        chat(2, [HI], [OK], parent_id="f" * 16),
        tool(3, "k9", "found", parent_id="f" * 16),
    ]
    found = only(orphans)
    assert "missing_parents" in found.completeness
    assert ("tool", "found") in shape(found)


def test_flattened_messages_with_gaps_are_named_truncated() -> None:
    """An attribute limit dropped messages in the middle: the rest is read, and nothing is moved together silently."""
    attributes: dict[str, Any] = {"llm.request.type": "chat", "gen_ai.completion.0.content": "ok"}
    for index in (0, 1, 4):
        attributes[f"gen_ai.prompt.{index}.role"] = "user"
        attributes[f"gen_ai.prompt.{index}.content"] = f"m{index}"
    assert "truncated" in only([span(1, attributes)]).completeness


def test_merged_tool_spans_are_no_calls() -> None:
    """ADK's span over parallel calls repeats them and is dropped."""
    asked = said("assistant", asks("k1"), asks("k2"))
    spans = [
        chat(1, [HI], [asked]),
        tool(2, "k1", "one"),
        tool(3, "k2", "two"),
        replace(tool(4, "e1", "both", name="(merged tools)"), scope="gcp.vertex.agent"),
    ]
    assert shape(only(spans)) == [
        ("user", "hi"), ("assistant", None), ("tool", "one"), ("tool", "two"),
    ]  # fmt: skip


def test_parallel_results_in_another_order_with_one_missing() -> None:
    """Results go to their calls by id; the one that never came is named."""
    asked = said("assistant", asks("k1"), asks("k2"), asks("k3"))
    told = [HI, asked, said("tool", gets("k3", "three")), said("tool", gets("k1", "one"))]
    found = only([chat(1, [HI], [asked]), chat(2, told, [OK])])
    results = {step.call_id: step.content for step in found.steps if step.role == "tool"}
    assert results == {"k1": "one", "k3": "three"}
    assert "missing_results" in found.completeness


def test_server_side_tools_have_no_span() -> None:
    """A search that the provider ran stands in the output only, with its result beside it."""
    searched = {
        "type": "server_tool_call",
        "id": "s1",
        "name": "web_search",
        "server_tool_call": {"type": "web_search", "query": "x"},
    }
    found_it = {
        "type": "server_tool_call_response",
        "id": "s1",
        "server_tool_call_response": {"type": "web_search", "hits": 2},
    }
    found = only([chat(1, [HI], [said("assistant", searched, found_it, "There are two.")])])
    assert "There are two." in {text for _, text in shape(found)}
    named = {call.name for step in found.steps for call in step.tool_calls}
    assert named == {"web_search"} or "non_text_content" in found.completeness


def test_a_tool_error_that_looks_like_success_is_kept_as_it_was_sent() -> None:
    """A result that says "Error" under an OK status is text: whether it failed is not invented here."""
    spans = [
        chat(1, [HI], [said("assistant", asks("k1"))]),
        tool(2, "k1", "Error: no such order", status=1),
    ]
    (result,) = [step for step in only(spans).steps if step.role == "tool"]
    assert (result.content, result.is_error) == ("Error: no such order", False)


def test_several_choices_are_one_answer() -> None:
    """With n > 1 the first choice is the conversation's unless the history shows which was taken."""
    choices = [said("assistant", "one"), said("assistant", "two")]
    alone = only([chat(1, [HI], choices)])
    assert [text for role, text in shape(alone) if role == "assistant"] == ["one"]
    taken = [HI, said("assistant", "two"), said("user", "more")]
    found = only([chat(1, [HI], choices), chat(2, taken, [OK])])
    assert [text for role, text in shape(found)] == ["hi", "two", "more", "ok"]


def test_one_trace_id_in_two_apps_is_two_episodes() -> None:
    """Tenants and replays may share ids; an app's spans are its own."""
    mine = chat(1, [HI], [OK])
    theirs = replace(chat(1, [said("user", "secret")], [OK]), app="other")
    (episode,) = assemble([mine, theirs], app=APP).episodes
    (other,) = assemble([mine, theirs], app="other").episodes
    assert shape(episode)[0] == ("user", "hi")
    assert shape(other)[0] == ("user", "secret")
    assert episode.episode_id != other.episode_id


def test_feedback_before_its_spans_and_several_raters() -> None:
    """A statement waits for its episode; two raters stay two outcomes, and one rater's later word replaces the first."""

    def note(number: int, rater: str, score: float) -> Span:
        told = {
            "openinference.span.kind": "EVALUATOR",
            "session.annotations.0.annotation.name": "helpful",
            "session.annotations.0.annotation.score": score,
            "session.annotations.0.annotation.annotator_kind": "HUMAN",
            "session.annotations.0.annotation.identifier": rater,
            "session.id": "c1",
        }
        return span(number, told, trace_id="e" * 32)

    early = assemble([note(1, "a", 0.0), note(2, "b", 1.0), note(3, "a", 1.0)], app=APP)
    assert not early.episodes
    assert sorted((o.author, o.value) for o in early.outcomes) == [("a", 1.0), ("b", 1.0)]
    assert {o.episode_id for o in early.outcomes} == {None}
    assert {o.by for o in early.outcomes} == {"reviewer"}
    late = only([chat(5, [HI], [OK])])
    assert {o.episode_id for o in attach(early.outcomes, [late])} == {late.episode_id}


@pytest.mark.parametrize("newer", [otel_genai, openinference])
def test_conventions_of_two_ages_in_one_conversation(newer: Any) -> None:  # noqa: ANN401 - an emitter
    """Service A speaks old OpenLLMetry, service B something newer: one conversation, nothing told twice."""
    sent: Emitted = newer()
    models = [
        s
        for s in sent.spans
        if "gen_ai.request.model" in s.attributes or "llm.model_name" in s.attributes
    ]
    first = {
        "llm.request.type": "chat",
        "gen_ai.conversation.id": "c1",
        "gen_ai.request.model": "m",
        "gen_ai.prompt.0.role": "system",
        "gen_ai.prompt.0.content": "Be kind.",
        "gen_ai.prompt.1.role": "user",
        "gen_ai.prompt.1.content": "Where is my order A1?",
        "gen_ai.completion.0.role": "assistant",
        "gen_ai.completion.0.tool_calls.0.id": "call_1",
        "gen_ai.completion.0.tool_calls.0.name": "find_order",
        "gen_ai.completion.0.tool_calls.0.arguments": '{"order": "A1"}',
    }
    older = span(1, first, span_id=models[0].span_id, trace_id=models[0].trace_id)
    mixed = [older, *(s for s in sent.spans if s is not models[0])]
    assert shape(only(mixed)) == shape(only(sent.spans))


def test_lone_surrogates_and_large_blobs_in_attributes() -> None:
    """Text that is no Unicode and a megabyte of base64 neither break nor stop an episode."""
    blob = {"type": "blob", "modality": "image", "content": "A" * (1 << 20)}
    found = only([chat(1, [said("user", "look \ud800", blob)], [OK])])
    assert "non_text_content" in found.completeness
    assert max(len(text or "") for _, text in shape(found)) < 1000


def test_a_part_of_a_sampled_conversation_invents_nothing() -> None:
    """With the first turns sampled away the history still tells them; without content nobody does."""
    later = [HI, OK, said("user", "more")]
    assert [text for _, text in shape(only([chat(9, later, [said("assistant", "sure")])]))] == [
        "hi", "ok", "more", "sure",
    ]  # fmt: skip


def test_what_was_answered_stays_where_only_the_users_side_is_sent_again() -> None:
    """An app that forgets its own answers does not take them back; a question asked otherwise is another branch."""
    first = chat(1, [said("user", "One?")], [said("assistant", "Yes.")])
    again = [said("user", "One?"), said("user", "Two?")]
    episode = only([first, chat(2, again, [said("assistant", "No.")])])
    assert [step.content for step in episode.steps] == ["One?", "Yes.", "Two?", "No."]
    assert "history_edited" in episode.completeness
    other = [said("user", "Uno?"), said("user", "Two?")]
    assert "Yes." in [
        s.content for s in only([first, chat(2, other, [said("assistant", "No.")])]).steps
    ]


def test_calls_that_only_their_runs_and_results_name_are_made_where_they_were() -> None:
    """An answer without its calls, results with their ids, and spans of these ids: one message asked for both."""
    runs = [
        span(
            2 + number,
            {
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": "find",
                "gen_ai.tool.call.id": f"k{number}",
                "gen_ai.tool.call.arguments": json.dumps({"k": number}),
                "gen_ai.conversation.id": "c1",
            },
        )
        for number in (1, 2)
    ]
    results = [said("tool", gets("k1", "one")), said("tool", gets("k2", "two"))]
    spans = [
        chat(1, [said("user", "Hi")], [said("assistant", "I look.")]),
        chat(
            5,
            [said("user", "Hi"), said("assistant", "I look."), *results],
            [said("assistant", "Both.")],
        ),
    ]
    episode = only([*spans, *runs])
    assert [(s.role, s.content, len(s.tool_calls)) for s in episode.steps] == [
        ("user", "Hi", 0),
        ("assistant", "I look.", 2),
        ("tool", "one", 0),
        ("tool", "two", 0),
        ("assistant", "Both.", 0),
    ]
    assert not {"orphan_results", "unasked_tool_runs"} & set(episode.completeness)


def test_two_spans_of_one_run_are_one_call_with_what_both_know() -> None:
    """A framework's own span below its tracer's knows the call's id, and that it failed."""
    outer = {
        "openinference.span.kind": "TOOL",
        "tool.name": "desk.find",
        "input.value": '{"k": 1}',
        "output.value": "no such order",
    }
    inner = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "desk.find",
        "gen_ai.tool.call.id": "k1",
    }
    spans = [span(1, outer), span(2, inner, parent_id=f"{1:016x}", status=2)]
    episode = only(spans)
    (asking, result) = episode.steps
    assert (asking.tool_calls[0].call_id, asking.tool_calls[0].arguments) == ("k1", '{"k": 1}')
    assert (result.content, result.is_error) == ("no such order", True)
