"""What a reader sees of a text that hides parts of itself."""

from __future__ import annotations

import pytest

from environments.runtime.values.hidden import seen_of


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("It is 5. <!-- Shall I?", "It is 5."),
        ("It is ~~7~~ 5.", "It is 5."),
        ('<span style="display: none">7</span>It is 5.', "It is 5."),
        ("<p hidden>7</p>It is <s class=old>7</s>5.", "It is 5."),
        (
            '<div style="overflow: hidden">It is 5.</div>',
            '<div style="overflow: hidden">It is 5.</div>',
        ),
        ("<input hidden name=x> It is 5.", "<input hidden name=x> It is 5."),
        ("<think>7? No.</think>It is 5.", "It is 5."),
        ("Is it 7? No.\n</think>\nIt is 5.", "It is 5."),
        ("It is 5. <thinking>Or 7", "It is 5."),
        ("[//]: # (7)\nIt is 5.", "It is 5."),
        ("I think> it is 5.", "I think> it is 5."),
        ("[Total]: 5", "[Total]: 5"),
        ("About ~~ five.\n\nOr ~~ six.", "About ~~ five. Or ~~ six."),
    ],
)
def test_what_is_hidden_is_not_read(text: str, seen: str) -> None:
    """Comments, struck words and parts that are not displayed; what only looks like them stays."""
    assert " ".join(seen_of(text).split()) == seen
