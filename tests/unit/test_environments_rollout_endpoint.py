"""A policy behind an OpenAI-compatible endpoint: what it sends, streams, retries and refuses."""

from __future__ import annotations

import asyncio
import json
import socket
import time
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from environments.rollout import endpoint
from environments.rollout.endpoint import EndpointPolicy, EndpointSettings, pause_asked
from environments.rollout.errors import EndpointError, RefusedError
from environments.rollout.policy import Message, Run, Turn
from environments.rollout.sse import Assembly
from tests.environments_shop import call, tool
from tests.openai_server import Brain, ModelServer, serving

RUN = Run(task_id="t", seed=7, acted=0)
HELLO: Message = {"role": "user", "content": "Hello"}
TOOLS = (tool("shop.orders/get", "order_id"), tool("plain"))


def say(text: str) -> Brain:
    """A model that always says the same."""
    return lambda _body: {"content": text}


def ask(
    server: ModelServer,
    messages: Sequence[Message] = (HELLO,),
    tools: Sequence[Message] = (),
    **settings: Any,  # noqa: ANN401 - fields of EndpointSettings
) -> Turn:
    """One call with fast retries."""
    given_settings: dict[str, Any] = {"backoff": 0.01, "retries": 2, **settings}

    async def act() -> Turn:
        model = EndpointSettings(base_url=server.url, model="m", **given_settings)
        async with EndpointPolicy(model) as policy:
            return await policy.act(messages, tools, run=RUN)

    return asyncio.run(act())


@pytest.mark.parametrize("stream", [False, True])
def test_words_and_usage_come_back(stream: bool) -> None:
    """A text reply, streamed or whole, is the same turn."""
    with serving(say("Good morning, what can I do?")) as server:
        turn = ask(server, stream=stream, api_key="key", temperature=0.5)
    assert turn.message["content"] == "Good morning, what can I do?"
    assert (turn.usage.prompt_tokens, turn.usage.completion_tokens) == (10, 5)
    sent = server.requests[0]
    assert (sent["model"], sent["seed"], sent["temperature"]) == ("m", 7, 0.5)
    assert "tools" not in sent
    assert server.headers[0]["Authorization"] == "Bearer key"


@pytest.mark.parametrize("stream", [False, True])
def test_tool_names_are_mapped_there_and_back(stream: bool) -> None:
    """A name that endpoints do not take is sent in another form and read back in its own."""

    def brain(body: Any) -> dict[str, Any]:  # noqa: ANN401 - a request body
        name = body["tools"][0]["function"]["name"]
        calls = [call(name, {"order_id": "ä" * 30}, "a"), call("plain", {}, "b")]
        return {"tool_calls": [c["tool_calls"][0] for c in calls]}  # type: ignore[index]  # JSON

    history = [
        HELLO,
        call("shop.orders/get", {}),
        {"role": "tool", "tool_call_id": "c1", "name": "x", "content": "{}"},
    ]
    with serving(brain) as server:
        turn = ask(server, history, TOOLS, stream=stream)
    calls: Any = turn.message["tool_calls"]
    assert [c["function"]["name"] for c in calls] == ["shop.orders/get", "plain"]
    assert json.loads(calls[0]["function"]["arguments"]) == {"order_id": "ä" * 30}
    sent = server.requests[0]
    assert [t["function"]["name"] for t in sent["tools"]] == ["shop_orders_get", "plain"]
    assert sent["messages"][1]["tool_calls"][0]["function"]["name"] == "shop_orders_get"
    assert "name" not in sent["messages"][2]


def test_malformed_arguments_in_the_history_are_sent_as_json() -> None:
    """One broken call does not make every later request unreadable for chat templates."""
    broken: Any = call("plain", {})
    broken["tool_calls"][0]["function"]["arguments"] = "{oops"
    with serving(say("ok")) as server:
        ask(server, [HELLO, broken], TOOLS)
    function = server.requests[0]["messages"][1]["tool_calls"][0]["function"]
    assert json.loads(function["arguments"]) == {"invalid": "{oops"}


