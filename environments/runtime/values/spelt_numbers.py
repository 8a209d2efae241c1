"""Small whole numbers in words, in the languages that agents count in.

In: a folded text. Out: the text with figures in their place. One is left out: in most languages it is an article as well. What is
written with a hyphen stays (`twenty-two`, `two-factor`).
"""

from __future__ import annotations

import re
from typing import Final

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
_TAKEN: Final = frozenset(["to", "ti", "ni", "sei", "sex", "once", "elf", "due", "fire", "neuf"])
"""Words that say something else in another language, or in the same one."""
_SPELT: Final = {
    word: number
    for row in _NAMES
    for number, word in enumerate(row.split(), 2)
    if word not in _TAKEN
} | {"zero": 0, "none": 0}
"""Each word with its number."""
_WORDS: Final = "|".join(map(re.escape, _SPELT))
_WORD: Final = re.compile(rf"(?<![\w-])(?:{_WORDS})(?![\w-])")


def in_figures(text: str) -> str:
    """The text with small numbers in figures."""
    return _WORD.sub(lambda found: str(_SPELT[found[0]]), text)
