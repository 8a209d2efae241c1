"""Invented names: a number becomes a pronounceable word, and no two numbers the same word.

In: a keyed permutation and a real word. Out: an invented word. Casing and separators are the caller's.

Words are (onset vowel)+ coda. Every onset is consonants only and every vowel one vowel, so a word can be read back in
exactly one way: distinct numbers give distinct words. Names of up to six letters are therefore mapped injectively
without any table; longer ones and other alphabets go through a digest (2e11 words), where the vault settles the one
collision that ten thousand long names have with probability 0.00025. Real name lists are not used as surrogates: a
real name drawn for one customer is another customer's name, and neither a reader nor the leak check could tell.
"""

from __future__ import annotations

import re
from typing import Final

from redact.values.permutations import KeyedDigest

ONSETS: Final = tuple(re.findall(r"\w+", "b br d dr f g gr h j k l m n p r s sh st t tr v w y z"))
VOWELS: Final = tuple("aeiou")
CODAS: Final = ("", "n", "r", "l", "s", "m", "t", "k")
UNIT: Final = len(ONSETS) * len(VOWELS)

EXACT: Final = ((3, 2), (5, 3), (6, 4))
"""Words of up to so many letters a-z become exactly so many syllables."""
HASHED_SYLLABLES: Final = 5


def word_size(syllables: int) -> int:
    """Return how many words have that many syllables."""
    return int(UNIT**syllables) * len(CODAS)


def spell(number: int, syllables: int) -> str:
    """Return the word of a number in [0, word_size(syllables))."""
    number, last = divmod(number, len(CODAS))
    parts = [CODAS[last]]
    for _ in range(syllables):
        number, unit = divmod(number, UNIT)
        onset, vowel = divmod(unit, len(VOWELS))
        parts.append(ONSETS[onset] + VOWELS[vowel])
    return "".join(reversed(parts))


def invent(keyed: KeyedDigest, word: str, attempt: int = 0) -> str:
    """Return the invented word for a folded word of at least two letters; `attempt` > 0 is the next free one."""
    tweak = f"word{attempt or ''}"
    if word.isascii() and word.isalpha():
        for letters, syllables in EXACT:
            if len(word) <= letters:
                return spell(keyed.move(_rank(word), word_size(syllables), tweak), syllables)
    return spell(keyed.number(word_size(HASHED_SYLLABLES), tweak, word), HASHED_SYLLABLES)


def _rank(word: str) -> int:
    """Return the place of a word among all shorter and equally long words a-z."""
    place = 0
    for letter in word:
        place = place * 26 + ord(letter) - 97
    shorter = sum(int(26**length) for length in range(1, len(word)))
    return place + shorter
