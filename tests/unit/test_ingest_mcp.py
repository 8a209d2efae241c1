"""Agents whose tools are servers of the Model Context Protocol: what tracers of both sides really sent, in small."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ingest.assembly.assemble import assemble
from ingest.dialects.messages import read_messages
from ingest.dialects.openinference import read
from ingest.dialects.tool_output import ToolOutput, read_output
from ingest.records.episode import Episode
from ingest.records.span import STATUS_ERROR, STATUS_OK, Span
from tests.unit.ingest_emitters import APP, span

SERVER = 2
CLIENT = 3
TEXT = {"type": "text", "text": "sent"}
MORE = {"type": "text", "text": "by mail", "annotations": None, "_meta": None}
IMAGE = {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png", "annotations": None}
LINK = {"type": "resource_link", "uri": "file:///labels/A1.pdf", "name": "label"}
INSIDE = {"type": "resource", "resource": {"uri": "note://1", "text": "fragile"}}


def only(spans: list[Span]) -> Episode:
    """The one episode of these spans."""
    (episode,) = assemble(spans, app=APP).episodes
    return episode


def told(episode: Episode) -> list[tuple[object, ...]]:
    """Who said what, which calls were made, and what failed."""
    return [
        (
            s.role,
            s.content,
            tuple((c.name, json.loads(c.arguments)) for c in s.tool_calls),
            s.is_error,
        )
        for s in episode.steps
    ]


def model_call(number: int, *messages: dict[str, Any], **fields: Any) -> Span:  # noqa: ANN401 - a span's fields
    """A model call in OpenTelemetry's convention; the last message is what it said."""
    content = {
        "gen_ai.input.messages": json.dumps(messages[:-1]),
        "gen_ai.output.messages": json.dumps(messages[-1:]),
    }
    attributes = {"gen_ai.operation.name": "chat", **(content if messages else {})}
    return span(number, attributes, parent_id="f" * 16, **fields)


USER = {"role": "user", "content": "Where is A1?"}
ASKING = {
    "role": "assistant",
    "content": None,
    "tool_calls": [
        {"id": "k0", "type": "function", "function": {"name": "find", "arguments": '{"o": "A1"}'}}
    ],
}
GONE = {"role": "tool", "tool_call_id": "k0", "content": "no such order"}
ANSWER = {"role": "assistant", "content": "It is gone."}
FAILED: list[tuple[object, ...]] = [
    ("user", "Where is A1?", (), None),
    ("assistant", None, (("find", {"o": "A1"}),), None),
    ("tool", "no such order", (), True),
    ("assistant", "It is gone.", (), None),
]
CALL = {"method": "tools/call", "params": {"meta": None, "name": "find", "arguments": {"o": "A1"}}}
REFUSED = {"content": [{"type": "text", "text": "no such order"}], "isError": True}


@pytest.mark.parametrize(
    "attributes",
    [
        {
            "traceloop.span.kind": "tool",
            "traceloop.entity.name": "find",
            "traceloop.entity.input": json.dumps({"tool_name": "find", "arguments": {"o": "A1"}}),
            "traceloop.entity.output": json.dumps({"result": "no such order", "is_error": True}),
        },
        {
            "logfire.span_type": "span",
            "rpc.system": "jsonrpc",
            "rpc.method": "tools/call",
            "request": json.dumps(CALL),
            "response": json.dumps({"meta": None, "structuredContent": None, **REFUSED}),
        },
        {
            "mcp.method.name": "tools/call",
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "find",
            "gen_ai.tool.call.arguments": '{"o": "A1"}',
            "gen_ai.tool.call.result": json.dumps(REFUSED),
            "error.type": "tool_error",
        },
    ],
    ids=["traceloop", "logfire", "semconv"],
)
@pytest.mark.parametrize("with_content", [True, False], ids=["told", "untold"])
def test_a_request_to_a_server_is_the_call_the_model_asked_for(
    attributes: dict[str, Any], with_content: bool
) -> None:
    """The protocol's request and result are unpacked: one call, its text, its failure, told by messages or not."""
    run = span(2, attributes, parent_id="f" * 16, kind=CLIENT)
    if with_content:
        calls = [model_call(1, USER, ASKING), model_call(3, USER, ASKING, GONE, ANSWER)]
        assert told(only([calls[0], run, calls[1]])) == FAILED
    else:
        calls = [model_call(1), model_call(3)]
        steps = told(only([calls[0], run, calls[1]]))
        assert [step for step in steps if step[2] or step[0] == "tool"] == FAILED[1:3]


def test_client_and_server_of_one_call_are_one_call() -> None:
    """The server's span below the client's says the same call again, and that it failed."""
    shared = {"mcp.method.name": "tools/call", "gen_ai.tool.name": "find"}
    spans = [
        model_call(1, USER, ASKING),
        span(2, {**shared, "gen_ai.tool.call.arguments": '{"o": "A1"}'}, kind=CLIENT),
        span(3, {**shared, "error.type": "tool_error"}, parent_id=f"{2:016x}", kind=SERVER),
        model_call(4, USER, ASKING, GONE, ANSWER),
    ]
    assert told(only(spans)) == FAILED


def test_other_requests_to_a_server_are_no_calls() -> None:
    """Listing the tools, the handshake and reading a resource are the client's business, not the agent's."""
    spans = [
        span(number, {"mcp.method.name": method, "mcp.resource.uri": "note://1"}, kind=CLIENT)
        for number, method in enumerate(("initialize", "tools/list", "resources/read"), 2)
    ]
    asked = {"logfire.span_type": "span", "rpc.method": "tools/list", "request": "{}"}
    spans += [span(5, asked), model_call(6, USER, ANSWER)]
    assert [s.role for s in only(spans).steps] == ["user", "assistant"]


