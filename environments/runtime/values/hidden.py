"""What a reader sees of a text: comments, struck words, parts that are not displayed and a model's thoughts are nothing that anybody was told.

In: a text of a policy, which may hold HTML or Markdown. Out: the text without those parts.
"""

from __future__ import annotations

import re
from typing import Final

MARKS: Final = (
    *("<!--", "~~", "<del", "<s>", "<s ", "<strike", "display", "hidden"),
    *("think>", "thinking>", "reasoning>", "scratchpad>", "]:"),
)
"""Without one of these a text hides nothing."""
LONGEST: Final = 1_000
"""Characters of a struck part that are looked for."""
HIDDEN: Final = re.compile(
    r"<!--.*?(?:-->|\Z)"
    r"|<(think(?:ing)?|reasoning|scratchpad)>.*?(?:</\1>|\Z)"
    # Templates open the thoughts in the prompt: the answer begins where they are closed.
    r"|\A(?:(?!<(?:think|reasoning|scratchpad)).){0,400000}?</(?:think(?:ing)?|reasoning|scratchpad)>"
    # A reference that leads nowhere is Markdown's comment.
    r"|(?:\A|(?<=\n))[ ]{0,3}\[[^\]\n]{1,100}\]:[ \t]*(?:\#|<>)[^\n]*"
    rf"|~~(?=\S)(?:(?!\n\n).){{1,{LONGEST}}}?(?<=\S)~~"
    rf"|<(del|s|strike)\b[^<>]*>(?:(?!<\2\b).){{0,{LONGEST}}}?</\2>"
    r"|<(?!(?:input|img|br|hr|meta|link)\b)(\w+)\b"
    r"(?=[^<>]*(?:[\s;\"']display\s*+:\s*none|visibility\s*+:\s*hidden|\shidden(?=[\s=>])))[^<>]*>.*?(?:</\3>|\Z)",
    re.IGNORECASE | re.DOTALL,
)


def seen_of(text: str) -> str:
    """The text without what is hidden in it."""
    folded = text.casefold()
    return HIDDEN.sub(" ", text) if any(mark in folded for mark in MARKS) else text
