"""What real client libraries send beside their conventions, in small: each was found by tests/e2e/test_ingest_clients.py."""

from __future__ import annotations

import json
from typing import Any

from ingest.assembly.assemble import assemble
from ingest.records.episode import Episode
from ingest.records.span import Span, SpanEvent
from tests.unit.ingest_emitters import APP, START, TOOL, event, span

ASKED = {"role": "user", "content": "Where is A1?"}
CALL = {"id": "k1", "type": "function", "function": {"name": "find", "arguments": '{"order":"A1"}'}}
ASKING = {"role": "assistant", "content": None, "tool_calls": [CALL]}
GIVEN = {"role": "tool", "tool_call_id": "k1", "content": "sent"}


def only(spans: list[Span]) -> Episode:
    """The one episode of these spans."""
    (episode,) = assemble(spans, app=APP).episodes
    return episode


def langfuse(number: int, given: list[Any], made: dict[str, Any]) -> Span:
    """One generation of Langfuse's client."""
    attributes = {
        "langfuse.observation.type": "generation",
        "langfuse.observation.input": json.dumps(given),
        "langfuse.observation.output": json.dumps(made),
    }
    return span(number, attributes)


def decorated(number: int, call: dict[str, Any]) -> Span:
    """A tool under Langfuse's decorator, which records the Python call."""
    attributes = {
        "langfuse.observation.type": "tool",
        "langfuse.observation.input": json.dumps(call),
        "langfuse.observation.output": "sent",
    }
    return span(number, attributes, name="find")


def test_a_decorators_record_of_a_call_is_the_call_that_was_asked_for() -> None:
    """Named or by position, the decorated tool is no second call."""
    for call in ({"args": [], "kwargs": {"order": "A1"}}, {"args": ["A1"], "kwargs": {}}):
        answer = {"role": "assistant", "content": "Sent."}
        spans = [
            langfuse(1, [ASKED], ASKING),
            decorated(2, call),
            langfuse(3, [ASKED, ASKING, GIVEN], answer),
        ]
        episode = only(spans)
        assert [step.role for step in episode.steps] == ["user", "assistant", "tool", "assistant"]
        assert "unasked_tool_runs" not in episode.completeness


def test_positional_arguments_of_another_call_are_not_bound_to_it() -> None:
    """Other values are another call: it is shown as one that no message asked for."""
    other = decorated(2, {"args": ["B2"], "kwargs": {}})
    episode = only([langfuse(1, [ASKED], ASKING), other])
    assert "unasked_tool_runs" in episode.completeness


def chat(number: int, said: str, scope: str = "", **attributes: Any) -> Span:  # noqa: ANN401 - any attribute
    """One OTel GenAI model call."""
    told = {"gen_ai.operation.name": "chat", "gen_ai.input.messages": message("user", said)}
    fields = {
        "parent_id": attributes.pop("parent", None),
        "trace_id": attributes.pop("trace_id", "a" * 32),
    }
    given = {**told, "gen_ai.output.messages": message("assistant", "ok"), **attributes}
    return span(number, given, scope=scope, **fields)


def message(role: str, text: str) -> str:
    """One message in OpenTelemetry's form."""
    return json.dumps([{"role": role, "parts": [{"type": "text", "content": text}]}])


def test_a_scrubbed_conversation_id_joins_nobody() -> None:
    """Logfire scrubs `session.id`: the placeholder must not make one conversation of all users'."""
    hidden = "[Scrubbed due to 'session']"
    spans = [
        chat(1, "one", trace_id="a" * 32, **{"session.id": hidden, "user.id": "u1"}),
        chat(2, "two", trace_id="b" * 32, **{"session.id": hidden, "user.id": hidden}),
    ]
    first, second = (only([one]) for one in spans)
    assert (first.conversation_id, first.subject) == (None, "u1")
    assert (second.conversation_id, second.subject) == (None, None)
    assert len(assemble(spans, app=APP).episodes) == 2


