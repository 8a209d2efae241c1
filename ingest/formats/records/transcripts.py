"""A conversation that is one text: lines that begin with who speaks (`User: …`, `Assistant: …`), an agent's thoughts and actions, or turns in a model's template.

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
_MARK: Final = re.compile(
    r"(?:^|(?<=>))<(?:\|(?:im_start|start_header_id)\||start_of_turn)>(\w+)(?:<\|end_header_id\|>)?\s*(?:\n|\Z)"
    r"|<[|\uff5c](?i:(system|user|assistant|observation|tool))[|\uff5c]>\s*|\[(/?INST)\]",
    re.MULTILINE,
)
"""Where a model's template begins a turn."""
_BARE: Final = re.compile(r"^(system|user|assistant|tool|ipython|model)[ \t]*$\n?", re.MULTILINE)
"""The same where the marks were left out when the tokens became text."""
_BEGINNINGS: Final = (
    "<s>",
    "<bos>",
    "<|begin_of_text|>",
    "<\uff5cbegin\u2581of\u2581sentence\uff5c>",
)
_ENDINGS: Final = (
    "<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<|end|>", "<|endoftext|>", "<|end_of_text|>", "<end_of_turn>", "</s>", "<eos>",
    "<\uff5cend\u2581of\u2581sentence\uff5c>",
)  # fmt: skip
"""What a model's template puts around a text and at the end of a turn."""
_OF_INST: Final = {"INST": "user", "/INST": _AGENT}
OPENED: Final = "<|im_start|>assistant\n"
"""A mark that opens the model's turn."""
_OPEN: Final = re.compile(r"\s*(?:<think>\s*)?")
"""What a prompt holds of the turn that the model is to write."""


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
        (who, _without_ends(text[(m.start() if acts and who == _AGENT else m.end()) : end]))
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


def turns_of(text: str, answer: str | None = None) -> list[dict[str, Any]]:
    """The messages of a text in a model's template, a prompt with what the model wrote behind it; none of any other text.

    An answer that does not continue the prompt is left to others.
    """
    plain = _without_ends(text[:_LONGEST])
    mark = next((one for one in (_MARK, _BARE) if one.match(plain)), None)
    turns = _turns(mark, plain) if mark is not None else []
    if mark is not None and turns and answer is not None:
        goes_on = turns[-1]["role"] == _AGENT and _OPEN.fullmatch(turns[-1]["content"])
        begun = text if goes_on or mark.match(answer.lstrip()) else ""
        turns = _turns(mark, _without_ends(f"{begun}{answer}")) if begun else []
    said = [one for one in turns if one["content"]]
    return said if {"user", _AGENT} <= {one["role"] for one in said} else []


def _without_ends(text: str) -> str:
    """A text without space and a template's marks around it; every character is looked at once, however many spaces there are."""
    start, end, moved = 0, len(text), True
    while moved:
        start, end = _inner(text, start, end)
        begun = next((one for one in _BEGINNINGS if text.startswith(one, start, end)), "")
        ended = next((one for one in _ENDINGS if text.endswith(one, start, end)), "")
        start, end, moved = start + len(begun), end - len(ended), bool(begun or ended)
    return text[start : max(start, end)]


def _inner(text: str, start: int, end: int) -> tuple[int, int]:
    """Where a part of a text begins and ends without the space around it."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _turns(mark: re.Pattern[str], text: str) -> list[dict[str, Any]]:
    found = list(mark.finditer(text))
    ends = [one.start() for one in found[1:]] + [len(text)]
    words = [next(filter(None, one.groups())) for one in found]
    return [
        {"role": _OF_INST.get(who) or role_of(who), "content": _without_ends(text[m.end() : end])}
        for who, m, end in zip(words, found, ends, strict=True)
    ]


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
