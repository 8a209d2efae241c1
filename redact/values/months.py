"""Month names of several languages, as dates in prose write them.

In: a word. Out: which month it names, and the word for another month in the same language, length and casing.
Reads no dates: that is `redact.operators.date_shift`'s.
"""

from __future__ import annotations

from typing import Final

MONTHS: Final = 12
DAYS: Final = 31
"""In a month, at most."""
_NAMES: Final = (
    "january february march april may june july august september october november december",
    "jan feb mar apr may jun jul aug sep oct nov dec",
    "januar februar märz april mai juni juli august september oktober november dezember",
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "januari februari maart april mei juni juli augustus september oktober november december",
    "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia",
    "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
    "ocak şubat mart nisan may\u0131s haziran temmuz ağustos eylül ekim kas\u0131m aral\u0131k",
)
"""One row a language; where a word stands in several rows, the first is its language."""
_ROWS: Final = tuple(tuple(row.split()) for row in _NAMES)
_PLACES: Final = {
    word: (row, number)
    for row, words in reversed(list(enumerate(_ROWS)))
    for number, word in enumerate(words, 1)
} | {"sept": (1, 9), "may": (0, 5)}

MONTH: Final = "|".join(sorted(_PLACES, key=lambda word: (-len(word), word)))
"""The alternatives of a pattern, the longest first."""


def month_number(word: str) -> int:
    """Return which month a word of `MONTH` names, from 1 to 12; 0 for any other word."""
    return _PLACES.get(word.lower(), (0, 0))[1]


def month_like(word: str, month: int) -> str:
    """Return the name of a month in the language, length and casing of a word of `MONTH`."""
    name = _ROWS[_PLACES[word.lower()][0]][month - 1]
    if word.isupper():
        return name.upper()
    return name.capitalize() if word[:1].isupper() else name


def ordinal(day: int) -> str:
    """Return what English writes behind the number of a day: `1st`, `12th`."""
    if 10 < day < 14:
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
