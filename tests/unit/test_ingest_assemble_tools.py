"""Tool calls and their results, put together from messages and spans that tell them in part, twice or apart."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from ingest.records.span import SpanEvent
from tests.unit.assembled_calls import ANSWER, SYSTEM, USER, asks, call, gets, only, shape, tool
from tests.unit.ingest_emitters import (
    SECOND,
    START,
    span,
)


def test_tool_runs_without_ids_are_joined_by_name_arguments_and_order() -> None:
    """Two runs of one tool without call ids find the calls with their arguments."""
    twice = {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "x", "function": {"name": "find_order", "arguments": '{"order": "1"}'}},
            {"id": "y", "function": {"name": "find_order", "arguments": '{"order": "2"}'}},
        ],
    }
    spans = [
        call(1, [SYSTEM, USER], twice),
        tool(2, "find_order", '{"order":"2"}', "second"),
        tool(3, "find_order", '{"order":"1"}', "first"),
    ]
    results = {s.call_id: s.content for s in only(spans).steps if s.role == "tool"}
    assert results == {"x": "first", "y": "second"}


def test_repeated_call_ids_bind_results_to_the_nearest_call() -> None:
    """A call id that occurs twice in one conversation never exchanges two results."""
    history = [SYSTEM, USER, asks("same", "a"), gets("same", "one"), ANSWER, USER]
    spans = [
        call(1, [SYSTEM, USER], asks("same", "a")),
        tool(2, "b", "{}", "one", **{"gen_ai.tool.call.id": "same"}),
        call(3, history[:4], ANSWER),
        call(5, history, asks("same", "b")),
        tool(6, "b", "{}", "two", **{"gen_ai.tool.call.id": "same"}),
    ]
    episode = only(spans)
    assert [(s.tool_name, s.content) for s in episode.steps if s.role == "tool"] == [
        ("a", "one"),
        ("b", "two"),
    ]
    assert episode.completeness == ("no_tool_definitions", "repeated_call_ids")


def test_a_result_that_no_message_carries_comes_from_its_span() -> None:
    """The last call of a run has no next request: its span has the result."""
    spans = [
        call(1, [SYSTEM, USER], asks("z", "hand_over")),
        tool(2, "hand_over", "{}", "done", **{"gen_ai.tool.call.id": "z"}),
    ]
    assert shape(only(spans))[-2:] == [("assistant", "hand_over"), ("tool", "done")]


def test_a_call_without_a_result_is_named() -> None:
    """A call that nothing answers is kept and named; no result is invented."""
    episode = only([call(1, [SYSTEM, USER], asks("z"))])
    assert episode.completeness == ("missing_results", "no_tool_definitions")
    assert [step.role for step in episode.steps] == ["system", "user", "assistant"]


def test_a_failed_tool_says_so() -> None:
    """A tool span's error status reaches the result, with its message where there is no other."""
    run = tool(2, "find_order", "{}", "", **{"gen_ai.tool.call.id": "z", "error.type": "timeout"})
    broken = replace(
        run,
        attributes={k: v for k, v in run.attributes.items() if not k.endswith("result")},
        status=2,
        status_message="timed out",
    )
    result = only([call(1, [SYSTEM, USER], asks("z")), broken]).steps[-1]
    assert (result.role, result.content, result.is_error) == ("tool", "timed out", True)


def test_a_sub_agent_inside_a_tool_stands_before_the_tools_result() -> None:
    """An agent used as a tool gives steps of its own, marked with the call that started it."""
    first = call(1, [SYSTEM, USER], asks("z", "ask_expert"))
    run = replace(
        tool(2, "ask_expert", "{}", "42", **{"gen_ai.tool.call.id": "z"}),
        ended_at=START + 10 * SECOND,
    )
    agent = span(
        3,
        {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "expert"},
        parent_id=run.span_id,
    )
    prompt = [
        {"role": "system", "content": "You know."},
        {"role": "user", "content": "What is it?"},
    ]
    below = call(4, prompt, {"role": "assistant", "content": "42"}, parent_id=agent.span_id)
    last = call(11, [SYSTEM, USER, asks("z", "ask_expert"), gets("z", "42")], ANSWER)
    episode = only([first, run, agent, below, last])
    assert [(s.role, s.parent, s.agent) for s in episode.steps] == [
        ("system", None, None),
        ("user", None, None),
        ("assistant", None, None),
        ("system", "z", "expert"),
        ("user", "z", "expert"),
        ("assistant", "z", "expert"),
        ("tool", None, None),
        ("assistant", None, None),
    ]


