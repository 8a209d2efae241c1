"""User names made of an initial and a name, or of its beginning: `hchatterj43` of Hamza Chatterjee, `ayseg7` of Ayse Gül.

In: texts, and the words of an episode's names. Out: words with a number behind them, and which of them are user names. No key says what they are, and a word inside a longer one is
nowhere looked for, so that only here they show to be somebody's. Not here: user names under a key, or where programs write them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from typing import Final

from redact.bounds import NEAR, STEM

_NUMBERED: Final = re.compile(r"\d(?<=[A-Za-z]{5}.)\d{0,5}(?![^\W_])")
"""The number first: the engine jumps from digit to digit, and asks there for the letters before it."""
_LETTERS: Final = re.compile(r"(?<![^\W_])[A-Za-z]{5,24}\Z")
_NUMBER: Final = re.compile(r"\d+")


def numbered_words(text: str) -> tuple[str, ...]:
    """Return the words of a text with a number behind them, each once: all that can be such a user name."""
    found: dict[str, None] = {}
    for number in _NUMBERED.finditer(text):
        start = number.start()
        word = _LETTERS.search(text, max(0, start - NEAR), start)
        if word:
            found[word[0] + number[0]] = None
    return tuple(found)


def user_names_among(words: Iterable[str], names: Collection[str]) -> Iterator[str]:
    """Yield the words with a number behind them that are made of two of these folded words."""
    long = [name for name in names if len(name) >= STEM]
    if not long or len(names) < 2:
        return
    for numbered in dict.fromkeys(words):
        word = _NUMBER.sub("", numbered).lower()
        # The word is the beginning of a name behind an initial, or begins with a whole name: few are either.
        near = [name for name in long if name.startswith(word[1:]) or word.startswith(name)]
        if any(_is_made_of(word, name, other) for name in near for other in names):
            yield numbered


def _is_made_of(word: str, name: str, other: str) -> bool:
    """Say whether a word is the other's initial and the name or its beginning, or the name and the other's initial."""
    if name == other:
        return False
    begun = word[0] == other[0] and len(word) > STEM and name.startswith(word[1:])
    return begun or word == name + other[0]