def test_an_id_made_by_the_client_gives_way_to_the_apps() -> None:
    """pydantic-ai makes a UUID where the app hands none in; the app's own id stands on a span above."""
    made = "01a1fcd9-257e-7446-9aec-b4e04119da86"
    turn = span(1, {"session.id": "c1", "user.id": "u1"}, name="turn")
    call = chat(2, "hi", "pydantic-ai", parent=turn.span_id, **{"gen_ai.conversation.id": made})
    below = only([turn, call])
    assert (below.conversation_id, below.subject) == ("c1", "u1")
    alone = chat(3, "hi", "pydantic-ai", **{"gen_ai.conversation.id": made})
    assert only([alone]).conversation_id == made
    given = chat(2, "hi", "pydantic-ai", parent=turn.span_id, **{"gen_ai.conversation.id": "c2"})
    assert only([turn, given]).conversation_id == "c2"


def test_a_result_in_the_users_name_is_no_message_of_the_user() -> None:
    """Anthropic's API has results in messages of the user; its instrumentation leaves the call's id beside the role."""
    asked = {
        "openinference.span.kind": "LLM",
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.content": "Where is it?",
        "llm.input_messages.1.message.role": "assistant",
        "llm.input_messages.1.message.tool_calls.0.tool_call.id": "t1",
        "llm.input_messages.1.message.tool_calls.0.tool_call.function.name": "find",
        "llm.input_messages.1.message.tool_calls.0.tool_call.function.arguments": "{}",
        "llm.input_messages.2.message.role": "user",
        "llm.input_messages.2.message.content": "on its way",
        "llm.input_messages.2.message.tool_call_id": "t1",
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.content": "On its way.",
    }
    steps = only([span(1, asked)]).steps
    assert [step.role for step in steps] == ["user", "assistant", "tool", "assistant"]
    assert (steps[2].call_id, steps[2].content) == ("t1", "on its way")


def test_tools_are_defined_on_their_own_spans_where_nothing_else_defines_them() -> None:
    """The OpenAI Agents SDK by way of OpenInference; tools that never ran stay unknown, and the episode says so."""
    model = {
        "openinference.span.kind": "LLM",
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.content": "hi",
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.content": "ok",
    }
    schema = {"type": "object", "properties": {"order": {"type": "string"}}}
    run = {
        "openinference.span.kind": "TOOL",
        "tool.name": "find",
        "tool.description": "Finds.",
        "tool.parameters": json.dumps(schema),
        "input.value": "{}",
    }
    episode = only([span(1, model), span(2, run)])
    (found,) = map(json.loads, episode.tools)
    assert found["function"] == {"name": "find", "description": "Finds.", "parameters": schema}
    assert "tools_from_runs" in episode.completeness
    offered = span(1, {**model, "llm.tools.0.tool.json_schema": json.dumps(TOOL)})
    known = only([offered, span(2, run)])
    assert [json.loads(tool) for tool in known.tools] == [TOOL]
    assert "tools_from_runs" not in known.completeness


def test_calls_without_any_definition_are_named() -> None:
    """OpenTelemetry's older events carry no definitions: an episode with calls says that they are missing."""
    assert "no_tool_definitions" in only([langfuse(1, [ASKED], ASKING)]).completeness
    assert "no_tool_definitions" not in only([chat(1, "hi")]).completeness