def test_each_step_names_the_agent_that_runs_around_its_model_call() -> None:
    """Frameworks name the agent on the span around the model calls only; two of them talk in one conversation."""
    handed = [SYSTEM, USER, {"role": "assistant", "content": "To billing."}]
    names = {1: "desk", 3: "billing"}
    around = [
        span(
            number,
            {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": name},
            ended_at=START + (number + 2) * SECOND,
        )
        for number, name in names.items()
    ]
    spans = [
        around[0],
        call(2, handed[:2], handed[2], parent_id=around[0].span_id),
        around[1],
        call(4, handed, ANSWER, parent_id=around[1].span_id),
    ]
    episode = only(spans)
    assert episode.agent == "desk"
    assert [(s.role, s.agent) for s in episode.steps] == [
        ("system", None),
        ("user", None),
        ("assistant", None),
        ("assistant", "billing"),
    ]


def test_parallel_calls_told_one_by_one_stay_one_message() -> None:
    """A history that repeats parallel calls with their results in between is recognised."""
    both = {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "x", "function": {"name": "a", "arguments": "{}"}},
            {"id": "y", "function": {"name": "b", "arguments": "{}"}},
        ],
    }
    told = [SYSTEM, USER, asks("x", "a"), gets("x", "1"), asks("y", "b"), gets("y", "2")]
    episode = only([call(1, [SYSTEM, USER], both), call(2, told, ANSWER)])
    assert [s.role for s in episode.steps] == [
        "system",
        "user",
        "assistant",
        "tool",
        "tool",
        "assistant",
    ]
    assert episode.completeness == ("no_tool_definitions",)


@pytest.mark.parametrize("first", [True, False])
def test_what_only_prepares_is_not_the_conversation(first: bool) -> None:
    """A classifier's call under fewer agents than the agent's own, before it; what speaks after the agent acted is the conversation."""
    word = {"role": "assistant", "content": "billing"}
    at = 1 if first else 9
    asked = [{"role": "system", "content": "One word."}, USER]
    outer = call(at, asked, word)
    agent = span(2, {"gen_ai.operation.name": "invoke_agent"})
    below = {"parent_id": agent.span_id}
    acts = call(3, [SYSTEM, USER], asks("c1"), **below)
    says = call(5, [SYSTEM, USER, asks("c1"), gets("c1", "sent")], ANSWER, **below)
    episode = only([outer, agent, acts, says])
    said = [step.content for step in episode.steps if step.role == "assistant" and step.content]
    assert said == ([ANSWER["content"]] if first else [ANSWER["content"], "billing"])
    assert ("side_calls_left_out" in episode.completeness) is first


def test_what_sums_up_a_conversation_is_none_of_its_turns() -> None:
    """A call in a trace of its own, under fewer agents than the agent that acts in the others."""
    named = {"session.id": "s1"}
    desk = span(1, {"gen_ai.operation.name": "invoke_agent", **named})
    inner = span(2, {"gen_ai.operation.name": "invoke_agent", **named}, parent_id=desk.span_id)
    below = {"parent_id": inner.span_id, "attributes": named}
    acts = call(3, [SYSTEM, USER], asks("c1"), **below)
    says = call(5, [SYSTEM, USER, asks("c1"), gets("c1", "sent")], ANSWER, **below)
    told = {"role": "user", "content": f"user: {USER['content']}\nassistant: {ANSWER['content']}"}
    prompt = {"role": "system", "content": "Sum up."}
    word = {"role": "assistant", "content": "An order was found."}
    after = call(60, [prompt, told], word, attributes=named, trace_id="c" * 32)
    episode = only([desk, inner, acts, says, after])
    assert [step.content for step in episode.steps][-1] == ANSWER["content"]
    assert word["content"] not in [step.content for step in episode.steps]
    assert "side_calls_left_out" in episode.completeness


def test_a_call_whose_agent_has_not_arrived_goes_on_with_its_conversation() -> None:
    """Its prompt is told once; a client that keeps the history sends what is new alone."""
    told: dict[str, Any] = {"session.id": "s1", "gen_ai.operation.name": "invoke_agent"}
    desk = span(1, told, name="invoke_agent desk")
    named = {"session.id": "s1"}
    first = call(2, [SYSTEM, USER], ANSWER, attributes=named, parent_id=desk.span_id)
    again = {"role": "user", "content": "The second."}
    last = call(30, [SYSTEM, again], ANSWER, attributes=named, parent_id="f" * 16)
    assert [role for role, _ in shape(only([desk, first, replace(last, trace_id="b" * 32)]))] == [
        *("system", "user", "assistant"),
        *("user", "assistant"),
    ]


def test_runs_after_a_silent_model_call_were_asked_for_together() -> None:
    """Until the next one: the model cannot have asked for them apart."""
    spans = [
        call(1, [SYSTEM, USER], None),
        tool(3, "find_order", '{"order":"1"}', "first"),
        tool(5, "find_order", '{"order":"2"}', "second"),
        call(7, [SYSTEM, USER], None),
        tool(9, "send", "{}", "sent"),
        call(11, [SYSTEM, USER], ANSWER),
    ]
    steps = [(s.role, s.content, len(s.tool_calls)) for s in only(spans).steps]
    assert steps[2:] == [
        ("assistant", None, 2),
        ("tool", "first", 0),
        ("tool", "second", 0),
        ("assistant", None, 1),
        ("tool", "sent", 0),
        ("assistant", ANSWER["content"], 0),
    ]


