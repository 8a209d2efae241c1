"""What agent frameworks really sent, in small: each was found by driving the library against a stand-in for its model."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ingest.assembly.assemble import assemble
from ingest.dialects.attributes import arguments_of
from ingest.dialects.tool_output import ToolOutput, read_output
from ingest.records.episode import Episode
from ingest.records.span import STATUS_OK, Span, SpanEvent
from tests.unit.ingest_emitters import APP, START, span

WHOLE = ["user", "assistant", "tool", "tool", "assistant"]
ORDERS = ("A1", "B2")


def only(spans: list[Span]) -> Episode:
    """The one episode of these spans."""
    (episode,) = assemble(spans, app=APP).episodes
    return episode


def told(episode: Episode) -> list[tuple[object, ...]]:
    """Who said what, which calls were made, which call each result answers."""
    return [
        (s.role, s.content, tuple((c.call_id, c.name) for c in s.tool_calls), s.call_id)
        for s in episode.steps
    ]


EXPECTED: list[tuple[object, ...]] = [
    ("user", "Where are A1 and B2?", (), None),
    ("assistant", None, (("k0", "find"), ("k1", "find")), None),
    ("tool", "sent", (), "k0"),
    ("tool", "late", (), "k1"),
    ("assistant", "Sent, and late.", (), None),
]


def message(prefix: str, role: str, text: str | None, *calls: str) -> dict[str, Any]:
    """One of OpenInference's flattened messages; `calls` are orders to find."""
    found: dict[str, Any] = {f"{prefix}.message.role": role}
    if text is not None:
        found[f"{prefix}.message.content"] = text
    for number, order in enumerate(calls):
        call = f"{prefix}.message.tool_calls.{number}.tool_call"
        found[f"{call}.id"] = f"k{number}"
        found[f"{call}.function.name"] = "find"
        found[f"{call}.function.arguments"] = json.dumps({"order": order})
    return found


def openinference(number: int, *attributes: dict[str, Any], **fields: Any) -> Span:  # noqa: ANN401 - a span's fields
    """One model call by way of OpenInference."""
    base: dict[str, Any] = {"openinference.span.kind": "LLM", "session.id": "c1"}
    for more in attributes:
        base |= more
    return span(number, base, **fields)


def calls(first: dict[str, Any], results: dict[str, Any]) -> list[Span]:
    """The two model calls of one turn; `results` is what the second was given after the calls."""
    asked = message("llm.input_messages.0", "user", "Where are A1 and B2?")
    again = message("llm.input_messages.1", "assistant", None, *ORDERS)
    answer = message("llm.output_messages.0", "assistant", "Sent, and late.")
    return [openinference(1, asked, first), openinference(5, asked, again, results, answer)]


FIRST = message("llm.output_messages.0", "assistant", None, *ORDERS)
RESULTS = {
    **message("llm.input_messages.2", "tool", "sent"),
    "llm.input_messages.2.message.tool_call_id": "k0",
    **message("llm.input_messages.3", "tool", "late"),
    "llm.input_messages.3.message.tool_call_id": "k1",
}


def tool(number: int, given: str, made: str) -> Span:
    """A tool's span by way of OpenInference."""
    kind = {"openinference.span.kind": "TOOL", "tool.name": "find", "session.id": "c1"}
    return span(number, {**kind, "input.value": given, "output.value": made}, status=STATUS_OK)


def langchain(content: str, call_id: str) -> str:
    """A tool's message as LangChain dumps it."""
    data = {"content": content, "type": "tool", "tool_call_id": call_id, "status": "success"}
    return json.dumps({"type": "tool", "data": data})


def llama(content: str) -> str:
    """A tool's output as LlamaIndex dumps it."""
    whole = {"blocks": [{"text": content}], "tool_name": "find", "raw_input": {}}
    return json.dumps({**whole, "raw_output": content, "is_error": False})


