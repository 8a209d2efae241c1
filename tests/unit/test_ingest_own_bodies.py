"""Model calls under an app's own names: the bodies of a model's API, and messages, answers and calls in attributes of their own."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from ingest.assembly.assemble import assemble
from ingest.dialects.identity import identity
from ingest.records.episode import Episode
from ingest.records.span import Span
from ingest.records.text import Json
from tests.unit.ingest_emitters import APP, span

ASKS, RUNS = "ASKS", "RUNS"
"""Places of the history in which the model asked for the tool, and in which the tool answered."""
Pair = tuple[dict[str, Any], dict[str, Any]]
Made = Callable[[list[str], str], Pair]
SCHEMA = {"type": "object"}
ARGUMENTS = {"ship": "A"}


def openai(said: list[str], out: str) -> Pair:
    """Chat completions."""

    def message(one: str) -> dict[str, Any]:
        function = {"name": "find_ship", "arguments": json.dumps(ARGUMENTS)}
        if one == ASKS:
            calls = [{"id": "c1", "type": "function", "function": function}]
            return {"role": "assistant", "content": None, "tool_calls": calls}
        if one == RUNS:
            return {"role": "tool", "tool_call_id": "c1", "content": "late"}
        return {"role": "user" if one == "Late?" else "assistant", "content": one}

    system = {"role": "system", "content": "Be kind."}
    tools = [{"type": "function", "function": {"name": "find_ship", "parameters": SCHEMA}}]
    sent = {"model": "m", "messages": [system, *map(message, said)], "tools": tools}
    return sent, {"choices": [{"index": 0, "message": message(out)}]}


def responses(said: list[str], out: str) -> Pair:
    """The Responses API, whose calls are items without a role."""

    def item(one: str) -> dict[str, Any]:
        called = {"name": "find_ship", "arguments": json.dumps(ARGUMENTS)}
        if one == ASKS:
            return {"type": "function_call", "call_id": "c1", **called}
        if one == RUNS:
            return {"type": "function_call_output", "call_id": "c1", "output": "late"}
        return {"role": "user" if one == "Late?" else "assistant", "content": one}

    tools = [{"type": "function", "name": "find_ship", "parameters": SCHEMA}]
    alone = said == ["Late?"]
    given = "Late?" if alone else [item(one) for one in said]
    sent = {"model": "m", "instructions": "Be kind.", "input": given, "tools": tools}
    return sent, {"object": "response", "output": [item(out)]}


def anthropic(said: list[str], out: str) -> Pair:
    """Messages with blocks."""

    def message(one: str) -> dict[str, Any]:
        call = {"type": "tool_use", "id": "c1", "name": "find_ship", "input": ARGUMENTS}
        result = {"type": "tool_result", "tool_use_id": "c1", "content": "late"}
        block = {ASKS: call, RUNS: result}.get(one, {"type": "text", "text": one})
        return {"role": "user" if one in {"Late?", RUNS} else "assistant", "content": [block]}

    tools = [{"name": "find_ship", "input_schema": SCHEMA}]
    system = [{"type": "text", "text": "Be kind."}]
    sent = {"model": "m", "system": system, "messages": list(map(message, said)), "tools": tools}
    return sent, {"type": "message", **message(out)}


def gemini(said: list[str], out: str) -> Pair:
    """Contents and candidates."""

    def content(one: str) -> dict[str, Any]:
        call = {"functionCall": {"name": "find_ship", "args": ARGUMENTS}}
        result = {"functionResponse": {"name": "find_ship", "response": {"result": "late"}}}
        part = {ASKS: call, RUNS: result}.get(one, {"text": one})
        return {"role": "user" if one in {"Late?", RUNS} else "model", "parts": [part]}

    sent = {
        "contents": list(map(content, said)),
        "systemInstruction": {"parts": [{"text": "Be kind."}]},
        "tools": [{"functionDeclarations": [{"name": "find_ship", "parameters": SCHEMA}]}],
    }
    return sent, {"candidates": [{"content": content(out)}]}


def bedrock(said: list[str], out: str) -> Pair:
    """Converse."""

    def message(one: str) -> dict[str, Any]:
        call = {"toolUse": {"toolUseId": "c1", "name": "find_ship", "input": ARGUMENTS}}
        result = {"toolResult": {"toolUseId": "c1", "content": [{"text": "late"}]}}
        part = {ASKS: call, RUNS: result}.get(one, {"text": one})
        return {"role": "user" if one in {"Late?", RUNS} else "assistant", "content": [part]}

    spec = {"toolSpec": {"name": "find_ship", "inputSchema": {"json": SCHEMA}}}
    sent = {
        "messages": list(map(message, said)),
        "system": [{"text": "Be kind."}],
        "toolConfig": {"tools": [spec]},
    }
    return sent, {"output": {"message": message(out)}, "stopReason": "end_turn"}


def whole(made: Made, sent: str, back: str) -> list[dict[str, Json]]:
    """The attributes of two model calls of one conversation, the second with the tool's result in its history."""
    bodies = [made(["Late?"], ASKS), made(["Late?", ASKS, RUNS], "Yes.")]
    return [{sent: json.dumps(one), back: json.dumps(two)} for one, two in bodies]


