"""Scripts written without spaces between words, in which nothing shows where a name ends, and signs inside words of others.

In: a character. Out: whether words of its script stand side by side without a gap, or take particles at their end: Han, Kana,
Hangul (as NFKD leaves it too), Thai, Lao, Burmese, Khmer.
"""

from __future__ import annotations

from typing import Final

_RANGES: Final = (
    (0x0E00, 0x0EFF),
    (0x1000, 0x109F),
    (0x1100, 0x11FF),
    (0x1780, 0x17FF),
    (0x3005, 0x3007),
    (0x3040, 0x30FF),
    (0x31F0, 0x31FF),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xAC00, 0xD7A3),
    (0xF900, 0xFAFF),
    (0x20000, 0x3134F),
)
SIGNS: Final = (
    "\u0300-\u036f\u064b-\u065f\u0900-\u0dff\u0e31-\u0e4e\u0eb1-\u0ece\u102b-\u103e\u17b4-\u17d3"
)
"""For a class of characters: vowel signs and marks, which stand inside words of Indian and other scripts and are no letters to `re`."""
FIRST: Final = chr(_RANGES[0][0])
"""No such character comes before this one."""


def is_unspaced(letter: str) -> bool:
    """Say whether a character belongs to such a script."""
    if letter < FIRST:
        return False
    code = ord(letter)
    return any(first <= code <= last for first, last in _RANGES)


def is_word(text: str) -> bool:
    """Say whether letters are a word and no initial: of such a script one is a whole surname (\u738b)."""
    return len(text) > 1 or is_unspaced(text)


def without_gaps(value: str) -> str | None:
    """Return a value of several words as it also stands in such a script, None where it has one spelling only."""
    if " " not in value or not any(map(is_unspaced, value)):
        return None
    gapless = value.replace(" ", "")
    return gapless if all(map(is_unspaced, gapless)) else None
