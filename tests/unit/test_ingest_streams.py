"""Habits of client libraries that the common dialogue does not show: who is asked where, what is told twice, what is no message."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from ingest.assembly.assemble import Assembled, assemble
from ingest.dialects.otel_genai import read_tool
from ingest.dialects.otel_genai_events import behind_their_calls
from ingest.records.episode import Episode, Step, ToolCall
from ingest.records.span import STATUS_ERROR, LogEvent, Span, SpanEvent
from ingest.records.text import Json
from tests.unit.ingest_emitters import APP, SECOND, START, span

ASKED = {"role": "user", "content": "Is the ferry late?"}
CALL = {"id": "k1", "type": "function", "function": {"name": "find", "arguments": '{"ship": "A"}'}}
CHAT = {"gen_ai.operation.name": "chat"}


def told(found: Assembled) -> list[tuple[str, str | None, list[str]]]:
    """The one episode's messages: who, what, and which tools are called."""
    return of(only(found))


def of(episode: Episode) -> list[tuple[str, str | None, list[str]]]:
    """An episode's messages."""
    return [(s.role, s.content, [c.name for c in s.tool_calls]) for s in episode.steps]


def only(found: Assembled) -> Episode:
    """The one episode."""
    (episode,) = found.episodes
    return episode


def said(name: str, at: int = 0, **attributes: Json) -> SpanEvent:
    """An event on a span."""
    return SpanEvent(name=f"gen_ai.{name}", at=START + at, attributes=attributes)


def messages(number: int, given: list[Any], made: Json, **fields: Json) -> Span:
    """A model call with messages in attributes."""
    attributes = {
        **CHAT,
        "gen_ai.input.messages": json.dumps(given),
        "gen_ai.output.messages": json.dumps([made]),
    }
    return span(number, {**attributes, **fields.pop("more", {})}, **fields)


def test_events_of_a_span_stand_in_their_own_order() -> None:
    """Clocks give a span's events times that run backwards; calls in them are JSON text, as LiveKit writes each."""
    events = (
        said("user.message", at=3, content="Is the ferry late?"),
        said("assistant.message", at=1, tool_calls=[json.dumps(CALL)]),
        said("tool.message", at=2, content="late", id="k1"),
        said("choice", at=4, content="Yes."),
    )
    assert told(assemble([span(1, CHAT, events=events)], app=APP)) == [
        ("user", "Is the ferry late?", []),
        ("assistant", None, ["find"]),
        ("tool", "late", []),
        ("assistant", "Yes.", []),
    ]


def test_a_prompt_written_as_json_loses_its_quotes() -> None:
    """Strands writes its system prompt as JSON; a prompt that only begins with a quotation stays."""
    for written, meant in (('"Be kind."', "Be kind."), ('"Hi" is what you say.',) * 2):
        call = messages(1, [ASKED], {"role": "assistant", "content": "No."})
        attributes = {**call.attributes, "system_prompt": written}
        assert told(assemble([span(1, attributes)], app=APP))[0] == ("system", meant, [])


def test_a_call_that_failed_is_no_message() -> None:
    """Also where it stands above the calls that were made instead; turns are joined by a session under a bare name."""
    more = {"more": {"session_id": "s1", "gen_ai.agent.name": "desk"}}
    failed = span(3, {**CHAT, "session_id": "s1"}, status=STATUS_ERROR)
    answer = {"role": "assistant", "content": "No."}
    second = {"role": "user", "content": "And now?"}
    spans = [
        messages(1, [ASKED], answer, parent_id=f"{90:016x}", trace_id="b" * 32, **more),
        failed,
        messages(5, [ASKED, answer, second], {"role": "assistant", "content": "Yes."}, **more),
        span(0, {"gen_ai.operation.name": "invoke_agent"}, span_id=f"{90:016x}", trace_id="b" * 32),
    ]
    assert [one[:2] for one in told(assemble(spans, app=APP))] == [
        ("user", "Is the ferry late?"),
        ("assistant", "No."),
        ("user", "And now?"),
        ("assistant", "Yes."),
    ]
    assert only(assemble([failed], app=APP)).completeness


