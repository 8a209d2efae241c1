"""Identifiers of an episode as people spell them out: `4 5 6 1 2 3` or `GM 61-83-21 B` for the `GM618321B` of a record.

In: the values that an episode's texts revealed, and its messages. Out: the mentions. Without the value nobody could tell that a few
letters and digits with gaps are somebody's; what is long enough to show by itself is `redact.values.free_ids`'.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from redact.bounds import LONG, LONGEST_VALUE, SEVERAL, STEM
from redact.kinds import KINDS
from redact.readers.documents import FoundValue
from redact.values.free_ids import is_time_or_amount

_FAMILIES: Final = frozenset({"identifier", "opaque", "phone", "card", "iban", "ssn"})
_KINDS: Final = frozenset(name for name, kind in KINDS.items() if kind.family in _FAMILIES)
_GAP: Final = " -.,/()_"
_GAPS: Final = _GAP.encode()
_NO_DIGITS: Final = bytes(code for code in range(256) if chr(code) not in "0123456789")
_PLAIN: Final = re.compile(r"[^\W_]")
_RUN: Final = re.compile(r"\d{6,}")
_END: Final = "\x00"


def respelt_in(
    texts: Iterable[str], found: Iterable[FoundValue], tokens: Iterable[str] = ()
) -> Iterator[tuple[str, str]]:
    """Yield (mention, kind) of the episode's identifiers that stand in a text with gaps; of `tokens` all of it must."""
    known: dict[_Sought, str] = {}
    for token in tokens:
        known.update(dict.fromkeys(_sought(token)[:1], "opaque_id"))
    for item in found:
        if item.kind in _KINDS:
            for sought in _sought(item.value):
                known.setdefault(sought, item.kind)
    if not known:
        return
    text = _END.join(texts)  # one look for all of an episode's messages
    raw = text.encode("utf-8", "surrogatepass").lower()
    shown = raw.translate(None, _NO_DIGITS)
    gapless = None
    for sought, kind in known.items():
        if sought.digits not in shown:
            continue
        gapless = raw.translate(None, _GAPS) if gapless is None else gapless
        if _has_gaps(sought, raw, gapless):
            mentions = _mentions(text, sought.plain.decode())
            yield from ((mention, kind) for mention in mentions if not _is_time(mention))


def _is_time(mention: str) -> bool:
    """Say whether a mention is a day or a month, in which the name of a file may end: `Review_2024-11`."""
    return is_time_or_amount(mention) or _MONTH.fullmatch(mention) is not None


_MONTH: Final = re.compile(r"(?:19|20)\d\d[-./_ ](?:0?[1-9]|1[0-2])")


class _Sought(NamedTuple):
    """One way to say an identifier."""

    digits: bytes
    """By which most episodes show at a look that it does not stand there."""
    plain: bytes
    """Without gaps, in small letters."""
    written: bytes
    """As its record has it, where that has gaps too; else empty."""


@lru_cache(maxsize=65_536)
def _sought(value: str) -> tuple[_Sought, ...]:
    """Return an identifier's letters and digits, and its long runs of digits: the prefix is often not said."""
    compact = "".join(_PLAIN.findall(value)).lower()
    if not compact.isascii():
        return ()
    written = value.lower().encode("utf-8", "surrogatepass") if len(compact) < len(value) else b""
    return tuple(
        _Sought(plain.translate(None, _NO_DIGITS), plain, written if part == compact else b"")
        for part in dict.fromkeys((compact, *_RUN.findall(compact)))
        for plain in (part.encode(),)
        if (LONG <= len(part) <= LONGEST_VALUE or _is_short(part)) and _is_telling(part)
    )


def _has_gaps(sought: _Sought, raw: bytes, gapless: bytes) -> bool:
    """Say whether an identifier stands in a text with other gaps than its record has: most stand there as they are, and only so."""
    said = gapless.count(sought.plain)
    return said > raw.count(sought.written or sought.plain)


def _is_short(part: str) -> bool:
    """Say whether a text is four or five digits, the end of a number that somebody says in two halves; or six signs, as on a plate."""
    return STEM <= len(part) < LONG and (part.isdecimal() or len(part) == LONG - 1)


def _is_telling(part: str) -> bool:
    """Say whether a text has digits enough to be found by; between letters, as on a number plate, fewer are."""
    digits = sum(map(str.isdigit, part))
    return digits >= STEM or (digits >= SEVERAL and len(part) > digits + 1)


def _mentions(text: str, compact: str) -> Iterator[str]:
    """Yield what of a text is an identifier but for gaps, each a few signs wide, between its letters and digits."""
    places = [place for place, letter in enumerate(text) if letter not in _GAP]
    lower = text.lower()
    if len(lower) != len(text):  # some letters have two in small
        lower = "".join([letter.lower()[:1] for letter in text])
    plain = "".join([lower[place] for place in places])
    size = len(compact)
    first = plain.find(compact)
    while first >= 0:
        held = places[first : first + size]
        start, end = held[0], held[-1] + 1
        alone = not text[start - 1 : start].isalnum() and not text[end : end + 1].isalnum()
        wide = max(two - one for one, two in pairwise(held))
        if alone and wide <= STEM:
            yield text[start:end]
        first = plain.find(compact, first + 1)