@pytest.mark.parametrize(
    ("given", "made"),
    [
        (("A1", "B2"), (langchain("sent", "k0"), langchain("late", "k1"))),
        (
            ('{"kwargs": {"order": "A1"}}', '{"kwargs": {"order": "B2"}}'),
            (llama("sent"), llama("late")),
        ),
        (
            tuple(
                json.dumps({"args": [], "sanitize": True, "kwargs": {"order": order}})
                for order in ORDERS
            ),
            ("sent", "late"),
        ),
    ],
    ids=["langchain", "llama-index", "smolagents"],
)
def test_a_frameworks_record_of_a_tool_is_the_call_that_was_asked_for(
    given: tuple[str, str], made: tuple[str, str]
) -> None:
    """Bare values, wrappers of a Python call and objects around the result make no second call."""
    runs = [tool(2, given[0], made[0]), tool(3, given[1], made[1])]
    episode = only([*calls(FIRST, RESULTS), *runs])
    assert told(episode) == EXPECTED
    assert "unasked_tool_runs" not in episode.completeness
    assert [s.is_error for s in episode.steps if s.role == "tool"] == [False, False]
    # Without the messages the spans are the only witness: the results are as plain.
    alone = only(runs)
    assert [s.content for s in alone.steps if s.role == "tool"] == ["sent", "late"]


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        (langchain("sent", "k0"), ToolOutput(text="sent", call_id="k0")),
        (
            json.dumps(
                {
                    "lc": 1,
                    "type": "constructor",
                    "id": ["langchain", "schema", "messages", "ToolMessage"],
                    "kwargs": {"content": "no", "tool_call_id": "k1", "status": "error"},
                }
            ),
            ToolOutput(text="no", call_id="k1", is_error=True),
        ),
        (
            "content='it\\'s {\"a\": 1}' name='find' tool_call_id='k0'",
            ToolOutput(text='it\'s {"a": 1}', call_id="k0"),
        ),
        (
            json.dumps({"content": [{"type": "text", "text": "no"}], "isError": True}),
            ToolOutput(text="no", is_error=True),
        ),
        ('{"content": "a letter", "to": "u1"}', ToolOutput(text='{"content": "a letter", "to": "u1"}')),
        ("plain", ToolOutput(text="plain")),
        ("__REDACTED__", ToolOutput()),
        (None, ToolOutput()),
    ],
)  # fmt: skip
def test_a_result_is_taken_out_of_what_a_framework_puts_around_it(
    output: str | None, expected: ToolOutput
) -> None:
    """LangChain's message in three forms, MCP's result; a tool's own object stays as it is."""
    assert read_output(output) == expected


def test_arguments_in_pythons_notation_become_json() -> None:
    """Some tracers write `str(arguments)`; what is neither JSON nor a plain literal stays text."""
    assert json.loads(arguments_of("{'order': 'A1', 'now': True}")) == {"order": "A1", "now": True}
    assert arguments_of("{'order': open('x')}") == "{'order': open('x')}"
    assert json.loads(arguments_of('{"args": [1], "kwargs": {}, "fast": true}')) == {
        "args": [1],
        "kwargs": {},
    }
    own = '{"args": [], "kwargs": {"a": 1}, "function": "f"}'
    assert json.loads(arguments_of(own)) == json.loads(own)
    assert arguments_of("{" * 70_000) == "{" * 70_000


def test_an_answers_parts_do_not_name_its_calls_a_second_time() -> None:
    """OpenInference for Anthropic lists calls among the parts and beside them."""
    parts: dict[str, Any] = {}
    for number, order in enumerate(ORDERS):
        part = f"llm.output_messages.0.message.contents.{number}"
        parts[f"{part}.message_content.type"] = "tool_use"
        parts[f"{part}.tool_call.id"] = f"k{number}"
        parts[f"{part}.tool_call.function.name"] = "find"
        parts[f"{part}.tool_call.function.arguments"] = json.dumps({"order": order})
    assert told(only(calls({**FIRST, **parts}, RESULTS))) == EXPECTED
    alone = {"llm.output_messages.0.message.role": "assistant", **parts}
    assert told(only(calls(alone, RESULTS))) == EXPECTED


def test_results_in_a_message_of_their_own_role_are_results() -> None:
    """OpenInference for AutoGen puts the results of one turn as JSON into one message."""
    results: dict[str, Any] = {"llm.input_messages.2.message.role": "function"}
    for number, (content, wrong) in enumerate((("sent", False), ("late", True))):
        result = {"name": "find", "content": content, "call_id": f"k{number}", "is_error": wrong}
        results[f"llm.input_messages.2.function.{number}"] = json.dumps(result)
    episode = only(calls(FIRST, results))
    assert told(episode) == EXPECTED
    assert [s.is_error for s in episode.steps if s.role == "tool"] == [False, True]