def test_a_hand_over_told_as_a_tool_is_no_call() -> None:
    """OpenInference tells the OpenAI Agents SDK's hand-overs as tools without a name, with or without whose hands they leave and reach."""
    kind = "openinference.span.kind"
    chat = {
        kind: "LLM",
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.content": "Hi",
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.content": "Hello",
    }
    for more in ({}, {"input.value": "Desk", "output.value": "Clerk"}):
        spans = [span(1, chat), span(2, {kind: "TOOL", **more}, name="handoff to Clerk")]
        assert told(assemble(spans, app=APP)) == [("user", "Hi", []), ("assistant", "Hello", [])]
    run = span(2, {kind: "TOOL", "input.value": "{}", "output.value": "Clerk"}, name="who")
    assert told(assemble([span(1, chat), run], app=APP))[2:] == [
        ("assistant", None, ["who"]),
        ("tool", "Clerk", []),
    ]


def test_a_sub_agents_runs_are_its_own() -> None:
    """They are not told a second time as the main agent's; what Google's kit tells of other agents nobody said."""
    request = {
        "contents": [
            {"role": "user", "parts": [{"text": "Is the ferry late?"}]},
            {"role": "user", "parts": [{"text": "For context:"}, {"text": "[root] called tool"}]},
        ]
    }
    call = {"function_call": {"id": "k1", "name": "find", "args": {"ship": "A"}}}
    root = span(0, {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "root"})
    agent = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "clerk"}
    clerk = span(3, agent, parent_id=root.span_id)
    answer = {"role": "assistant", "content": "The clerk knows."}
    system = {"role": "system", "content": "Be kind."}
    asked = {
        "gen_ai.operation.name": "call_llm",
        "gcp.vertex.agent.llm_request": json.dumps(
            {**request, "config": {"system_instruction": "Be quick."}}
        ),
        "gcp.vertex.agent.llm_response": json.dumps(
            {"content": {"role": "model", "parts": [call]}}
        ),
    }
    ran = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "find",
        "gen_ai.tool.call.id": "k1",
        "gen_ai.tool.call.arguments": '{"ship": "A"}',
        "gen_ai.tool.call.result": "late",
    }
    spans = [
        root,
        messages(1, [system, ASKED], answer, parent_id=root.span_id),
        clerk,
        span(4, asked, parent_id=clerk.span_id, scope="gcp.vertex.agent"),
        span(5, ran, parent_id=clerk.span_id),
    ]
    episode = only(assemble(spans, app=APP))
    assert [c.name for s in episode.steps for c in s.tool_calls] == ["find"]
    assert [s.content for s in episode.steps if s.role == "tool"] == ["late"]
    assert {s.content for s in episode.steps if s.role == "user"} == {"Is the ferry late?"}


def printed(number: int, of_span: Span, text: str) -> LogEvent:
    """What Spring AI's logger prints beside a span."""
    return LogEvent(
        app=APP,
        event_id=f"log-{number}",
        trace_id=of_span.trace_id,
        span_id=of_span.span_id,
        at=of_span.started_at + 1,
        body=text,
    )


def test_spring_ai_prints_what_was_said() -> None:
    """What was asked is printed for the client's span, the answers for the model's; quotes are not escaped."""
    framework = {"gen_ai.operation.name": "framework"}
    client = span(
        0,
        {**framework, "spring.ai.kind": "chat_client"}
        | {"spring.ai.chat.client.conversation.id": "s1"},
        ended_at=START + 100 * SECOND,
    )
    below = {"parent_id": client.span_id}
    first, second = span(1, CHAT, **below), span(5, CHAT, **below)
    ran = {
        **framework,
        "spring.ai.kind": "tool_call",
        "spring.ai.tool.definition.name": "find",
        "spring.ai.tool.call.arguments": '{"ship": "A"}',
        "spring.ai.tool.call.result": "late",
    }
    events = [
        printed(
            1,
            client,
            'Chat Client Prompt Content:\n["user":"Is "A", the ferry, late?", "system":"Be kind."]',
        ),
        printed(2, second, 'Chat Model Completion:\n["{"late": true}"]'),
    ]
    found = assemble([client, first, span(3, ran, **below), second], events, app=APP)
    assert told(found) == [
        ("system", "Be kind.", []),
        ("user", 'Is "A", the ferry, late?', []),
        ("assistant", None, ["find"]),
        ("tool", "late", []),
        ("assistant", '{"late": true}', []),
    ]
    assert only(found).conversation_id == "s1"