def test_what_a_server_alone_tells_is_no_conversation() -> None:
    """A server's own trace of calls without content is no agent's run; with content it is a witness."""
    served = {"mcp.method.name": "tools/call", "gen_ai.tool.name": "find"}
    bare = [span(1, served, kind=SERVER, parent_id="e" * 16, status=STATUS_ERROR)]
    found = assemble(bare, app=APP)
    assert (found.episodes, found.spans_without_episode) == ([], 1)
    whole = {**served, "gen_ai.tool.call.arguments": '{"o": "A1"}'}
    assert len(assemble([span(1, whole, kind=SERVER)], app=APP).episodes) == 1


@pytest.mark.parametrize(
    ("output", "text", "failed"),
    [
        ({"content": [TEXT, MORE], "isError": False}, "sent\nby mail", None),
        ({"content": [TEXT]}, "sent", None),
        ({"content": [TEXT], "is_error": True, "result_type": "complete"}, "sent", True),
        ({"content": [TEXT, IMAGE, INSIDE, LINK]}, f"sent\nfragile\n{LINK['uri']}", None),
        ({"content": [TEXT], "structuredContent": {"state": "sent"}}, "sent", None),
        ({"content": [], "structuredContent": {"n": 1}, "isError": False}, '{"n": 1}', None),
        ({"content": [], "isError": False}, "", None),
        ({"content": [IMAGE]}, "", None),
        (TEXT, "sent", None),
        ([{**TEXT, "id": "lc_1"}, IMAGE], "sent", None),
    ],
)
def test_a_servers_result_is_the_text_that_the_agent_saw(
    output: Any,  # noqa: ANN401 - JSON
    text: str,
    failed: bool | None,
) -> None:
    """Pieces of text are joined, pictures left out, links are their address; nothing of the envelope stays."""
    assert read_output(json.dumps(output)) == ToolOutput(text=text, is_error=failed)


@pytest.mark.parametrize(
    "own",
    [
        {"content": [{"type": "text", "value": "sent"}]},
        {"content": "sent", "author": "me"},
        {"content": [TEXT], "author": "me"},
        {"content": []},
        {"content": ["sent"]},
        {"type": "text", "text": "sent", "page": 3},
        [TEXT, {"type": "image", "name": "cover"}],
    ],
)
def test_a_tools_own_record_is_kept(own: Any) -> None:  # noqa: ANN401 - JSON
    """What only resembles the protocol's result is the tool's own."""
    assert read_output(json.dumps(own)) == ToolOutput(text=json.dumps(own))


def test_parts_of_a_result_in_a_message_are_its_text() -> None:
    """A tracer writes the parts of a result as JSON into the place of its text; the agent saw the text."""
    parts = [{"type": "input_text", "text": "sent"}, {"type": "input_image", "image_url": "data:x"}]
    message = {"role": "tool", "tool_call_id": "k0", "content": json.dumps(parts)}
    found = read_messages(message, role="user")
    assert [(s.content, s.call_id) for s in found.steps] == [("sent", "k0")]
    assert found.flags == {"non_text_content"}
    item = {"type": "function_call_output", "call_id": "k0", "output": parts}
    again = read_messages([item], role="user")
    assert [(s.content, s.call_id) for s in again.steps] == [("sent", "k0")]
    marked = json.dumps([{**TEXT, "id": "lc_9a1a8c1f"}])
    part = {"type": "tool_call_response", "id": "k0", "response": marked}
    third = read_messages([{"role": "tool", "parts": [part]}], role="user")
    assert [(s.content, s.call_id) for s in third.steps] == [("sent", "k0")]
    seen = json.dumps([TEXT])
    plain = read_messages({"role": "tool", "tool_call_id": "k0", "content": seen}, role="user")
    assert plain.steps[0].content == seen


@pytest.mark.parametrize("is_list", [True, False])
def test_a_list_that_a_tracer_flattened_is_what_the_request_holds(*, is_list: bool) -> None:
    """OpenInference writes a result's parts as JSON; where the request holds a text, the model was given that JSON."""
    seen = json.dumps([TEXT])
    held = {"tool_use_id": "k0", "content": [TEXT] if is_list else seen}
    given = {
        "openinference.span.kind": "LLM",
        "input.value": json.dumps({"messages": [{"role": "user", "content": [held]}]}),
        "llm.input_messages.0.message.role": "tool",
        "llm.input_messages.0.message.tool_call_id": "k0",
        "llm.input_messages.0.message.content": seen,
    }
    found = read(span(1, given))
    assert [step.content for step in found.input] == ["sent" if is_list else seen]


def test_a_run_that_ended_well_says_so() -> None:
    """A request that the server answered well is no failure."""
    run = {
        "traceloop.span.kind": "tool",
        "traceloop.entity.name": "find",
        "traceloop.entity.input": json.dumps({"tool_name": "find", "arguments": {}}),
        "traceloop.entity.output": json.dumps({"result": "sent"}),
    }
    episode = only([model_call(1), span(2, run, parent_id="f" * 16, status=STATUS_OK)])
    assert told(episode)[-2:] == [
        ("assistant", None, (("find", {}),), None),
        ("tool", "sent", (), False),
    ]