def test_a_method_that_prepares_a_request_is_no_model_call() -> None:
    """LlamaIndex's client marks one as a model call; its values are Python objects as text."""
    given = {"tools": ["<FunctionTool object>"], "chat_history": ["ChatMessage(role='user')"]}
    made = {"messages": ["ChatMessage(role='user')"], "tools": []}
    preparing = {"input.value": json.dumps(given), "output.value": json.dumps(made)}
    spans = [openinference(0, preparing), *calls(FIRST, RESULTS), openinference(4, preparing)]
    assert told(only(spans)) == EXPECTED
    # A text of the app's own that looks alike is said by somebody.
    said = only([openinference(1, {"input.value": "Call(me=1)", "output.value": "ok"})])
    assert [step.content for step in said.steps] == ["Call(me=1)", "ok"]


def bare(number: int, **fields: Any) -> Span:  # noqa: ANN401 - a span's fields
    """A client's own span without content."""
    attributes = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m", "session.id": "c1"}
    return span(number, {**attributes, **fields.pop("more", {})}, scope="sdk", **fields)


def test_a_clients_own_bare_span_beside_its_tracers_is_no_second_call() -> None:
    """Anthropic's SDK sends spans of its own; streamed, they are no children of the tracer's."""
    whole = calls(FIRST, RESULTS)
    twins = [bare(7, started_at=one.started_at + 1, ended_at=one.ended_at) for one in whole]
    assert told(only([*whole, *twins])) == EXPECTED
    # Another model, another time, or a second one in the same time is a call of its own.
    other = bare(8, started_at=whole[1].started_at + 1, more={"gen_ai.request.model": "guard"})
    named = [openinference(5, {**whole[1].attributes, "llm.model_name": "m"})]
    for more in ([other], [bare(9)], [twins[1], bare(8, started_at=whole[1].started_at + 2)]):
        assert "no_content" in only([whole[0], *named, *more]).completeness


def test_the_id_of_a_response_is_kept_from_a_span_that_says_no_more() -> None:
    """Thumbs name the response; only the client's own span knows its id."""
    (first, _) = calls(FIRST, RESULTS)
    twin = bare(7, started_at=first.started_at + 1, more={"gen_ai.response.id": "msg_1"})
    found = assemble([first, twin], app=APP)
    assert found.responses == {"msg_1": found.episodes[0].episode_id}


def genai(number: int, given: list[Any], made: Any, **fields: Any) -> Span:  # noqa: ANN401 - any message
    """One model call in OpenTelemetry's form."""
    attributes = {
        "gen_ai.operation.name": "chat",
        "session.id": "c1",
        "gen_ai.input.messages": json.dumps(given),
        "gen_ai.output.messages": json.dumps([made]),
        **fields,
    }
    return span(number, attributes)


def say(role: str, text: str) -> dict[str, Any]:
    """A message of text."""
    return {"role": role, "parts": [{"type": "text", "content": text}]}


def call_part(number: int) -> dict[str, Any]:
    """A call in a message."""
    arguments = {"order": ORDERS[number]}
    return {"type": "tool_call", "id": f"k{number}", "name": "find", "arguments": arguments}


def given_back(number: int, content: str) -> dict[str, Any]:
    """A result in a message."""
    part = {"type": "tool_call_response", "id": f"k{number}", "response": content}
    return {"role": "tool", "parts": [part]}


def test_calls_left_out_of_the_history_stay_where_they_were_made() -> None:
    """OpenLIT drops an answer that was only calls from every later request."""
    asked = say("user", "Where are A1 and B2?")
    results = [given_back(0, "sent"), given_back(1, "late")]
    both = {"role": "assistant", "parts": [call_part(0), call_part(1)]}
    answer = say("assistant", "Sent, and late.")
    more = [asked, *results, answer, say("user", "Thanks.")]
    spans = [
        genai(1, [asked], both),
        genai(2, [asked, *results], answer),
        genai(3, more, say("assistant", "Bye.")),
    ]
    episode = only(spans)
    assert told(episode)[:5] == EXPECTED
    assert [step.content for step in episode.steps[5:]] == ["Thanks.", "Bye."]
    assert episode.completeness == ("history_edited", "no_tool_definitions")