def test_an_adk_result_is_taken_out_of_its_wrapper_wherever_it_stands() -> None:
    """ADK wraps a result that is no object; its schemas name their types in capitals."""
    given = [
        {"role": "user", "parts": [{"type": "text", "content": "Where is A1?"}]},
        {
            "role": "assistant",
            "parts": [
                {"type": "tool_call", "id": "k1", "name": "find", "arguments": {"order": "A1"}}
            ],
        },
        {
            "role": "user",
            "parts": [{"type": "tool_call_response", "id": "k1", "response": {"result": "sent"}}],
        },
    ]
    schema = {
        "type": "OBJECT",
        "properties": {"order": {"type": "STRING", "enum": ["STRING"]}, "type": {"type": "ARRAY"}},
    }
    attributes = {
        "gen_ai.operation.name": "generate_content",
        "gen_ai.input.messages": json.dumps(given),
        "gen_ai.output.messages": message("assistant", "Sent."),
        "gen_ai.tool.definitions": json.dumps([{"name": "find", "parameters": schema}]),
    }
    episode = only([span(1, attributes, scope="gcp.vertex.agent")])
    assert [step.content for step in episode.steps if step.role == "tool"] == ["sent"]
    (found,) = map(json.loads, episode.tools)
    assert found["function"]["parameters"] == {
        "type": "object",
        "properties": {"order": {"type": "string", "enum": ["STRING"]}, "type": {"type": "array"}},
    }


