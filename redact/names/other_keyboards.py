"""Names as people type them on another keyboard: `Mueller` for Müller, `Soerensen` for Sørensen, and the other way round.

In: a name. Out: how else it is typed. What loses its marks (`Muller`) folds to the same word and is not among them.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from redact.bounds import STEM

_PAIRS: Final = {
    ord(letter): pair
    for letter, pair in {
        "\u00fc": "ue", "\u00f6": "oe", "\u00e4": "ae", "\u00f8": "oe", "\u00e5": "aa",
        "\u00dc": "Ue", "\u00d6": "Oe", "\u00c4": "Ae", "\u00d8": "Oe", "\u00c5": "Aa",
    }.items()
}  # fmt: skip
_LETTERS: Final = (("ue", "\u00fc"), ("oe", "\u00f6"), ("ae", "\u00e4"), ("aa", "\u00e5"))


@lru_cache(maxsize=65_536)
def typed_otherwise(name: str) -> tuple[str, ...]:
    """Return the name with two letters for each that another keyboard lacks, and with one for such two."""
    if not name.isascii():
        pairs = name.translate(_PAIRS)
        return () if pairs == name else (pairs,)
    return tuple(
        dict.fromkeys(
            " ".join(_with_marks(word, pair, letter) for word in name.split())
            for pair, letter in _LETTERS
            if any(pair in word.casefold()[1:] and len(word) >= STEM for word in name.split())
        )
    )


def _with_marks(word: str, pair: str, letter: str) -> str:
    if len(word) < STEM:
        return word
    return word[0] + word[1:].replace(pair, letter).replace(pair.upper(), letter.upper())
