"""Names that stand beside an e-mail address made of them: `Xiomara Quispe <xiomara.quispe81@mail.example>`.

In: a text and an address in it. Out: the names. No list of names is asked: the address says that the two words are
somebody's, in prose as in a record whose keys nobody knows (`{"host": "Xiomara Quispe", "hostMail": ...}`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from redact.bounds import LONGEST_LINE, STEM
from redact.fold import fold_value
from redact.lists.gazetteer import ORDINARY
from redact.lists.word_lists import ID_WORDS, word_list

_WORD: Final = re.compile(r"[^\W\d_]+(?:['\u2019\-][^\W\d_]+)*")
_GAP: Final = re.compile(r",? (?:[^\W\d_]{1,2}\. )?")
_LETTER: Final = re.compile(r"[^\W\d_]")
_PLAIN: Final = word_list("desks") | ID_WORDS | ORDINARY
"""Words of which the addresses of desks are made: `Customer Care <customer.care@...>`."""


def names_beside(text: str, address: str) -> Iterator[str]:
    """Yield names of two words near an address whose letters before the `@` they make, in either order."""
    letters = _letters(address.partition("@")[0])
    if len(letters) < STEM:
        return
    start = text.find(address)
    while start >= 0:
        end = start + len(address)
        for near in (text[max(0, start - LONGEST_LINE) : start], text[end : end + LONGEST_LINE]):
            yield from _names_near(near, letters)
        start = text.find(address, end)


def _names_near(near: str, letters: str) -> Iterator[str]:
    words = list(_WORD.finditer(near))
    for one, two in pairwise(words):
        name = near[one.start() : two.end()]
        if not _GAP.fullmatch(near[one.end() : two.start()]):
            continue
        first, second = _letters(one[0]), _letters(two[0])
        if min(len(first), len(second)) < 2 or {first, second} <= _PLAIN:
            continue
        if letters in (first + second, first[0] + second, first + second[0]):
            yield name.replace(",", "")
        elif letters in (second + first, second[0] + first, second + first[0]):
            yield f"{two[0]} {one[0]}"


def _letters(word: str) -> str:
    return "".join(_LETTER.findall(fold_value(word)))
