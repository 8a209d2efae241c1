"""What is inside a tool's result, under the layers of protocols and clients."""

from __future__ import annotations

import json

import pytest

from environments.runtime.task.attempt import Json
from synth.tool_content import held_value, innermost_value

ORDER: Json = {"id": "A-17", "total": 42.5}
TOLD = json.dumps(ORDER)
PARTS: Json = [{"type": "text", "text": TOLD}]


@pytest.mark.parametrize(
    "text",
    [
        TOLD,
        json.dumps(TOLD),
        json.dumps(json.dumps(TOLD)),
        json.dumps(PARTS),
        json.dumps({"content": PARTS, "isError": False}),
        json.dumps({"type": "json", "value": ORDER}),
        f"```json\n{TOLD}\n```",
        f"Tool result:\n{TOLD}",
        f"{TOLD} [took 0.31s]",
        f"{json.dumps(PARTS)} (12 ms)",
        f"# result_3 = {json.dumps(TOLD)}",
        json.dumps([{"type": "text", "text": f"```\n{TOLD}\n```"}]),
    ],
)
def test_a_record_is_found_under_every_layer(text: str) -> None:
    """Its ids and amounts are what rubrics compare with what the user was told."""
    assert innermost_value(text) == ORDER == held_value(text)


@pytest.mark.parametrize(
    "value",
    [
        {"type": "refund", "value": 30},
        [{"id": "A-17", "text": "late"}],
        {"content": "a box of tools", "id": 3},
        [],
        [{"type": "text", "text": "late", "id": 1, "by": "me", "at": 3}],
        "Shipped to: {unknown}",
    ],
)
def test_records_that_only_look_like_layers_stay_whole(value: Json) -> None:
    """A type of the app's own, rows, a field with a protocol's name."""
    text = value if isinstance(value, str) else json.dumps(value)
    assert innermost_value(text) == value


def test_parts_are_read_in_order() -> None:
    """What is no text, an image say, is left out."""
    parts = [{"type": "text", "text": "one"}, {"type": "image"}, {"type": "text", "text": "two"}]
    assert innermost_value(json.dumps(parts)) == "one\ntwo"


def test_nesting_without_end_is_read_to_a_depth() -> None:
    """A text quoted again and again costs a bounded number of looks."""
    text = TOLD
    for _ in range(9):
        text = json.dumps(text)
    assert isinstance(innermost_value(text), str)