def apart() -> list[dict[str, Json]]:
    """The same with the answer, the calls, the tools and the prompt in attributes of their own."""
    told: list[dict[str, Json]] = []
    for sent, back in (openai(["Late?"], ASKS), openai(["Late?", ASKS, RUNS], "Yes.")):
        message = back["choices"][0]["message"]
        told.append(
            {
                "kiosk.llm.messages": json.dumps(sent["messages"][1:]),
                "kiosk.llm.system_prompt": "Be kind.",
                "kiosk.llm.tools": json.dumps(sent["tools"]),
                "kiosk.llm.completion": message["content"] or "",
                "kiosk.llm.response.tool_calls": json.dumps(message.get("tool_calls", [])),
            }
        )
    return told


def spans(calls: list[dict[str, Json]], session: str = "s1", first: int = 1) -> list[Span]:
    """A session's span with its model calls below it, in one trace with all others."""
    top = span(first, {"kiosk.session.id": session, "kiosk.task.key": "T7"}, name="session")
    below = (
        span(first + 1 + at, told, name="model", parent_id=top.span_id)
        for at, told in enumerate(calls)
    )
    return [*below, top]


def check(episode: Episode) -> None:
    """The whole conversation, with what the model was offered."""
    assert [(s.role, s.content, len(s.tool_calls)) for s in episode.steps] == [
        ("system", "Be kind.", 0),
        ("user", "Late?", 0),
        ("assistant", None, 1),
        ("tool", "late", 0),
        ("assistant", "Yes.", 0),
    ]
    assert json.loads(episode.steps[2].tool_calls[0].arguments) == ARGUMENTS
    assert [json.loads(tool)["function"]["parameters"] for tool in episode.tools] == [SCHEMA]


@pytest.mark.parametrize("made", [openai, responses, anthropic, gemini, bedrock])
@pytest.mark.parametrize(
    ("sent", "back"),
    [
        ("kiosk.model.request", "kiosk.model.response"),
        ("http.request.body", "http.response.body"),
    ],
)
def test_the_bodies_of_a_models_api_are_a_model_call(made: Made, sent: str, back: str) -> None:
    """Whoever's API it is, with the prompt and the tools that stand beside the messages."""
    (episode,) = assemble(spans(whole(made, sent, back)), app=APP).episodes
    check(episode)


def test_an_answer_and_calls_may_stand_in_attributes_of_their_own() -> None:
    """Beside the messages that went in: what is named so is what the model said."""
    (episode,) = assemble(spans(apart()), app=APP).episodes
    check(episode)


def test_one_trace_holds_as_many_conversations_as_its_sessions() -> None:
    """A nightly job's trace: its session spans name the conversations, and the tasks that were tried."""
    calls = whole(anthropic, "kiosk.model.request", "kiosk.model.response")
    found = assemble([*spans(calls), *spans(calls, "s2", 10)], app=APP).episodes
    assert [(e.conversation_id, e.task_key) for e in found] == [("s1", "T7"), ("s2", "T7")]
    for episode in found:
        check(episode)


@pytest.mark.parametrize(
    ("key", "names"),
    [
        ("kiosk.session_id", True),
        ("app.chat.sessionId", True),
        ("mcp.session.id", False),
        ("http.session_id", False),
        ("kiosk.parent.session.id", False),
    ],
)
def test_a_session_of_ones_own_names_a_conversation(key: str, names: bool) -> None:
    """Not a connection's, and not another one's."""
    assert (identity(span(1, {key: "s1"}))["conversation"] == "s1") is names


@pytest.mark.parametrize(
    "told",
    [
        {"kiosk.input": [{"role": "user", "content": "Late?"}], "kiosk.output": "3 documents"},
        {"kiosk.request": {"messages": "none"}, "kiosk.response": {"choices": []}},
    ],
)
def test_what_may_be_something_else_is_no_model_call(told: dict[str, Json]) -> None:
    """A text that nothing says is a model's, bodies that hold no message."""
    held = {k: v if isinstance(v, str) else json.dumps(v) for k, v in told.items()}
    assert not assemble([span(1, held, name="search")], app=APP).episodes