def test_calls_and_results_that_one_request_tells_in_two_forms_are_told_once() -> None:
    """OpenTelemetry's botocore: Bedrock's parts in the content, and calls and results of their own beside them."""
    part = {"toolUse": {"toolUseId": "k1", "name": "find", "input": {"order": "A1"}}}
    result = {"toolResult": {"toolUseId": "k1", "status": "error", "content": [{"text": "no"}]}}
    told: list[tuple[str, Any]] = [
        ("user", {"content": [{"text": "Where is A1?"}]}),
        ("assistant", {"content": [part], "tool_calls": [CALL]}),
        ("tool", {"content": [{"text": "no"}], "id": "k1"}),
        ("user", {"content": [result]}),
    ]
    names = [(f"gen_ai.{role}.message", body) for role, body in told]
    answer = {"message": {"role": "assistant", "content": [{"text": "It is not there."}]}}
    events = [
        event(number, name, f"{1:016x}", body)
        for number, (name, body) in enumerate([*names, ("gen_ai.choice", answer)])
    ]
    model = span(1, {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"})
    (episode,) = assemble([model], events, app=APP).episodes
    assert [(s.role, s.content, len(s.tool_calls), s.is_error) for s in episode.steps] == [
        ("user", "Where is A1?", 0, None),
        ("assistant", None, 1, None),
        ("tool", "no", 0, True),
        ("assistant", "It is not there.", 0, None),
    ]
    assert not episode.completeness


def test_an_id_that_is_the_tools_name_and_a_place_joins_by_name_and_order() -> None:
    """OpenTelemetry's instrumentation of Google's client: text before the call moves the call's place, not the result's."""
    asking = [
        {"type": "text", "content": "I look."},
        {"type": "tool_call", "id": "find_1", "name": "find", "arguments": {"order": "A1"}},
        {"type": "tool_call", "id": "find_2", "name": "find", "arguments": {"order": "B2"}},
    ]
    given = [
        {"type": "tool_call_response", "id": f"find_{place}", "response": text}
        for place, text in enumerate(("sent", "late"))
    ]
    past = [
        {"role": "user", "parts": [{"type": "text", "content": "Where are both?"}]},
        {"role": "assistant", "parts": asking},
        {"role": "user", "parts": given},
    ]
    attributes = {
        "gen_ai.operation.name": "generate_content",
        "gen_ai.input.messages": json.dumps(past),
        "gen_ai.output.messages": message("assistant", "Sent, and late."),
    }
    episode = only([span(1, attributes)])
    calls = [c.call_id for s in episode.steps for c in s.tool_calls]
    assert [s.call_id for s in episode.steps if s.role == "tool"] == calls
    assert not {"orphan_results", "missing_results"} & set(episode.completeness)


def test_one_requests_content_in_several_details_events_is_one_request() -> None:
    """Strands with the latest conventions: instructions, input and output each in an event of their own."""
    name = "gen_ai.client.inference.operation.details"
    instructions = json.dumps([{"type": "text", "content": "Be kind."}])
    told = {
        "gen_ai.system_instructions": instructions,
        "gen_ai.input.messages": message("user", "Hi"),
        "gen_ai.output.messages": message("assistant", "Hello."),
    }
    model = span(1, {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"})
    events = [
        event(number, name, model.span_id, **{key: value})
        for number, (key, value) in enumerate(told.items())
    ]
    (episode,) = assemble([model], events, app=APP).episodes
    assert [step.content for step in episode.steps] == ["Be kind.", "Hi", "Hello."]


def test_results_of_one_turn_in_the_event_of_the_first_are_each_their_own() -> None:
    """Strands puts all results of a turn into one tool message, under the first one's id."""
    parts = [
        {
            "toolResult": {
                "toolUseId": f"k{number}",
                "status": "success",
                "content": [{"text": text}],
            }
        }
        for number, text in enumerate(("sent", "late"))
    ]
    uses = [{"toolUse": {"toolUseId": f"k{n}", "name": "find", "input": {}}} for n in range(2)]
    said = [
        ("user", {"content": json.dumps([{"text": "Where?"}])}),
        ("assistant", {"content": json.dumps(uses)}),
        ("tool", {"content": json.dumps(parts), "id": "k0"}),
    ]
    model = span(1, {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"})
    events = [
        event(number, f"gen_ai.{role}.message", model.span_id, body)
        for number, (role, body) in enumerate(said)
    ]
    (episode,) = assemble([model], events, app=APP).episodes
    found = [(s.call_id, s.content) for s in episode.steps if s.role == "tool"]
    assert found == [("k0", "sent"), ("k1", "late")]


def test_calls_of_a_streamed_answer_are_put_together_from_its_pieces() -> None:
    """MLflow's output of a stream has the text and not the calls; its chunk events have both."""
    pieces = [
        {"index": 0, "id": "k1", "function": {"name": "find", "arguments": ""}},
        {"index": 0, "id": None, "function": {"name": None, "arguments": '{"order":'}},
        {"index": 0, "id": None, "function": {"name": None, "arguments": '"A1"}'}},
    ]
    events = tuple(
        SpanEvent(
            name=f"mlflow.chunk.item.{number}",
            at=START + number,
            attributes={
                "mlflow.chunk.value": json.dumps({"choices": [{"delta": {"tool_calls": [piece]}}]})
            },
        )
        for number, piece in enumerate(pieces)
    )
    odd = SpanEvent(
        name="mlflow.chunk.item.9",
        at=START + 9,
        attributes={"mlflow.chunk.value": '{"choices": [7]}'},
    )
    first = {
        "mlflow.spanType": '"CHAT_MODEL"',
        "mlflow.spanInputs": json.dumps({"messages": [ASKED]}),
        "mlflow.spanOutputs": json.dumps(
            {"choices": [{"message": {"role": "assistant", "content": "I look."}}]}
        ),
        "mlflow.chat.tokenUsage": '{"input_tokens": 10, "output_tokens": 5}',
    }
    (asked, made) = only([span(1, first, events=(*events, odd))]).steps
    assert (asked.content, made.content, made.output_tokens) == ("Where is A1?", "I look.", 5)
    assert [(c.call_id, c.name, c.arguments) for c in made.tool_calls] == [
        ("k1", "find", '{"order":"A1"}')
    ]


def test_a_model_call_tells_its_messages_in_one_attribute_of_events() -> None:
    """pydantic-ai before version 2 of its format, which names the operation beside them; the turns are one conversation."""

    def told(number: int, texts: list[str]) -> Span:
        events: list[dict[str, Any]] = [
            {"event.name": f"gen_ai.{role}.message", "role": role, "content": text}
            for role, text in zip(("user", "assistant") * 2, texts[:-1], strict=False)
        ]
        made = {"role": "assistant", "content": texts[-1]}
        events.append({"event.name": "gen_ai.choice", "index": 0, "message": made})
        attributes = {"gen_ai.operation.name": "chat", "events": json.dumps(events)}
        return span(number, attributes, scope="pydantic-ai", trace_id=f"{number:032x}")

    texts = ["Where is A1?", "Sent.", "And B2?", "Lost."]
    episode = only([told(1, texts[:2]), told(2, texts)])
    assert [step.content for step in episode.steps] == texts


def test_an_agent_with_instructions_tells_the_last_result() -> None:
    """pydantic-ai ends with a tool whose result stands in the agent's messages alone, beside its instructions."""
    parts = [
        message("user", "Where is A1?")[1:-1],
        '{"role": "assistant", "parts": [{"type": "tool_call", "id": "k1", "name": "done", "arguments": {}}]}',
        '{"role": "user", "parts": [{"type": "tool_call_response", "id": "k1", "result": "Noted."}]}',
    ]
    whole = {"gen_ai.system_instructions": '[{"type": "text", "content": "Be kind."}]'}
    agent = span(
        1,
        {"agent_name": "desk", "pydantic_ai.all_messages": f"[{','.join(parts)}]", **whole},
        scope="pydantic-ai",
        name="invoke_agent desk",
    )
    made = {"gen_ai.output.messages": f"[{parts[1]}]", **whole}
    asking = chat(2, "Where is A1?", "pydantic-ai", parent=agent.span_id, **made)
    roles = [(step.role, step.content) for step in only([agent, asking]).steps]
    assert roles[-2:] == [("assistant", None), ("tool", "Noted.")]


def test_a_call_without_arguments_is_flattened_without_them() -> None:
    """OpenInference leaves `{}` out."""
    asked = {
        "openinference.span.kind": "LLM",
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.content": "Who can help?",
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.tool_calls.0.tool_call.id": "t1",
        "llm.output_messages.0.message.tool_calls.0.tool_call.function.name": "hand_over",
    }
    (call,) = only([span(1, asked)]).steps[-1].tool_calls
    assert (call.name, call.arguments) == ("hand_over", "{}")


def test_one_message_tells_several_things_that_another_agent_did() -> None:
    """Google's kit writes parallel calls into one message, each in a part of its own."""
    said = [
        ["[desk] said: I look.", "[desk] called tool `find` with parameters: {'n': 1}", "[desk] called tool `find` with parameters: {'n': 2}"],
        ["[desk] `find` tool returned result: {'result': 'one'}"],
        ["[desk] `find` tool returned result: {'result': 'two'}"],
    ]  # fmt: skip
    parts = [[{"text": "For context:"}, *({"text": text} for text in texts)] for texts in said]
    contents = [{"role": "user", "parts": one} for one in ([{"text": "Where?"}], *parts)]
    told = {
        "gcp.vertex.agent.llm_request": json.dumps({"contents": contents}),
        "gcp.vertex.agent.llm_response": '{"content": {"role": "model", "parts": [{"text": "Here."}]}}',
    }
    steps = only([span(1, told, scope="gcp.vertex.agent")]).steps
    assert [(s.role, s.content) for s in steps] == [
        ("user", "Where?"),
        ("assistant", "I look."),
        ("tool", "one"),
        ("tool", "two"),
        ("assistant", "Here."),
    ]
    assert [call.arguments for call in steps[1].tool_calls] == ['{"n": 1}', '{"n": 2}']


def test_a_tools_span_holds_the_message_that_hands_its_result_in() -> None:
    """Google's kit in some releases."""
    part = {"function_response": {"id": "k1", "name": "find", "response": {"state": "sent"}}}
    handed = {"content": {"role": "user", "parts": [part]}, "author": "desk", "actions": {}}
    told = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "find",
        "gen_ai.tool.call.id": "k1",
        "gcp.vertex.agent.tool_response": json.dumps(handed),
    }
    assert only([span(1, told, scope="gcp.vertex.agent")]).steps[-1].content == '{"state": "sent"}'