def test_smolagents_tells_parallel_calls_in_words() -> None:
    """The task loses its heading; results in one text are parted by lines where there is one for each call."""
    kind = {"openinference.span.kind": "LLM"}
    calls = {
        f"llm.output_messages.0.message.tool_calls.{n}.tool_call.{key}": value
        for n in range(2)
        for key, value in (
            ("id", f"k{n}"),
            ("function.name", "find"),
            ("function.arguments", f'{{"n": {n}}}'),
        )
    }
    scope = "openinference.instrumentation.smolagents"
    asked = _message("input", 0, "user", "New task:\nWhere are A and B?")
    words = "Calling tools:\n[{'id': 'k0', 'name': 'find'}, {'id': 'k1', 'name': 'find'}]"
    again = _message("input", 1, "assistant", words)
    for text, results in (("here\nthere", ["here", "there"]), ("here", [])):
        given = {**asked, **again, **_message("input", 2, "user", f"Observation:\n{text}")}
        made = _message("output", 0, "assistant", "Here and there.")
        spans = [
            span(1, {**kind, **asked, **_message("output", 0, "assistant"), **calls}, scope=scope),
            span(5, {**kind, **given, **made}, scope=scope),
        ]
        assert told(assemble(spans, app=APP)) == [
            ("user", "Where are A and B?", []),
            ("assistant", None, ["find", "find"]),
            *(("tool", result, []) for result in results),
            ("assistant", "Here and there.", []),
        ]


@pytest.mark.parametrize("apart", [False, True])
@pytest.mark.parametrize("mark", ["Observation", "Error"])
def test_an_agent_that_acts_in_programs_is_the_conversation(apart: bool, mark: str) -> None:
    """Not the survey before it; a program's own calls are inside it, what its client appends or tells apart is nobody's words, and another agent's tools are that agent's."""
    kind = {"openinference.span.kind": "LLM"}

    def below(parent: int) -> dict[str, str]:
        return {"parent_id": f"{parent:016x}"}

    def step(number: int, above: int, given: list[tuple[str, str]], made: str, asked: str = "Where is A?") -> Span:  # fmt: skip
        texts = [_message("input", n, *one) for n, one in enumerate([("user", asked), *given])]
        whole = {key: one for text in texts for key, one in text.items()}
        return span(number, {**kind, **whole, **_message("output", 0, "assistant", made)}, **below(above))  # fmt: skip

    def ran(number: int, name: str, above: int) -> Span:
        used = {"openinference.span.kind": "TOOL", "tool.name": name, "input.value": "{}", "output.value": "here"}  # fmt: skip
        return span(number, used, **below(above))

    first, second = (f"Thought: I go.\nCode:\n```py\n{c}\n```<end_code>" for c in ("find()", "final()"))  # fmt: skip
    calls = "Calling tools:\n[{'id': 'k0', 'function': {'name': 'python', 'arguments': 'find()'}}]"
    more = [first, calls] if apart else [f"{first}\n{calls}"]
    past = [*(("assistant", one) for one in more), ("user", f"Call id: k0\n{mark}:\nhere")]
    agent, other = ({"openinference.span.kind": "AGENT", "smolagents.tools_names": f"('{name}', 'final')"} for name in ("find", "search"))  # fmt: skip
    chain = {"openinference.span.kind": "CHAIN"}
    spans = [
        span(1, agent, ended_at=START + 20 * SECOND),
        step(2, 1, [], "Nothing is known.", "What is known of A?"),
        span(3, chain, **below(1)),
        step(4, 3, [], first),
        ran(5, "find", 3),
        span(6, other, **below(3)),
        step(7, 6, [], "I look.", "Search for A."),
        ran(8, "search", 6),
        span(9, chain, **below(1)),
        step(10, 9, past, second),
        ran(11, "final", 9),
    ]
    main = [one for one in only(assemble(spans, app=APP)).steps if one.parent is None]
    assert [(s.role, s.content, [c.name for c in s.tool_calls]) for s in main] == [
        ("user", "Where is A?", []),
        ("assistant", "Thought: I go.", ["python"]),
        ("tool", "here", []),
        ("assistant", "Thought: I go.", ["python"]),
    ]
    inside = [call.name for s in only(assemble(spans, app=APP)).steps if s.parent for call in s.tool_calls]  # fmt: skip
    assert inside == ["search"]
    offered = [json.loads(one)["function"]["name"] for one in only(assemble(spans, app=APP)).tools]
    assert offered == ["find", "final"]


