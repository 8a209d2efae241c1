"""Words of text without blanks: what a segmenter of its language makes of Chinese and Japanese, in one form for both.

In: a text. Out: its `Segment`s in order, each with its place and what part of speech it is. A text with kana is Japanese, other Han text
Chinese. Of other scripts without blanks (Thai, Khmer, Burmese) and of Korean nobody reads words here, and `is_read` says so. Judges nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from redact.bounds import AT_ONCE, PARTS
from redact.fold import fold_value
from redact.values.chinese import words_in_chinese
from redact.values.japanese import words_in_japanese
from redact.values.scripts import is_unspaced

Kind = Literal["surname", "given", "name", "place", "number", "noun", "other"]
"""What a segment is: parts of a person's name, a place, a number with its unit, a noun, or anything else."""
_RUN: Final = re.compile(
    "[\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+"
)
_KANA: Final = re.compile("[\u3041-\u3096\u30a1-\u30fa]")
_MARKS: Final = str.maketrans(
    "\uff0c。、\uff1b\uff1a\uff01\uff1f\uff08\uff09「」【】", ',.,;:!?()""[]'
)


class Segment(NamedTuple):
    """One word."""

    text: str
    start: int
    """Of the text."""
    kind: str
    """A `Kind`."""

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.start + len(self.text)


def is_read(text: str) -> bool:
    """Say whether words of all scripts of a text are told apart: by blanks, or by a segmenter."""
    return text.isascii() or not any(map(is_unspaced, _RUN.sub("", text)))


def is_japanese(text: str) -> bool:
    """Say whether a text holds kana."""
    return _KANA.search(text) is not None


@lru_cache(maxsize=20_000)
def segments(text: str) -> tuple[Segment, ...]:
    """Return the words of a text's Chinese or Japanese; what is between them belongs to none."""
    words = words_in_japanese if is_japanese(text) else words_in_chinese
    found: list[Segment] = []
    for run in _RUN.finditer(text):
        for begin in range(run.start(), run.end(), AT_ONCE):
            start = begin
            for word, kind in words(text[begin : min(run.end(), begin + AT_ONCE)]):
                found.append(Segment(word, start, kind))
                start += len(word)
    return tuple(found)


def words_apart(text: str) -> str:
    """Return a text with a blank on either side of each word of such a script, and with marks as other scripts write them."""
    if text.isascii() or not _RUN.search(text):
        return text
    parts: list[str] = []
    end = 0
    for word in segments(text):
        parts += (text[end : word.start], " ", word.text, " ")
        end = word.end
    return "".join([*parts, text[end:]]).translate(_MARKS).replace("  ", " ")


def without_words(text: str) -> str:
    """Return a text of the same length in which nothing of such a script is left."""
    return text if text.isascii() else _RUN.sub(lambda run: "\x00" * len(run[0]), text)


def is_sentence(text: str) -> bool:
    """Say whether a text of such a script has more words than a name or a label has."""
    return not text.isascii() and len(segments(text)) > PARTS


_PARTS: Final = re.compile(r"[^\W\d_]+")


def words_told(text: str) -> frozenset[str]:
    """Return the words of a text as they are written."""
    return frozenset(_PARTS.findall(words_apart(text)))


def told_words(text: str) -> Iterator[str]:
    """Yield the folded words of a text."""
    return (
        map(fold_value, set(_PARTS.findall(words_apart(text))))
        if not text.isascii()
        else iter(set(_PARTS.findall(text.lower())))
    )


def path_words(path: str) -> Iterator[str]:
    """Yield the folded words of keys, of `lockStatus` both."""
    return map(fold_value, dict.fromkeys(_CASED.findall(path)))


_CASED: Final = re.compile(r"[A-Z]+(?![^\W\d_A-Z])|[^\W\d_][^\W\d_A-Z]*")


def small_words(said: Iterable[str]) -> Iterator[str]:
    """Yield the folded words that are written small."""
    small = [word for word in said if word.islower() and word.isalpha()]
    return (word if word.isascii() else fold_value(word) for word in small)
