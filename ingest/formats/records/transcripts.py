"""A conversation that is one text: lines that begin with who speaks (`User: …`, `Assistant: …`), or an agent's thoughts and actions.

Comes in: a text. Goes out: items of a list of messages, as `speech` reads them; none where the text is no transcript.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import groupby
from typing import Any, Final

from ingest.formats.records.words import role_of, snake_case

_LABEL: Final = re.compile(
    r"^[ \t*#]*([A-Za-z][A-Za-z _-]{1,24}?)(?: ?\d+)?[ \t*]*:[ \t*]*", re.MULTILINE
)
_ACTS: Final = frozenset(
    {"thought", "action", "act", "action_input", "final_answer", "tool", "tool_input"}
)
"""Labels of what an agent thinks and does in one turn."""
_AGENT: Final = "assistant"
_LONGEST: Final = 4_000_000


@lru_cache(maxsize=16)
def _items(text: str) -> tuple[tuple[str, str], ...]:
    marks = [(m, who) for m in _LABEL.finditer(text) if (who := _role_of_label(m[1])) is not None]
    if not marks or text[: marks[0][0].start()].strip():
        return ()
    ends = [m.start() for m, _ in marks[1:]] + [len(text)]
    acts = any(snake_case(m[1]) in _ACTS for m, _ in marks)
    said = [
        (who, text[(m.start() if acts and who == _AGENT else m.end()) : end].strip())
        for (m, who), end in zip(marks, ends, strict=True)
    ]
    joined = [
        (who, "\n".join(words for _, words in group))
        for who, group in groupby(said, key=lambda one: one[0])
    ]
    roles = {who for who, _ in joined}
    tells = {"user", _AGENT} <= roles or (acts and {_AGENT, "tool"} <= roles)
    return tuple(joined) if tells else ()


def items_of(text: str) -> list[dict[str, Any]]:
    """The messages of a transcript; none where a text is anything else."""
    if len(text) > _LONGEST or _LABEL.match(text.lstrip()) is None:
        return []
    return [{"role": who, "content": words} for who, words in _items(text.lstrip())]


def _role_of_label(label: str) -> str | None:
    if snake_case(label) in _ACTS:
        return _AGENT
    role = role_of(label)
    return role if role in {"user", _AGENT, "system", "tool"} else None
