"""Which of the slow searches a text can possibly need, by one walk of an automaton over its bytes.

In: a text. Out: `Needs`: the recognizers that could find something, and one flag per other search. Exact in one direction: a search that would
find something is never switched off (a property test runs both ways); most texts need none of them. Finds nothing itself.

RE2 looks for what every search asks for at once, in 1.3 µs a text; asking one by one took ten times as long. It is the only
file that imports re2. Its patterns read UTF-8 as bytes: `¤` stands for the bytes beyond ASCII, which may be letters.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import re2

from redact.names.prose_names import CLOSINGS, KIN, TOLD_LAST
from redact.recognizers.registry import (
    RECOGNIZERS,
    SPACES,
    UNCAPITALISED,
    Recognizer,
    foreign,
)
from redact.recognizers.spoken_forms import NUMERALS


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    """The searches that a text needs; few combinations occur, so that one is made for each of them."""

    recognizers: tuple[Recognizer, ...] = RECOGNIZERS
    """Those of whose values a text shows the cue."""
    told: bool = True
    """A capital after a word that introduces people."""
    uncapitalised: bool = True
    """Letters of a script whose names begin with no capital."""
    tokens: bool = True
    """Three digits near each other."""
    days: bool = True
    """A year beside a mark, or before a month in digits."""
    numbered: bool = True
    """A letter with a digit behind it."""
    codes: bool = True
    """Four digits behind a word."""
    said: bool = True
    """An e-mail address or a number in words."""
    drawn: bool = True
    """Perhaps a key or a token, in which digits are few."""
    digits: bool = True
    """Perhaps digits of other scripts."""

    @property
    def is_nothing(self) -> bool:
        """Whether a message needs no search at all but for listed names."""
        others = self.tokens or self.drawn or self.days or self.numbered or self.said
        return not (self.recognizers or others or self.told or self.uncapitalised)


EVERYTHING: Final = Needs()
"""What an unfiltered search assumes."""

_FOREIGN: Final = re.compile(r"[^\x00-\x7f]")
_TOLD: Final = "|".join(
    re.escape(word) for word in sorted(TOLD_LAST | KIN | CLOSINGS) if word.isascii()
)
_NUMERALS: Final = "|".join(map(foreign, NUMERALS))
_SIGN: Final = r"(?:[^0-9\x80-\xff]|[\xc0-\xff][\x80-\xbf]*)"
"""One character that is no digit."""
_PATTERNS: Final[Mapping[str, str]] = {
    # A word is read in a window of fourteen characters: what begins before it is cut, and may be a longer word's end. A word with
    # a letter beyond ASCII may be any of them.
    "told": rf"(?:^|[{SPACES},:.])(?i:{_TOLD})[,:.]*[{SPACES}]*[A-Z¤]|(?i:{_TOLD})[{SPACES},:.]{{4,}}[A-Z¤]"
    rf"|(?:[¤][A-Za-z]+|[\xc2-\xdf][¤])[{SPACES},:.]*[A-Z¤]",
    "uncapitalised": UNCAPITALISED,
    "tokens": rf"\d{_SIGN}{{0,2}}\d{_SIGN}{{0,2}}\d",
    "days": r"[ ./,-](?:19|20)\d\d|(?:19|20)\d\d(?:[-/.]|, |[01])\d",
    "numbered": "[A-Za-z][0-9]",  # five letters would be more states than the search costs
    "codes": r"[A-Za-z¤][ :#*=]{1,3}[0-9]{4}|[\xe3-\xe9][\x80-\xbf][\x80-\xbf][0-9]{4}",
    "said": r"(?i: dot |[(\[](?:dot|at)[)\]])| @ |"
    rf"(?i:{_NUMERALS})[ ,.-]{{1,3}}(?i:{_NUMERALS})[ ,.-]",
    "drawn": r"[0-9A-Za-z_-]{20}",
    "digits": r"[\xc2\xd8-\xdf\xe0\xe1\xe3-\xff]|\xe2(?:[^\x80\x82]|\x82[^\xac])",
}


def needs_of(text: str) -> Needs:
    """Return the searches that could find something in a text."""
    if text.isascii():
        return _needs(tuple(_looks().Match(text.encode("ascii")) or ()))
    needs = _needs(tuple(_looks().Match(text.encode("utf-8", "surrogatepass")) or ()))
    if needs.digits and any(letter.isdigit() for letter in _FOREIGN.findall(text)):
        return EVERYTHING  # digits of other scripts are digits to every search
    return needs


@lru_cache(maxsize=4_096)
def _needs(seen: tuple[int, ...]) -> Needs:
    first = len(RECOGNIZERS)
    flags = {name: first + place in seen for place, name in enumerate(_PATTERNS)}
    asked = tuple([one for place, one in enumerate(RECOGNIZERS) if place in seen])
    return Needs(recognizers=asked, **flags)


@lru_cache(maxsize=1)
def _looks() -> re2.Set:
    """Return all patterns as one automaton."""
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.never_capture = True
    options.max_mem = 64 * 2**20  # an automaton without memory would see nothing and not say so
    looks = re2.Set.SearchSet(options)
    for pattern in (*(one.cue for one in RECOGNIZERS), *_PATTERNS.values()):
        looks.Add(pattern.replace("¤", r"\x80-\xff").encode())
    looks.Compile()
    return looks
