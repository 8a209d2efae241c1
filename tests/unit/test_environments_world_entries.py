"""One text for a call, and what it says again: names with blanks, and arguments that are no object."""

import pytest

from environments.runtime.world.entries import asked_text, read_call_text


@pytest.mark.parametrize(
    ("tool", "sent", "means"),
    [
        ("look", '{"b": 5.0, "a": 1}', '{"a":1,"b":5}'),
        ("look up", '{"a": "x {y"}', '{"a":"x {y"}'),
        ("look", "{broken", "{broken"),
        ("look up", "two words {", "two words {"),
        ("look", '["a"]', '["a"]'),
    ],
)
def test_a_text_of_a_call_says_its_tool_and_arguments(tool: str, sent: str, means: str) -> None:
    """Whatever the tool is called, and whatever was sent."""
    text = asked_text(tool, sent)
    assert read_call_text(text) == (tool, means)
    assert asked_text(*read_call_text(text)) == text