def _message(side: str, number: int, role: str, content: str | None = None) -> dict[str, Json]:
    place = f"llm.{side}_messages.{number}.message"
    text = {} if content is None else {f"{place}.content": content}
    return {f"{place}.role": role, **text}


def held(name: str, **body: Json) -> SpanEvent:
    """An event on a span that holds its body in one attribute."""
    content = {"gen_ai.event.content": json.dumps(body)}
    return SpanEvent(name=f"gen_ai.{name}", at=START, attributes=content)


def test_an_events_body_may_stand_in_one_attribute() -> None:
    """As Semantic Kernel writes it; the calls of a choice stand beside its message."""
    asked = [
        held("system.message", role="system", content="Be kind."),
        held("user.message", **ASKED),
    ]
    chosen = {"message": {"role": "assistant", "content": "I look."}, "tool_calls": [CALL]}
    again = held("assistant.message", role="assistant", content="I look.", tool_calls=[CALL])
    answered = held("choice", message={"role": "assistant", "content": "Yes."}, tool_calls=[])
    spans = [
        span(1, CHAT, events=(*asked, held("choice", **chosen))),
        span(3, CHAT, events=(*asked, again, held("tool.message", content="late"), answered)),
    ]
    assert told(assemble(spans, app=APP)) == [
        ("system", "Be kind.", []),
        ("user", "Is the ferry late?", []),
        ("assistant", "I look.", ["find"]),
        ("tool", "late", []),
        ("assistant", "Yes.", []),
    ]


def test_a_thread_at_a_service_is_told_as_it_grows() -> None:
    """The agent is made once in a trace of its own; results come before their calls; a list of what was said is no message."""

    def done(number: int, operation: str, *events: SpanEvent, **more: Json) -> Span:
        told_of = {"gen_ai.operation.name": operation, "gen_ai.thread.id": "th1", **more}
        return span(number, told_of, events=events, trace_id=f"{number:032x}")

    agent: dict[str, Json] = {"gen_ai.agent.id": "a1"}
    made = {"gen_ai.operation.name": "create_agent", **agent}
    prompt = held("system.message", content="Be kind.")
    text: Json = {"text": {"value": "No."}}
    listed = [held("user.message", content={"text": {"value": "And now?"}}), prompt]
    spans = [
        span(1, made, events=(prompt,), trace_id="1" * 32),
        done(2, "create_message", held("user.message", **ASKED)),
        done(
            3,
            "process_thread_run",
            held("tool.message", content="late", id="k1"),
            held("assistant.message", tool_calls=[CALL]),
            held("assistant.message", role="assistant", content=text),
            **agent,
        ),
        done(4, "create_message", held("user.message", **ASKED)),
        done(5, "process_thread_run", held("assistant.message", content=text), **agent),
        done(6, "list_messages", *listed),
    ]
    assert told(assemble(spans, app=APP)) == [
        ("system", "Be kind.", []),
        ("user", "Is the ferry late?", []),
        ("assistant", None, ["find"]),
        ("tool", "late", []),
        ("assistant", "No.", []),
        ("user", "Is the ferry late?", []),
        ("assistant", "No.", []),
    ]
    assert not assemble(spans[:1], app=APP).episodes


def test_the_answers_of_a_loop_stand_below_the_call_that_tells_it_once() -> None:
    """One span tells what was asked and the last answer, the steps below it each answer; the tools' runs lie beside."""
    loop = {"gen_ai.prompt": json.dumps({"messages": [ASKED]}), "threadId": "th1"}
    loop["gen_ai.completion"] = json.dumps({"text": "Yes."})
    call: Json = {
        "type": "tool-call",
        "toolCallId": "k1",
        "toolName": "find",
        "args": {"ship": "A"},
    }
    step = {"gen_ai.operation.name": "model.step"}
    run = {"gen_ai.tool.name": "find", "gen_ai.tool.input": '{"ship":"A"}'}
    ran = {**run, "gen_ai.operation.name": "tool.execute", "gen_ai.tool.output": "late"}
    above = {"parent_id": f"{1:016x}"}
    outputs = ({"text": "I look.", "toolCalls": [call]}, {"text": "Yes.", "toolCalls": []})
    spans = [
        span(1, {**CHAT, **loop}),
        span(2, {**step, "output": json.dumps(outputs[0])}, **above),
        span(3, ran),
        span(4, {**step, "output": json.dumps(outputs[1])}, **above),
    ]
    found = assemble(spans, app=APP)
    assert only(found).conversation_id == "th1"
    assert told(found) == [
        ("user", "Is the ferry late?", []),
        ("assistant", "I look.", ["find"]),
        ("tool", "late", []),
        ("assistant", "Yes.", []),
    ]


