"""User names made of an initial and a name, or of its beginning: `hchatterj43` of Hamza Chatterjee, `ayseg7` of Ayse Gül.

In: texts, and the words of an episode's names. Out: the user names. No key says what they are, and a word inside a longer one is
nowhere looked for, so that only here they show to be somebody's. Not here: user names under a key, or where programs write them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from typing import Final

from redact.character_classes import DIGITS, LOWER, UPPER, class_table

_FLAT: Final = class_table(b".", a=LOWER + UPPER, o=DIGITS)
_CORE: Final = re.compile(rb"aaaaao")
_TOKEN: Final = re.compile(r"(?<![^\W_])([A-Za-z]{5,24})\d{1,6}(?![^\W_])")
_BEGUN: Final = 4
"""So many letters of a name make a word with a number behind it and the right letter beside it somebody's."""


def user_names_in(texts: Iterable[str], names: Collection[str]) -> Iterator[str]:
    """Yield the words with a number behind them that are made of two of these folded words."""
    long = [name for name in names if len(name) >= _BEGUN]
    if not long or len(names) < 2:
        return
    for text in texts:
        if _CORE.search(text.encode("utf-8", "surrogatepass").translate(_FLAT)) is None:
            continue
        for token in _TOKEN.finditer(text):
            word = token[1].lower()
            if any(_is_made_of(word, name, other) for name in long for other in names):
                yield token[0]


def _is_made_of(word: str, name: str, other: str) -> bool:
    """Say whether a word is the other's initial and the name or its beginning, or the name and the other's initial."""
    if name == other:
        return False
    begun = word[0] == other[0] and len(word) > _BEGUN and name.startswith(word[1:])
    return begun or word == name + other[0]