@pytest.mark.parametrize("fault", ["429", "500", "503", "drop", "not_json", "no_choices", "odd"])
def test_faults_of_the_infrastructure_are_retried(fault: str) -> None:
    """Two faults and then an answer is an answer."""
    with serving(say("ok"), faults=[fault, fault]) as server:
        assert ask(server).message["content"] == "ok"
    assert len(server.requests) == 3


@pytest.mark.parametrize("fault", ["cut", "bad_event", "drop", "not_json"])
def test_a_stream_that_breaks_off_is_retried(fault: str) -> None:
    """Half a message is no message."""
    with serving(say("a long enough answer to be cut"), faults=[fault]) as server:
        turn = ask(server, stream=True)
    assert turn.message["content"] == "a long enough answer to be cut"
    assert len(server.requests) == 2


@pytest.mark.parametrize("fault", ["500", "not_json", "no_choices"])
def test_an_endpoint_that_keeps_failing_is_an_error(fault: str) -> None:
    """After the last try the error says how it failed, without the conversation."""
    with serving(say("ok"), always=fault) as server, pytest.raises(EndpointError) as caught:
        ask(server)
    assert "3 times" in str(caught.value)
    assert "Hello" not in str(caught.value)
    assert len(server.requests) == 3


@pytest.mark.parametrize("status", ["400", "401", "404", "422"])
def test_a_refusal_is_not_retried(status: str) -> None:
    """What would be refused again is asked once."""
    with serving(say("ok"), always=status) as server, pytest.raises(RefusedError) as caught:
        ask(server)
    assert caught.value.status == int(status)
    assert len(server.requests) == 1


def test_a_slow_endpoint_times_out() -> None:
    """An answer that does not come in time is a fault, and the next one counts."""
    with serving(say("ok"), faults=["slow"]) as server:
        assert ask(server, timeout=0.3).message["content"] == "ok"


@pytest.mark.parametrize(
    ("asked", "date", "seconds"),
    [
        ("3", "", 3.0),
        ("0.5", "", 0.5),
        ("Sun, 22 Nov 2026 10:00:07 GMT", "Sun, 22 Nov 2026 10:00:00 GMT", 7.0),
        ("Sun, 22 Nov 2026 09:00:00 GMT", "Sun, 22 Nov 2026 10:00:00 GMT", 0.0),
        ("Sun, 22 Nov 2026 10:00:07 GMT", "", None),
        ("Sun, 22 Nov 2026 10:00:07 GMT", "yesterday", None),
        ("", "", None),
        ("-1", "", None),
        ("nan", "", None),
        ("inf", "", None),
        ("\u00b2", "", None),
        ("soon", "", None),
    ],
)
def test_a_pause_is_taken_as_asked(asked: str, date: str, seconds: float | None) -> None:
    """Seconds, or a date by the server's own clock; anything else is no pause, never an exception."""
    assert pause_asked({"Retry-After": asked, "Date": date}) == seconds


def test_a_rate_limit_is_waited_for() -> None:
    """A 429 that asks for a pause gets it, not the usual one; one that asks in nonsense gets the usual one."""
    with serving(say("ok"), faults=["429"], retry_after="0.4") as server:
        began = time.monotonic()
        assert ask(server, backoff=0.0).message["content"] == "ok"
        assert time.monotonic() - began >= 0.4
    with serving(say("ok"), faults=["429"], retry_after="\u00b2") as server:
        assert ask(server).message["content"] == "ok"


@pytest.mark.parametrize("stream", [False, True])
def test_an_endless_answer_is_cut_off(monkeypatch: pytest.MonkeyPatch, stream: bool) -> None:
    """A server that never stops writing fills no memory: its reply is a fault, and the next one counts."""
    monkeypatch.setattr(endpoint, "LARGEST", 2**20)
    with serving(say("ok"), faults=["endless"]) as server:
        assert ask(server, stream=stream).message["content"] == "ok"
    assert len(server.requests) == 2