def test_instructions_that_are_sent_in_both_places_are_said_once() -> None:
    """OpenLIT writes the system prompt as instructions and as the first message."""
    instructions = json.dumps([{"type": "text", "content": "Be kind."}])
    given = [say("system", "Be kind."), say("user", "Hi")]
    one = genai(1, given, say("assistant", "Hi."), **{"gen_ai.system_instructions": instructions})
    assert [step.role for step in only([one]).steps] == ["system", "user", "assistant"]
    other = [say("system", "Be brief."), say("user", "Hi")]
    two = genai(1, other, say("assistant", "Hi."), **{"gen_ai.system_instructions": instructions})
    assert [step.content for step in only([two]).steps][:2] == ["Be kind.", "Be brief."]


def test_setting_an_agent_up_is_no_conversation() -> None:
    """`create_agent` carries instructions and tools, and nobody has said anything."""
    made = {
        "gen_ai.operation.name": "create_agent",
        "gen_ai.agent.name": "desk",
        "gen_ai.system_instructions": "Be kind.",
    }
    found = assemble([span(1, made)], app=APP)
    assert not found.episodes
    assert found.spans_without_episode == 1


def event(name: str, **attributes: str) -> SpanEvent:
    """An event on a span, in the order in which they are made."""
    return SpanEvent(name=f"gen_ai.{name}", at=START, attributes=attributes)


def strands() -> list[Span]:
    """One turn as Strands sends it: Bedrock's parts as JSON text in events, the loop telling it all a second time."""
    root = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "desk",
        "session.id": "c1",
        "system_prompt": "Be kind.",
    }
    asked = event("user.message", content=json.dumps([{"text": "Where are A1 and B2?"}]))
    uses = [
        {"toolUse": {"toolUseId": f"k{n}", "name": "find", "input": {"order": order}}}
        for n, order in enumerate(ORDERS)
    ]
    results = [
        {"toolResult": {"toolUseId": f"k{n}", "status": state, "content": [{"text": text}]}}
        for n, (state, text) in enumerate((("success", "sent"), ("error", "late")))
    ]
    choice = event("choice", message=json.dumps(uses), finish_reason="tool_use")
    past = [
        asked,
        event("assistant.message", content=json.dumps(uses)),
        event("user.message", content=json.dumps(results)),
    ]
    answer = event("choice", message=json.dumps([{"text": "Sent, and late."}]))
    chat = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"}
    run = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "find"}
    below = {"parent_id": f"{0:016x}"}
    spans = [
        span(0, root, ended_at=START + 10**11),
        span(1, {}, events=(asked, choice), ended_at=START + 10**10, **below),
        span(2, chat, events=(asked, choice), parent_id=f"{1:016x}"),
        span(5, {}, events=(*past, answer), **below),
        span(6, chat, events=(*past, answer), parent_id=f"{5:016x}"),
    ]
    for number, text in enumerate(("sent", "late")):
        events = (
            event("tool.message", content=json.dumps({"order": ORDERS[number]}), id=f"k{number}"),
            event("choice", message=json.dumps([{"text": text}]), id=f"k{number}"),
        )
        run_id = {"gen_ai.tool.call.id": f"k{number}"}
        spans.append(span(3 + number, {**run, **run_id}, events=events, parent_id=f"{1:016x}"))
    return spans


def test_bedrocks_parts_in_events_are_read_and_the_loop_is_no_model_call() -> None:
    """Calls, results, errors and the agent's instructions come out of Strands' events, once each."""
    spans = strands()
    episode = only(spans)
    assert told(episode)[1:] == EXPECTED
    assert (episode.steps[0].role, episode.steps[0].content) == ("system", "Be kind.")
    assert [s.is_error for s in episode.steps if s.role == "tool"] == [False, True]
    assert (episode.model, episode.agent) == ("m", "desk")
    # The runs tell what they were asked for and gave back, also where no message does.
    alone = only(spans[5:])
    assert [json.loads(c.arguments)["order"] for s in alone.steps for c in s.tool_calls] == ["A1", "B2"]  # fmt: skip
    assert [s.content for s in alone.steps if s.role == "tool"] == ["sent", "late"]