NAMED = [
    ({"kiosk.agent.tools": ["find_order", "send"]}, ["find_order", "send"]),
    ({"kiosk.request.tool.names": '["find_order"]'}, ["find_order"]),
    ({"kiosk.response.tools": ["find_order"]}, []),
    ({"kiosk.tools_used": ["find_order"]}, []),
    ({"kiosk.tools": ["find the order", "send it"]}, []),
]


@pytest.mark.parametrize("around", [False, True])
@pytest.mark.parametrize(("told", "offered"), NAMED)
def test_tools_that_a_span_only_names_are_offered(
    told: dict[str, Any], offered: list[str], around: bool
) -> None:
    """On the model's span or on the step around it; not those that a model chose."""
    step = span(1, told if around else {}, name="step")
    one = call(2, [SYSTEM, USER], ANSWER, parent_id=step.span_id)
    one = one if around else replace(one, attributes={**one.attributes, **told})
    tools = [json.loads(text)["function"]["name"] for text in only([step, one]).tools]
    assert tools == offered


def test_a_name_gets_the_schema_that_a_run_tells() -> None:
    """Spring AI tells a tool's definition where it runs, and to a model only names."""
    schema = {"type": "object", "properties": {"order": {"type": "string"}}}
    asked = call(1, [SYSTEM, USER], ANSWER)
    ran = {
        "spring.ai.kind": "tool_call",
        "spring.ai.tool.definition.name": "find_order",
        "spring.ai.tool.definition.schema": json.dumps(schema),
        "gen_ai.operation.name": "framework",
    }
    named = {"spring.ai.model.request.tool.names": '["send", "find_order"]'}
    spans = [replace(asked, attributes={**asked.attributes, **named}), span(3, ran)]
    tools = {f["name"]: f.get("parameters") for f in (json.loads(t)["function"] for t in only(spans).tools)}  # fmt: skip
    assert tools == {"send": None, "find_order": schema}


BARE: list[tuple[list[str], list[str]]] = [
    (["Late?"], ["user"]),
    (["Be kind.", "Late?"], ["system", "user"]),
    (["Late?", "No.", "And now?", "", ""], ["user", "assistant", "user"]),
    (
        ["Be kind.", "Late?", "No.", "And now?", "I look.", ""],
        ["system", "user", "assistant", "user", "assistant"],
    ),
]


@pytest.mark.parametrize(("texts", "roles"), BARE)
def test_bare_texts_have_the_roles_of_their_places(texts: list[str], roles: list[str]) -> None:
    """Spring AI's events list texts without roles: a request ends with the user's or with results, which are empty."""
    told = SpanEvent(name="gen_ai.content.prompt", at=START, attributes={"gen_ai.prompt": texts})
    made = {"gen_ai.completion": ["Yes."]}
    back = SpanEvent(name="gen_ai.content.completion", at=START, attributes=made)
    one = span(1, {"gen_ai.operation.name": "chat"}, events=(told, back))
    assert [s.role for s in only([one]).steps] == [*roles, "assistant"]


def test_what_a_tool_runs_is_part_of_the_conversation_that_called_it() -> None:
    """An agent in a tool's place may make up a session of its own; its words are marked as its own."""
    named = {"gen_ai.conversation.id": "c1"}
    ran = tool(2, "clerk", "{}", "Paid.", **named, **{"gen_ai.tool.call.id": "k1"})
    spans = [
        call(1, [USER], asks("k1", "clerk"), attributes=named),
        replace(ran, ended_at=START + 4 * SECOND),
        call(
            3,
            [{"role": "user", "content": "Is it paid?"}],
            {"role": "assistant", "content": "Paid."},
            attributes={"gen_ai.conversation.id": "c2"},
            parent_id=f"{2:016x}",
        ),
    ]
    episode = only(spans)
    assert [(s.content, s.parent) for s in episode.steps[2:]] == [
        ("Is it paid?", "k1"),
        ("Paid.", "k1"),
        ("Paid.", None),
    ]


def test_results_that_only_the_agent_tells_are_told() -> None:
    """A run may end with the result of a call: no later call to the model repeats it, and no tool's span has it."""
    told = [USER, asks("k1"), gets("k1", "Noted.")]
    agent = call(1, told, None, attributes={"gen_ai.operation.name": "invoke_agent"})
    spans = [agent, call(2, [USER], asks("k1"), parent_id=agent.span_id)]
    assert shape(only(spans))[-1] == ("tool", "Noted.")