@pytest.mark.parametrize("odd", [-5, 2**63, 1.5, "12", True, None])
def test_counts_that_cannot_be_are_unknown(odd: object) -> None:
    """A server that says it used less than nothing neither refunds a budget nor spoils a table."""
    usage = {"prompt_tokens": odd, "completion_tokens": 7}
    with serving(say("ok"), usage=usage) as server:
        turn = ask(server)
    assert (turn.usage.prompt_tokens, turn.usage.completion_tokens) == (None, 7)


def test_a_dead_endpoint_is_an_error() -> None:
    """Nobody listens: one clear sentence after the retries."""
    with socket.socket() as spare:
        spare.bind(("127.0.0.1", 0))
        dead = ModelServer(say(""), url=f"http://127.0.0.1:{spare.getsockname()[1]}/v1")
        with pytest.raises(EndpointError, match="no connection"):
            ask(dead)


def test_what_the_endpoint_adds_is_kept() -> None:
    """Token ids and logprobs come along where the server gives them."""
    assembly = Assembly()
    event = {
        "prompt_token_ids": [1, 2],
        "choices": [
            {
                "delta": {"content": "x"},
                "token_ids": [3],
                "logprobs": {"content": [{"logprob": -1.0}]},
                "finish_reason": "stop",
            }
        ],
    }
    assembly.feed(f"data: {json.dumps(event)}".encode())
    reply = assembly.reply()
    assert reply is not None
    assert reply["prompt_token_ids"] == [1, 2]
    assert reply["choices"][0]["token_ids"] == [3]
    assert reply["choices"][0]["logprobs"] == {"content": [{"logprob": -1.0}]}


@pytest.mark.parametrize(
    "chunk",
    [
        3,
        [],
        {"error": "x"},
        {"choices": 3},
        {"choices": [3]},
        {"choices": [{"delta": 3}]},
        {"choices": [{"delta": {"tool_calls": [3]}}]},
        {"choices": [{"delta": {"tool_calls": [{"index": []}]}}]},
    ],
)
def test_a_lying_stream_is_no_reply(chunk: object) -> None:
    """Events that are JSON but not the protocol make the stream unusable, never an exception."""
    assembly = Assembly()
    end = {"choices": [{"delta": {}, "finish_reason": "stop"}]}
    assembly.feed(f"data: {json.dumps(chunk)}\n\ndata: {json.dumps(end)}\n\n".encode())
    assert assembly.reply() is None


def test_a_policy_must_be_entered() -> None:
    """Without its context a policy holds no connections and says so."""
    policy = EndpointPolicy(EndpointSettings(base_url="http://x/v1", model="m"))
    with pytest.raises(EndpointError, match="async with"):
        asyncio.run(policy.act([HELLO], (), run=RUN))


@given(st.text(max_size=60), st.lists(st.text(max_size=20), max_size=3), st.data())
def test_a_stream_may_be_cut_anywhere(text: str, arguments: list[str], data: st.DataObject) -> None:
    """However the bytes are cut on the way, the same message arrives."""
    calls = [
        {"id": f"c{i}", "type": "function", "function": {"name": "f", "arguments": a}}
        for i, a in enumerate(arguments)
    ]
    server = ModelServer(say(""), pieces=3)
    message = {"role": "assistant", "content": text or None, "tool_calls": calls}
    reply = {
        "id": "1",
        "created": 1,
        "model": "m",
        "choices": [{"message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 1},
    }
    stream = "".join(f"{event}\r\n\r\n" for event in server._events(reply)).encode()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=8)))
    assembly = Assembly()
    for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True):
        assembly.feed(stream[start:end])
    whole = assembly.reply()
    assert whole is not None
    got = whole["choices"][0]["message"]
    assert (got["content"], got.get("tool_calls", [])) == (text or None, calls)
    assert whole["usage"] == {"prompt_tokens": 1}
