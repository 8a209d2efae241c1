"""Spans that follow no convention and yet seem to hold what was said or done, for a person who wonders where it went.

Comes in: spans. Goes out: how many of them there are, by their names. Nothing is read out of them: whose words an
attribute holds, its name alone does not say.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Final

from ingest.dialects.table import PLAIN, dialect_of
from ingest.records.span import Span

_CONTENT: Final = frozenset(
    {"input", "inputs", "output", "outputs", "prompt", "completion", "messages", "message", "question", "answer",
     "request", "response", "arguments", "args", "result", "query", "content", "text"}
)  # fmt: skip
"""Last words of attributes' names that content stands under in hand-written tracing."""
_SHORTEST: Final = 2
_PROGRAMS_WORD: Final = re.compile(r"[A-Za-z_]+(?:[.:/-][A-Za-z_]+)*")
_LONGEST: Final = 64
UNNAMED: Final = "other names"
"""Stands for names that a person may have written: only what looks like a program's own word is shown."""


def unread(spans: Iterable[Span]) -> Counter[str]:
    """How many spans of no convention hold a text under a name that content usually has, by the span's name."""
    return Counter(_span_name(span.name) for span in spans if _holds_content(span))


def _holds_content(span: Span) -> bool:
    if dialect_of(span) != PLAIN:
        return False
    return any(
        isinstance(value, str)
        and len(value) >= _SHORTEST
        and re.split(r"[._-]", key.lower().removesuffix("_json"))[-1] in _CONTENT
        for key, value in span.attributes.items()
    )


def _span_name(name: str) -> str:
    return name if len(name) <= _LONGEST and _PROGRAMS_WORD.fullmatch(name) else UNNAMED
