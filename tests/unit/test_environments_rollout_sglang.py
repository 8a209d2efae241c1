"""SGLang's `meta_info` against the stand-in server: whole, streamed so far, streamed in parts; never ids that are not certain."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from environments.rollout.endpoint import EndpointPolicy, EndpointSettings
from environments.rollout.policy import Run
from environments.rollout.sglang import join_infos, token_fields
from environments.rollout.sse import Assembly
from environments.rollout.training import sequenced
from tests.openai_server import serving

TRIPLES = [[-0.5, 11, "It"], [-0.25, 12, " is"], [-0.25, 12, " is"], [0.0, 14, "."], [-1.0, 2, ""]]
"""The second token comes twice, so that a list of what is new begins like a list of all so far."""
READ = {"prompt_tokens": 2, "input_token_logprobs": [[None, 7, "Hi"], [-3.0, 8, "?"]]}
CUTS = (1, 2, 3, 5)
EXPECTED = {
    "token_ids": [11, 12, 12, 14, 2],
    "logprobs": [-0.5, -0.25, -0.25, 0.0, -1.0],
    "prompt_token_ids": [7, 8],
}


def info(written: list[Any], count: int | None) -> dict[str, Any]:
    """One `meta_info`."""
    counted = {} if count is None else {"completion_tokens": count}
    return {**READ, **counted, "output_token_logprobs": written}


SO_FAR = [info(TRIPLES[:cut], cut) for cut in CUTS]
PARTS = [info(TRIPLES[at:cut], cut) for at, cut in zip((0, *CUTS), CUTS, strict=False)]
AT_THE_END = [info([], 1), info([], 3), info(TRIPLES, 5)]
UNCOUNTED_PARTS = [{k: v for k, v in part.items() if k != "completion_tokens"} for part in PARTS]
STREAMS = {"so far": SO_FAR, "parts": PARTS, "at the end": AT_THE_END, "usage": UNCOUNTED_PARTS}


def tokens_of(infos: list[dict[str, Any]], *, stream: bool) -> Any:  # noqa: ANN401 - JSON
    """What the policy learns of its tokens from one reply."""

    async def act(url: str) -> Any:  # noqa: ANN401 - JSON
        settings = EndpointSettings(base_url=url, model="m", stream=stream)
        async with EndpointPolicy(settings) as policy:
            run = Run(task_id="t", seed=0, acted=0)
            return (await policy.act([{"role": "user", "content": "Hi?"}], [], run=run)).tokens

    with serving(lambda _: {"content": "It is is, we are told."}, infos=infos) as server:
        return asyncio.run(act(server.url))


@pytest.mark.parametrize("style", sorted(STREAMS))
def test_a_stream_gives_the_tokens_of_the_whole_reply(style: str) -> None:
    """Lists of all so far, of what is new, and one at the end come to the same as the reply that is not streamed."""
    assert tokens_of(STREAMS[style], stream=True) == EXPECTED
    assert tokens_of([info(TRIPLES, 5)], stream=False) == EXPECTED
    found = sequenced(json.dumps([EXPECTED]))
    assert found is not None
    assert (found.prompt, found.response) == ((7, 8), (11, 12, 12, 14, 2))


def test_ids_that_do_not_fit_the_count_are_unknown() -> None:
    """A stream that lost a part, and a whole reply with too few triples, give no token ids rather than wrong ones."""
    assert tokens_of([PARTS[0], *PARTS[2:]], stream=True) is None
    without = token_fields(info(TRIPLES[:3], 5))
    assert without == {"prompt_token_ids": [7, 8]}
    uncounted = [info(TRIPLES[:2], None), info(TRIPLES[2:], None)]
    assert join_infos(uncounted, None) is None
    assert join_infos(uncounted[:1], None) is not None


def test_a_prompt_that_is_not_whole_is_unknown() -> None:
    """A server that sends the end of the prompt, or no count of it, leaves the prompt's ids unknown."""
    short = {**info(TRIPLES, 5), "prompt_tokens": 3}
    bare = {k: v for k, v in info(TRIPLES, 5).items() if k != "prompt_tokens"}
    assert "prompt_token_ids" not in token_fields(short)
    assert "prompt_token_ids" not in token_fields(bare)


@pytest.mark.parametrize("odd", [None, 3, [], {"output_token_logprobs": [1]}, {"x": [[0.0, "a"]]}])
def test_what_is_no_meta_info_is_ignored(odd: Any) -> None:  # noqa: ANN401 - anything
    """Odd fields cost the token ids, never the reply."""
    assert token_fields(odd) == {}
    assembly = Assembly()
    part = {"delta": {"content": "x"}, "finish_reason": "stop", "meta_info": odd}
    assembly.feed(b"data: " + json.dumps({"choices": [part], "meta_info": odd}).encode() + b"\n")
    reply = assembly.reply()
    assert reply is not None
    assert reply["choices"][0]["message"]["content"] == "x"
