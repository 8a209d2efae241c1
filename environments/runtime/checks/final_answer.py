r"""The final answer of an attempt: which of its words count as the answer to the question.

In: the view of an attempt. Out: the policy's turns, last first, and of a turn the part that it marks as its answer in one of the
ways that public benchmarks read (`FINAL ANSWER: x`, `#### x`, `\boxed{x}`, `<answer>x</answer>`, "the answer is x"), else all of it.
Not here: whether the answer is right (`answer`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from ..values.facts import folded
from ..values.mentions import fields_in
from .view import View, text_of

AMONG_OTHERS: Final = "the right one stands among others"
ANOTHER: Final = "the final answer gives another one, or none"
"""Why an answer is not the right one."""
LONGEST: Final = 20_000
"""Characters of a turn that are read, from its end: whoever needs more does not say a final answer."""
SHORT_TURN: Final = 25
"""Words of a turn that may follow the answer after another turn of the user: a farewell."""
MOST_BOXES: Final = 16
COPIED: Final = 20
"""Characters from which a line that the user or the prompt said first counts as copied."""

_LINE_MARKS: Final = re.compile(
    r"(?:^|(?<=[\s.>]))(?:(?:my |the )?final answer(?: is)?|answer|最终答案(?:是|为)?|答案(?:是|为)?|答え|最終回答)\s?[:：=]\s?"  # noqa: RUF001 - a full-width mark
    r"|(?:^|\n)\s*####\s?"
)
_WORD_MARKS: Final = re.compile(r"\b(?:final |correct )?answer is(?: that)?\b[:\s]?|答案(?:是|为)")
_TAGGED: Final = re.compile(r"<(final_answer|answer)>(.*?)</\1>", re.DOTALL)
_BOXED: Final = re.compile(r"\\(?:boxed|fbox)\s*\{")
_MATHS: Final = re.compile(
    r"\\(?:text|mathrm|mathbf)\s*\{([^{}]*)\}|\\[,!;() \[\]]|\$(?=\D|$)|\\(?=[$%])"
)
_SENTENCE_END: Final = re.compile(r"(?<=[^\d\s.][.!?])\s+|(?<=\d[.!?])\s+(?=\D)|(?<=[。！？])|\n+")  # noqa: RUF001 - full-width marks
_CHINESE: Final = r"\u3005-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af\u0e00-\u0eff"
_TOKEN: Final = re.compile(
    rf"\d+(?:(?:[.:/]|,(?=\d{{3}}(?!\d)))\d+)*|[{_CHINESE}]|[^\W\d{_CHINESE}]+", re.UNICODE
)
_ARTICLES: Final = frozenset({"a", "an", "the"})


@dataclass(frozen=True, slots=True)
class Stated:
    """The part of a turn that counts as its answer."""

    text: str
    """Folded."""
    marked: bool
    after: str = ""
    """What the turn says after a marked answer."""


def turns_of(view: View, tools: Collection[str] = ()) -> list[str]:
    """The policy's turns, last first: all that the user saw between two of their own messages.

    The arguments of a last call of one of `tools`, which end the conversation, are a turn of their own: some agents answer by a call.
    """
    turns: list[list[str]] = [[]]
    for message in view.attempt.messages[view.attempt.opening :]:
        if message.get("role") == "user":
            turns.append([])
        elif message.get("role") == "assistant" and not message.get("tool_calls"):
            turns[-1].append(text_of(message))
    last = view.own_calls[-1] if view.own_calls else None
    if last is not None and last.name in tools:
        fields = fields_in(dict(last.arguments))
        turns.append([str(value) for _, value in fields if isinstance(value, str | int | float)])
    texts = ("\n".join(parts).strip()[-LONGEST:] for parts in turns)
    return [text for text in texts if text][::-1]


def stated(turn: str, heard: str) -> Stated:
    """The part of a turn that counts: what it marks last, else its lines that are not copied from `heard` (folded)."""
    text = folded(turn)
    marks = [*_tagged(text), *_boxed(text), *_lines(text)] or list(_announced_answers(text))
    if marks:
        _, answer, end = max(marks)
        if answer.strip():
            return Stated(_MATHS.sub(r"\1", answer).strip(), marked=True, after=text[end:])
    lines = (line for line in text.splitlines() if len(line) < COPIED or line.strip() not in heard)
    return Stated("\n".join(lines).strip(), marked=False)


Mark = tuple[int, str, int]
"""Where a mark stands, what it marks, where that ends."""


def _tagged(text: str) -> Iterator[Mark]:
    for match in _TAGGED.finditer(text):
        yield match.start(), match[2], match.end()


def _boxed(text: str) -> Iterator[Mark]:
    # Only the last ones can be the answer; who opens thousands closes none.
    for match in list(_BOXED.finditer(text))[-MOST_BOXES:]:
        depth, end = 1, match.end()
        while end < len(text) and depth:
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        if not depth:
            yield match.start(), text[match.end() : end - 1], end


def _lines(text: str) -> Iterator[Mark]:
    """What stands after a mark on its line; where nothing does, the lines below it up to an empty one."""
    for match in _LINE_MARKS.finditer(text):
        rest = text[match.end() :]
        line, _, below = rest.partition("\n")
        answer = line if line.strip() else below.strip().split("\n\n", 1)[0]
        start = text.find(answer, match.end())
        yield match.start(), answer, start + len(answer)


def _announced_answers(text: str) -> Iterator[Mark]:
    """What a sentence calls the answer."""
    for match in _WORD_MARKS.finditer(text):
        sentence = sentences(text[match.end() :])
        if sentence:
            start = text.find(sentence[0], match.end())
            yield match.start(), sentence[0], start + len(sentence[0])


def sentences(text: str) -> list[str]:
    """The sentences and lines of a text that say something."""
    return [part.strip() for part in _SENTENCE_END.split(text) if part.strip()]


@lru_cache(maxsize=512)
def tokens(text: str) -> tuple[str, ...]:
    """The words of a text as benchmarks compare them: one case, no marks, no articles; characters where words have no spaces."""
    return tuple(word for word in words_of(text) if word not in _ARTICLES)


def words_compared(text: str) -> tuple[str, ...]:
    """The same for a reference, which may be nothing but an article: the letter `A` to choose."""
    return tokens(text) or tuple(words_of(text))


def words_of(text: str) -> list[str]:
    """All words of a text, articles too."""
    return _TOKEN.findall(plain_text(text))


def places_of(plain: str) -> list[tuple[str, int, int]]:
    """The words of a plain text without articles, each with where it begins and ends there."""
    found = _TOKEN.finditer(plain)
    return [(one[0], one.start(), one.end()) for one in found if one[0] not in _ARTICLES]


def plain_text(text: str) -> str:
    """A text in one case, with blanks for the marks that stand inside of words."""
    return folded(text).replace("'", "").replace("&", " and ").replace("_", " ")
