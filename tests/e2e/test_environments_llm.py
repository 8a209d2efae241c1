"""A policy behind litellm, against a stand-in server: the same turn as the direct client gives."""

from __future__ import annotations

import asyncio
import warnings
from importlib.util import find_spec
from typing import Any

import pytest

from environments.llm import LlmPolicy
from environments.rollout.errors import EndpointError, RefusedError, RolloutError
from environments.rollout.policy import Run, Turn
from tests.environments_shop import call, tool
from tests.openai_server import Brain, serving

pytestmark = [
    pytest.mark.slow,  # importing litellm takes 5 s
    pytest.mark.filterwarnings("ignore"),  # litellm's own, many and changing
]


def ask(brain: Brain, **told: Any) -> Turn:  # noqa: ANN401 - fields of ModelServer
    """One call through litellm."""
    with serving(brain, **told) as server, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        policy = LlmPolicy(
            model="openai/m", retries=0, extra={"api_base": server.url, "api_key": "k"}
        )
        tools = (tool("shop.orders/get", "order_id"),) if find_spec("mcp") else ()
        run = Run(task_id="t", seed=1, acted=0)
        return asyncio.run(policy.act([{"role": "user", "content": "Hi"}], tools, run=run))


def test_words_and_usage_come_back() -> None:
    """A text reply is a turn with its usage."""
    turn = ask(lambda _body: {"content": "Hello."})
    assert turn.message["content"] == "Hello."
    assert turn.usage.prompt_tokens == 10


@pytest.mark.skipif(find_spec("mcp") is not None, reason="the package mcp is installed")
def test_tool_calls_without_mcp_are_a_clear_error() -> None:
    """Litellm's hidden dependency is named before anything is sent."""
    policy = LlmPolicy(model="openai/m")
    with pytest.raises(RolloutError, match="install mcp"):
        asyncio.run(policy.act((), (tool("a"),), run=Run(task_id="t", seed=1, acted=0)))


@pytest.mark.skipif(find_spec("mcp") is None, reason="litellm needs the package mcp for tool calls")
def test_calls_come_back_under_their_own_names() -> None:
    """Tool names are mapped there and back."""

    def brain(body: Any) -> Any:  # noqa: ANN401 - a request body
        return call(body["tools"][0]["function"]["name"], {"order_id": "o1"})

    turn = ask(brain)
    calls: Any = turn.message["tool_calls"]
    assert calls[0]["function"] == {"name": "shop.orders/get", "arguments": '{"order_id": "o1"}'}


def test_faults_become_our_errors() -> None:
    """A refusal and a failure are told apart, without the conversation."""
    with pytest.raises(RefusedError):
        ask(lambda _body: {"content": ""}, always="401")
    with pytest.raises(EndpointError, match="InternalServerError"):
        ask(lambda _body: {"content": ""}, always="500")
