"""Token ids and logprobs out of streams in the shape that vLLM sends with `return_token_ids` and `logprobs`."""

from __future__ import annotations

import json
from typing import Any

import pytest

from environments.rollout.sse import Assembly
from environments.rollout.training import sequenced

TOP: dict[str, Any] = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}


def chunk(delta: dict[str, Any], ids: list[int] | None = None, **choice: Any) -> dict[str, Any]:  # noqa: ANN401 - fields of a choice
    """One event: what was written, its tokens, a logprob for each."""
    content = [{"token": "t", "logprob": -float(number), "bytes": None} for number in ids or ()]
    logprobs = {"content": content} if ids else None
    whole = {"index": 0, "delta": delta, "logprobs": logprobs, "finish_reason": None, **choice}
    return {**TOP, "choices": [{**whole, "token_ids": ids}]}


def streamed(events: list[dict[str, Any]], size: int = 11) -> dict[str, Any]:
    """The reply of events that arrive in pieces of some bytes."""
    text = "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n"
    data = text.encode()
    assembly = Assembly()
    for at in range(0, len(data), size):
        assembly.feed(data[at : at + size])
    reply = assembly.reply()
    assert reply is not None
    return reply


def call_events(prompt: list[int], *, at_choice: bool) -> list[dict[str, Any]]:
    """A tool call: prompt tokens in the first event, tokens without words while the call is parsed, usage at the end."""
    opening = chunk({"role": "assistant", "content": ""})
    (opening["choices"][0] if at_choice else opening)["prompt_token_ids"] = prompt
    named = {"index": 0, "id": "c1", "type": "function", "function": {"name": "look"}}
    return [
        opening,
        chunk({}, [4]),
        chunk({"tool_calls": [named]}, [5, 6]),
        chunk({"tool_calls": [{"index": 0, "function": {"arguments": '{"a"'}}]}, [7]),
        chunk({"tool_calls": [{"index": 0, "function": {"arguments": ": 1}"}}]}, [8]),
        chunk({}, [9], finish_reason="tool_calls", stop_reason=None),
        {**TOP, "choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 6}},
    ]


@pytest.mark.parametrize("at_choice", [False, True])
def test_every_token_of_a_streamed_call_is_kept(at_choice: bool) -> None:
    """Tokens that brought no words count, too; the sequence is what the model wrote, in order."""
    reply = streamed(call_events([1, 2, 3], at_choice=at_choice))
    choice = reply["choices"][0]
    function = choice["message"]["tool_calls"][0]["function"]
    assert function == {"name": "look", "arguments": '{"a": 1}'}
    assert reply["prompt_token_ids"] == [1, 2, 3]
    assert choice["token_ids"] == [4, 5, 6, 7, 8, 9]
    assert reply["usage"]["completion_tokens"] == 6
    turn = {"prompt_token_ids": [1, 2, 3], **{k: choice[k] for k in ("token_ids", "logprobs")}}
    sequence = sequenced(json.dumps([turn]))
    assert sequence is not None
    assert sequence.response == (4, 5, 6, 7, 8, 9)
    assert sequence.logprobs == (-4.0, -5.0, -6.0, -7.0, -8.0, -9.0)


def test_a_token_without_a_logprob_makes_the_logprobs_unknown() -> None:
    """Logprobs that cannot be put beside their tokens are left out, never shifted."""
    events = call_events([1], at_choice=False)
    events[3]["choices"][0]["logprobs"] = None
    choice = streamed(events)["choices"][0]
    turn = {"prompt_token_ids": [1], **{k: choice[k] for k in ("token_ids", "logprobs")}}
    sequence = sequenced(json.dumps([turn]))
    assert sequence is not None
    assert (sequence.response, sequence.logprobs) == ((4, 5, 6, 7, 8, 9), None)
