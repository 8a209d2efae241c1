"""Small whole numbers in words, in the languages that agents count in.

In: a folded text. Out: the text with figures in their place. One is left out: in most languages it is an article as well. What is
written with a hyphen stays (`twenty-two`, `two-factor`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from .months import MONTHS

_NAMES: Final = (
    "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty",
    "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
    "deux trois quatre cinq six sept huit neuf dix onze douze",
    "dos tres cuatro cinco seis siete ocho nueve diez once doce",
    "due tre quattro cinque sei sette otto nove dieci undici dodici",
    "dois três quatro cinco seis sete oito nove dez onze doze",
    "twee drie vier vijf zes zeven acht negen tien elf twaalf",
    "två tre fyra fem sex sju åtta nio tio elva tolv",
    "to tre fire fem seks sju åtte ni ti elleve tolv",
    "dwa trzy cztery pięć sześć siedem osiem dziewięć dziesięć jedenaście dwanaście",
)
"""One row a language, from two."""
_TAKEN: Final = frozenset(
    ["to", "ti", "ni", "sei", "sex", "once", "elf", "due", "fire", "neuf", "dos", "doze", *MONTHS]
)
"""Words that say something else in another language, or in the same one: `sept` is a month."""
_SPELT: Final = {
    word: number
    for row in _NAMES
    for number, word in enumerate(row.split(), 2)
    if word not in _TAKEN
} | {"zero": 0, "none": 0}
"""Each word with its number."""
_LARGER: Final = frozenset([
    "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety", "hundred", "thousand", "million", "billion",
    "dozen", "half", "vingt", "trente", "quarante", "cinquante", "soixante", "mille", "mil", "veinte", "treinta",
    "cien", "ciento", "hundert", "tausend",
])  # fmt: skip
"""Words of larger numbers: what stands beside one is a part of it."""
_JOINS: Final = frozenset(["and", "y", "et", "und", "e"])
_WORDS: Final = "|".join(map(re.escape, _SPELT))
_WORD: Final = re.compile(rf"(?<![\w-])(?:{_WORDS})(?![\w-])")
_NEAR: Final = 40
"""Characters in which the words beside one stand."""


def in_figures(text: str) -> str:
    """The text with small numbers in figures; a part of a larger one stays (`two hundred and ten`, `twenty five`)."""
    return _WORD.sub(_figure, text)


def _figure(found: re.Match[str]) -> str:
    text, start, end = found.string, found.start(), found.end()
    before, behind = text[max(0, start - _NEAR) : start], text[end : end + _NEAR]
    is_part = _is_larger(before.split()[::-1], before[-1:]) or _is_larger(
        behind.split(), behind[:1]
    )
    return found[0] if is_part else str(_SPELT[found[0]])


def _is_larger(words: Sequence[str], between: str) -> bool:
    """Whether the words that go on from a number, the nearest first, make it a larger one."""
    near = [word.strip(".,;:!?") for word in words[:2]]
    if between != " " or not near:
        return False
    if near[0] in _JOINS:
        return near[-1] in _LARGER
    return near[0] in _LARGER or near[0] in _SPELT
