"""Address lines in Chinese and Japanese prose, which no blank or capital sets apart from the words before them.

In: a text. Out: the lines, from the largest region that is said to the number of the house, the flat and the room, and besides what of each stands
behind its regions. A line ends with numbers as only addresses have them; it begins where the words before are no part of a place's name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from redact.bounds import ENOUGH
from redact.lists.word_lists import word_list
from redact.values.segments import Segment, is_japanese, segments

_UNIT: Final = r"(?:号楼|号|號|弄|幢|栋|棟|座|楼|樓|室|单元|單元|门|层|層|巷)"
_NUMBER: Final = r"(?:[0-9\uff10-\uff19]{1,5}(?:[-\uff0d之][0-9]{1,4})?[A-Za-z]?|[A-Za-z]|[一二三四五六七八九十百]{1,4})"
_CHINESE: Final = re.compile(
    rf"(?<=[路街道巷弄里村苑园園寓庄坊组段城湾营屯院区區])(?:{_NUMBER}{_UNIT}){{1,5}}(?:{_NUMBER}(?![\w.-]))?"
)
_HYPHEN: Final = "[-\uff0d\u2212\u2010ー]"
_JAPANESE: Final = re.compile(
    r"(?:[0-9\uff10-\uff19]{1,3}|[一二三四五六七八九十]{1,3})丁目(?:[0-9\uff10-\uff19]{1,4}(?:番地?|号|"
    + _HYPHEN
    + r")?){0,3}"
    rf"|[0-9\uff10-\uff19]{{1,4}}番地?(?:の?[0-9\uff10-\uff19]{{1,4}}(?:号|{_HYPHEN}[0-9\uff10-\uff19]{{1,4}})?)?"
    rf"|[0-9\uff10-\uff19]{{1,4}}(?:{_HYPHEN}[0-9\uff10-\uff19]{{1,4}}){{1,3}}(?![0-9\uff10-\uff19])"
)
_ROOM: Final = re.compile(
    r"[ \u3000]?[\u30a0-\u30ff\u4e00-\u9fffA-Za-z]{1,12}[0-9\uff10-\uff19]{1,4}号?室?(?![0-9\uff10-\uff19])"
)
_REGIONS: Final = ("省", "市", "区", "區", "县", "縣", "都", "道", "府", "県", "郡", "州")
_OF_PLACES: Final = frozenset({"place", "noun", "name", "surname", "given"})
_NO_STREET: Final = word_list("no_given_chinese")


def addresses_without_blanks(text: str) -> Iterator[str]:
    """Yield the address lines of a text, and of each the part behind its regions."""
    if text.isascii():
        return
    japanese = is_japanese(text)
    words: Sequence[Segment] | None = None
    for found in (_JAPANESE if japanese else _CHINESE).finditer(text):
        words = segments(text) if words is None else words
        head = _words_before(words, found.start(), japanese=japanese)
        if not head or (japanese and not _is_place(head, found[0])):
            continue
        room = _ROOM.match(text, found.end()) if japanese else None
        end = room.end() if room else found.end()
        yield text[head[0].start : end]
        own = next((word for word in head if not _is_region(word)), None)
        if own is not None and own is not head[0]:
            yield text[own.start : end]


def _words_before(words: Sequence[Segment], start: int, *, japanese: bool) -> list[Segment]:
    """Return the words that stand at once before a place in the text and may be of a place's name, in order."""
    head: list[Segment] = []
    for word in reversed(words):
        if word.start >= start:
            continue
        if word.end != start or len(head) >= ENOUGH or not _may_name(word, japanese=japanese):
            break
        head.append(word)
        start = word.start
    return head[::-1]


def _may_name(word: Segment, *, japanese: bool) -> bool:
    if word.kind in _OF_PLACES:
        return True
    return not japanese and len(word.text) == 1 and word.text not in _NO_STREET


def _is_place(head: Sequence[Segment], numbers: str) -> bool:
    return "丁目" in numbers or any(word.kind == "place" for word in head)


def _is_region(word: Segment) -> bool:
    return word.kind == "place" and word.text.endswith(_REGIONS)