def test_a_loop_that_alone_tells_the_dialogue_is_read() -> None:
    """Where the model's own spans are not sent, the loop's events are the only witness."""
    episode = only([spans for spans in strands() if "gen_ai.request.model" not in spans.attributes])
    assert [s.role for s in episode.steps if s.role != "system"] == WHOLE


def test_a_sub_agent_of_langgraph_has_its_own_name() -> None:
    """LangChain's metadata names the agent that acts."""
    found = [
        openinference(1, message("llm.input_messages.0", "user", "Hi"), {"metadata": metadata})
        for metadata in ('{"lc_agent_name": "desk"}', "{}")
    ]
    assert [only([one]).agent for one in found] == ["desk", None]


def test_calls_and_results_told_in_words_are_no_new_messages() -> None:
    """Smolagents tells its model of earlier calls and results as the user's words, every turn anew."""
    asked = message("llm.input_messages.0", "user", "Where is A1?")
    words = "Calling tools:\n[{'id': 'k0', 'type': 'function', 'function': {'name': 'find', 'arguments': {'order': 'A1'}}}]"
    again = {
        **message("llm.input_messages.1", "user", words),
        **message("llm.input_messages.2", "user", "Observation:\nsent"),
    }
    spans = [
        openinference(1, asked, message("llm.output_messages.0", "assistant", None, "A1")),
        openinference(
            5, asked, again, message("llm.output_messages.0", "assistant", "It was sent.")
        ),
    ]

    episode = only(spans)

    assert told(episode) == [
        ("user", "Where is A1?", (), None),
        ("assistant", None, (("k0", "find"),), None),
        ("tool", "sent", (), "k0"),
        ("assistant", "It was sent.", (), None),
    ]
    assert "history_edited" not in episode.completeness


def test_what_is_said_beside_a_call_that_is_told_in_words() -> None:
    """The client tells both apart, in messages of their own."""
    asked = message("llm.input_messages.0", "user", "Where is A1?")
    again = {
        **message("llm.input_messages.1", "assistant", "I look."),
        **message("llm.input_messages.2", "tool-call", "Calling tools:\n[{'id': 'k0', 'function': {'name': 'find'}}]"),
        **message("llm.input_messages.3", "tool-response", "Observation:\nsent"),
    }  # fmt: skip
    called = message("llm.output_messages.0", "assistant", "I look.", "A1")
    answer = message("llm.output_messages.0", "assistant", "It was sent.")

    episode = only([openinference(1, asked, called), openinference(5, asked, again, answer)])

    assert told(episode)[1:] == [
        ("assistant", "I look.", (("k0", "find"),), None),
        ("tool", "sent", (), "k0"),
        ("assistant", "It was sent.", (), None),
    ]


def test_a_failure_told_in_words_is_the_calls_result() -> None:
    """It stands where the result would, and the user did not say it."""
    asked = message("llm.input_messages.0", "user", "Where is A1?")
    words = "Calling tools:\n[{'id': 'k0', 'function': {'name': 'find'}}]"
    again = {
        **message("llm.input_messages.1", "assistant", words),
        **message("llm.input_messages.2", "user", "Error:\nno such order"),
    }
    called = message("llm.output_messages.0", "assistant", None, "A1")
    answer = message("llm.output_messages.0", "assistant", "There is none.")

    episode = only([openinference(1, asked, called), openinference(5, asked, again, answer)])

    assert told(episode)[2:] == [
        ("tool", "no such order", (), "k0"),
        ("assistant", "There is none.", (), None),
    ]
    assert episode.steps[2].is_error is True


def test_a_user_who_quotes_a_call_is_heard() -> None:
    """Only a message that repeats a call's id, with a marked result behind it, is the client's."""
    asked = message("llm.input_messages.0", "user", "Where is A1?")
    called = message("llm.output_messages.0", "assistant", None, "A1")
    quoted = {
        **message("llm.input_messages.1", "user", "What is find k0 about?"),
        **message("llm.input_messages.2", "user", "And B2?"),
    }
    answer = message("llm.output_messages.0", "assistant", "B2 is late.")

    episode = only([openinference(1, asked, called), openinference(5, asked, quoted, answer)])

    assert "And B2?" in [step.content for step in episode.steps if step.role == "user"]
