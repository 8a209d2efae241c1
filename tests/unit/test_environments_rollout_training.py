"""Trainers' samples: turns joined into one sequence, masks, logprobs, and nothing invented where tokens are not known."""

from __future__ import annotations

import json
from typing import Any

import pytest

from environments.rollout.endpoint import _turn
from environments.rollout.training import TRAINING, sequenced, training_row
from environments.runtime.play.tool_names import ToolNames


def turn(prompt: list[int], written: list[int], logprobs: Any = None) -> dict[str, Any]:  # noqa: ANN401 - as endpoints send it
    """The tokens of one action."""
    return {"prompt_token_ids": prompt, "token_ids": written, "logprobs": logprobs}


def row(tokens: str | None, **changes: object) -> dict[str, Any]:
    """A row of the lake."""
    plain = {
        "task_id": "t",
        "task_version": "v",
        "policy": "p",
        "seed": 0,
        "rollout_id": "r",
        "group_id": "g",
        "advantage": 0.5,
        "reward": 1.0,
        "stop_reason": "user_ended",
        "trajectory": '[{"role": "user", "content": "hi"}]',
        "tools": "[]",
        "opening": 1,
        "tokens": tokens,
    }
    return plain | changes


TWO = json.dumps(
    [
        turn([1, 2], [3, 4], {"content": [{"logprob": -0.5}, {"logprob": -1}]}),
        turn([1, 2, 3, 4, 9, 9], [5], [-0.25]),
    ]
)


def test_turns_become_one_sequence() -> None:
    """What came between two actions stands in the sequence and is masked."""
    found = sequenced(TWO)
    assert found is not None
    assert (found.prompt, found.response) == ((1, 2), (3, 4, 9, 9, 5))
    assert found.mask == (1, 1, 0, 0, 1)
    assert found.logprobs == (-0.5, -1.0, 0.0, 0.0, -0.25)


@pytest.mark.parametrize(
    "turns",
    [
        None,
        [],
        [None],
        [{"logprobs": {"content": []}}],
        [turn([1], [2]), turn([7, 2, 3], [4])],
        [turn([1], ["a"])],  # type: ignore[list-item]  # a lying endpoint
        [turn([1], [2]), None],
    ],
    ids=["none", "empty", "no turn", "no ids", "retokenised", "not ids", "one missing"],
)
def test_tokens_that_do_not_join_are_not_invented(turns: Any) -> None:  # noqa: ANN401 - any JSON
    """A history that was tokenised anew between two turns gives no sequence."""
    assert sequenced(json.dumps(turns) if turns is not None else None) is None


def test_missing_logprobs_are_none_for_the_whole() -> None:
    """A sample with half its logprobs would be wrong without saying so."""
    found = sequenced(json.dumps([turn([1], [2], [-1.0]), turn([1, 2], [3, 4], [-1.0])]))
    assert found is not None
    assert found.logprobs is None


@pytest.mark.parametrize("name", sorted(TRAINING))
def test_every_format_names_group_and_advantage(name: str) -> None:
    """Group, advantage, reward and mask in each; without a reward nothing is trained on."""
    good, masked = (
        training_row(row(TWO), name),
        training_row(row(TWO, reward=None, advantage=None), name),
    )
    assert (good["group_id"], good["advantage"], good["masked"]) == ("g", 0.5, False)
    assert masked["masked"] is True
    masks = [masked[key] for key in ("env_mask", "response_mask", "loss_masks") if key in masked]
    assert masks == ([] if name == "chat" else [[0] * 5])
    assert training_row(row(None), name)["group_id"] == "g"


def test_endpoints_fields_are_understood() -> None:
    """VLLM's ids beside the choice or the reply, SGLang's triples: the same sequence."""
    message = {"role": "assistant", "content": "x"}
    vllm = {
        "prompt_token_ids": [1, 2],
        "choices": [
            {"message": message, "token_ids": [3], "logprobs": {"content": [{"logprob": -1}]}}
        ],
    }
    sglang = {
        "choices": [
            {
                "message": message,
                "prompt_token_ids": [1, 2],
                "meta_info": {"output_token_logprobs": [[-1.0, 3, "x"]]},
            }
        ]
    }
    first, second = (_turn(reply, ToolNames(())).tokens for reply in (vllm, sglang))
    assert sequenced(json.dumps([first])) == sequenced(json.dumps([second]))
    assert sequenced(json.dumps([first])) is not None
    assert (
        _turn(
            {"choices": [{"message": message, "meta_info": {"output_token_logprobs": [1]}}]},
            ToolNames(()),
        ).tokens
        is None
    )
