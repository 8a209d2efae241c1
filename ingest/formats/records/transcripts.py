"""A conversation that is one text: lines that begin with who speaks (`User: …`, `Assistant: …`), or an agent's thoughts and actions.

Comes in: a text. Goes out: items of a list of messages, as `speech` reads them; none where the text is no transcript.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby
from typing import Any, Final

from ingest.formats.records.words import role_of, snake_case
from ingest.formats.records.written_calls import ARGUMENT, listed_calls

_LABEL: Final = re.compile(
    r"^(?:[ \t*#]*([A-Za-z][A-Za-z _-]{1,24}?)(?: ?\d+)?[ \t*]*:[ \t*]*|\[([a-z][a-z _-]{1,24})\][ \t]+)",
    re.MULTILINE,
)
_DONE: Final = re.compile(
    r"([A-Za-z_][\w.-]{0,63})\((.*?)\)[ \t]*(?:->|=>|\u2192)[ \t]*(.*)", re.DOTALL
)
"""A call with what came of it: `find_room(city="Bergen") -> [{"room": 7}]`."""
_ACTS: Final = frozenset(
    {"thought", "action", "act", "action_input", "final_answer", "tool", "tool_input"}
)
"""Labels of what an agent thinks and does in one turn."""
_AGENT: Final = "assistant"
_WHO: Final = ("user", _AGENT, "system", "tool")
_LONGEST: Final = 4_000_000


@lru_cache(maxsize=16)
def _items(text: str) -> tuple[tuple[str, str], ...]:
    marks = [
        (m, who)
        for m in _LABEL.finditer(text)
        if (who := _role_of_label(m[1] or "") or role_of(m[2] or "")) in _WHO
    ]
    if not marks or text[: marks[0][0].start()].strip():
        return ()
    ends = [m.start() for m, _ in marks[1:]] + [len(text)]
    acts = any(snake_case(m[1] or "") in _ACTS for m, _ in marks)
    said = [
        (who, text[(m.start() if acts and who == _AGENT else m.end()) : end].strip())
        for (m, who), end in zip(marks, ends, strict=True)
        # What a desk notes of itself among what is said: `[system] closed`.
        if not (m[2] and who == "system" and m is not marks[0][0])
    ]
    joined = [
        (who, "\n".join(words for _, words in group))
        for (who, _), group in groupby(said, key=lambda one: (one[0], _tool_line(*one) and one[1]))
    ]
    roles = {who for who, _ in joined}
    tells = {"user", _AGENT} <= roles or (acts and {_AGENT, "tool"} <= roles)
    return tuple(joined) if tells else ()


def items_of(text: str) -> list[dict[str, Any]]:
    """The messages of a transcript; none where a text is anything else."""
    if len(text) > _LONGEST or _LABEL.match(text.lstrip()) is None:
        return []
    said = enumerate(_items(text.lstrip()))
    return [item for n, (who, words) in said for item in _messages(who, words, n)]


def _messages(who: str, words: str, number: int) -> Iterator[dict[str, Any]]:
    """What somebody says, or a call and what came of it."""
    line = _tool_line(who, words)
    if line is None:
        yield {"role": who, "content": words}
        return
    name, given, told = line.groups()
    plain = {"name": name, "arguments": {ARGUMENT: given}}
    call = {"id": f"line_{number}", **next(iter(listed_calls(f"[{name}({given})]")), plain)}
    yield {"role": _AGENT, "content": None, "tool_calls": [call]}
    if told.strip():
        yield {"role": "tool", "tool_call_id": call["id"], "content": told.strip()}


def _tool_line(who: str, words: str) -> re.Match[str] | None:
    return _DONE.fullmatch(words) if who == "tool" else None


def _role_of_label(label: str) -> str | None:
    if snake_case(label) in _ACTS:
        return _AGENT
    role = role_of(label)
    return role if role in _WHO else None
