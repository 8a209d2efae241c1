"""Short numbers that somebody says and no record explains: a door's code, the last digits of a card, a password sent by text.

In: an episode's steps. Out: numbers of four to six digits in what its user says and in the prose of its calls. What is an amount stands beside
its unit, or as a value of its own in some call or answer; a year, a round number and what a prompt says are nobody's. They go in their episode only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final

from ingest.records.episode import Step
from redact.bounds import LONGEST_PROSE, NEAR
from redact.lists.word_lists import word_list
from redact.readers.place import ARGUMENT, MESSAGE
from redact.values.segments import words_apart

_ALTERNATIVES: Final = frozenset({"and", "or", "y", "o", "und", "oder", "et", "ou", "e", "of"})
"""Between amounts: `$48 or 52`."""
_COMPARED: Final = word_list("compared")
"""Behind these a number is an amount: `below 3500`."""
_NO_CODE_FOLLOWS: Final = _ALTERNATIVES | _COMPARED
_JOINTS: Final = r"and|or|is|on|to|y|o|e|i|und|et|ou|en|og|ve|aur|a|the|my|for"
_CODE: Final = re.compile(
    r"\d(?<![\w.,$€£¥-]\d)\d{3,5}"
    rf"(?=[#*]?(?:[.;!?)\]\"'\\\n]|,(?!\d)|$| +(?:{_JOINTS})(?!\w)))(?!\.\d)"
)
"""Behind a word, before the end of a sentence or of its part: behind an amount stands what it counts."""
_JOINED: Final = re.compile(r"(?:,| or| and|, or|, and| o| y| oder| und| ou| et)? ?", re.IGNORECASE)
_BEFORE: Final = re.compile(r"([^\W\d_]{2,}|[\u3040-\u30ff\u3400-\u9fff])(?: |: ?| ?[#*=]+ ?)\Z")
_YEAR: Final = re.compile(r"19\d\d|20[0-4]\d")
_ROUND: Final = "000"
_OPENS: Final = frozenset("[{:=|;,>(\t\"'$€£¥")
_CLOSES: Final = frozenset("]},;|<)\t\"'\n\\%")
_ZEROS: Final = re.compile(r"\.0+")


def short_codes(steps: Sequence[Step]) -> Iterator[str]:
    """Yield the short numbers of an episode that nothing but what is said of somebody holds."""
    said = [step.content for step in steps if step.role == "user" and step.content]
    asked = [call.arguments for step in steps for call in step.tool_calls]
    codes = dict.fromkeys([code for text in (*said, *asked) for code in codes_in(text)])
    answered = [step.content for step in steps if step.role == "tool" and step.content]
    prompts = [step.content for step in steps if step.role == "system" and step.content]
    for code in codes:
        if any(code in prompt for prompt in prompts):
            continue
        if not any(stands_alone(code, text) for text in (*asked, *answered)):
            yield code


def codes_told(text: str, prose: Iterable[str], origin: str) -> tuple[str, ...]:
    """Return the short numbers of a message, or of the sentences of an argument."""
    if origin == MESSAGE:
        return codes_in(text)
    told = prose if origin == ARGUMENT else ()
    return tuple([code for part in told for code in codes_in(part)])


@lru_cache(maxsize=20_000)
def codes_in(text: str) -> tuple[str, ...]:
    """Return the short numbers behind a word of what somebody says; long texts are prompts."""
    if len(text) > LONGEST_PROSE:
        return ()
    text = words_apart(text)
    codes: list[str] = []
    end = 0
    for found in _CODE.finditer(text):
        # `my pin was 3941 or 1596`: what stands beside a code, as long as it is, is one too.
        beside = (
            bool(codes)
            and len(found[0]) == len(codes[-1])
            and _JOINED.fullmatch(text, end, found.start())
        )
        if not _counts_something(found[0]) and (beside or _is_told(text, found.start())):
            codes.append(found[0])
            end = found.end()
    return tuple(codes)


def _is_told(text: str, start: int) -> bool:
    """Say whether a word stands before a number, and none that joins amounts."""
    before = _BEFORE.search(text, max(0, start - NEAR), start)
    return before is not None and before[1].lower() not in _NO_CODE_FOLLOWS


def _counts_something(code: str) -> bool:
    return code.endswith(_ROUND) or _YEAR.fullmatch(code) is not None


def stands_alone(code: str, text: str) -> bool:
    """Say whether a number is a value of its own somewhere in a text: of JSON, of a cell, of an attribute."""
    at = text.find(code)
    while at >= 0:
        if _opens(text, at) and _closes(text, at + len(code)):
            return True
        at = text.find(code, at + 1)
    return False


def _opens(text: str, end: int) -> bool:
    start = end
    while start and text[start - 1].isspace():
        start -= 1
    return (start > 0 and text[start - 1] in _OPENS) or "\t" in text[start:end]


def _closes(text: str, start: int) -> bool:
    zeros = _ZEROS.match(text, start)
    end = start = start if zeros is None else zeros.end()
    while end < len(text) and text[end].isspace():
        end += 1
    between = text[start:end]
    return (end < len(text) and text[end] in _CLOSES) or "\n" in between or "\t" in between
