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
        ("About ~~ five.\n\nOr ~~ six.", "About ~~ five. Or ~~ six."),
    ],
)
def test_what_is_hidden_is_not_read(text: str, seen: str) -> None:
    """Comments, struck words and parts that are not displayed; what only looks like them stays."""
    assert " ".join(seen_of(text).split()) == seen