def test_bare_names_of_sessions_and_threads_come_last() -> None:
    """An app's own conversation goes before a browser's session; a number is a thread of the machine's."""
    answer: Json = {"role": "assistant", "content": "No."}
    cases: list[tuple[dict[str, Json], str | None]] = [
        ({"sessionId": "b1", "kiosk.conversation.id": "k1"}, "k1"),
        ({"sessionId": "7", "threadId": "th1"}, "7"),
        ({"threadId": "th1"}, "th1"),
        ({"threadId": 42}, None),
        ({"threadId": "th1", "ai.telemetry.metadata.threadId": "v1"}, "v1"),
        ({"ai.telemetry.metadata.conversationId": "v2"}, "v2"),
    ]
    for more, named in cases:
        found = assemble([messages(1, [ASKED], answer, more=more)], app=APP)
        assert only(found).conversation_id == named


def test_a_run_that_stops_to_ask_somebody_is_told_when_it_goes_on() -> None:
    """LangGraph raises an interrupt and runs the tool again once somebody has said yes; an error stays a result."""
    made: Json = {"role": "assistant", "content": None, "tool_calls": [CALL]}
    run = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "find"}
    run["gen_ai.tool.call.arguments"] = '{"ship": "A"}'
    went_on = {**run, "gen_ai.tool.call.result": "late"}
    for raised, runs in (
        ("GraphInterrupt", 1),
        ("langgraph.errors.GraphInterrupt", 1),
        ("OSError", 2),
    ):
        stopped = SpanEvent(name="exception", at=START, attributes={"exception.type": raised})
        spans = [
            messages(1, [ASKED], made),
            span(2, run, status=STATUS_ERROR, events=(stopped,)),
            span(3, went_on),
        ]
        steps = only(assemble(spans, app=APP)).steps
        assert len([step for step in steps if step.tool_calls]) == runs
        assert [step.content for step in steps if step.role == "tool"][-1] == "late"


def test_an_agent_without_an_id_instructs_nobody() -> None:
    """Calls without an id are not its own: they may be anybody's."""
    made = {"gen_ai.operation.name": "create_agent", "gen_ai.agent.name": "Billing"}
    maker = span(1, made, events=(held("system.message", content="Bill."),), trace_id="1" * 32)
    call = messages(2, [ASKED], {"role": "assistant", "content": "No."})
    assert told(assemble([maker, call], app=APP)) == [
        ("user", "Is the ferry late?", []),
        ("assistant", "No.", []),
    ]


def test_what_a_tool_was_given_does_not_hang_on_the_order_of_attributes() -> None:
    """Only the known names tell it, and the convention's own before others."""
    told_of: dict[str, Json] = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "find",
        "gen_ai.tool.call.arguments": '{"a": 1}',
        "spring.ai.tool.call.arguments": '{"a": 2}',
        "gen_ai.tool.schema.arguments": "[]",
        "gen_ai.tool.call.result": "late",
        "gen_ai.tool.schema.result": "text",
    }
    for attributes in (told_of, dict(reversed(told_of.items()))):
        found = read_tool(attributes)
        assert (found["arguments"], found["result"]) == ('{"a": 1}', "late")


def test_many_results_are_putbehind_their_calls_soon() -> None:
    """The time does not grow with the square of their number."""
    count = 20_000
    results = [Step(role="tool", content="x", call_id=f"k{n}") for n in range(count)]
    calls = [ToolCall(call_id=f"k{n}", name="find", arguments="{}") for n in range(count)]
    asked = Step(role="assistant", tool_calls=tuple(calls))
    began = time.process_time()
    assert behind_their_calls([*results, asked]) == [asked, *results]
    assert time.process_time() - began < 3
