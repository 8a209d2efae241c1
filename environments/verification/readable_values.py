"""What a policy can read: the texts of one run up to a moment, and whether a value can be known from them.

In: texts (the opening, tool results, the user's turns, tool definitions), then values of arguments. Out: whether each value stands
there, is spelt otherwise, is put together from what stands there, or is worked out from it by arithmetic or from dates. Values
that nobody has to be told are known without any text: small and round numbers, ordinary words. Not here: which values a task
needs (`knowable`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime
from itertools import combinations, pairwise
from math import isfinite
from typing import Final

from environments.runtime.task.attempt import Json
from environments.runtime.values.grouping import by_key
from environments.runtime.values.literals import parse_json

RUN: Final = re.compile(r"[^\W_]+")
"""Letters and digits without a break."""
DIGITS: Final = re.compile(r"\d+")
NUMBER: Final = re.compile(r"\d{1,3}(?:[,\u00a0' ]\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?")
PLAIN_NUMBER: Final = re.compile(r"[-+]?\d+(?:\.\d+)?")
YEAR_FIRST: Final = re.compile(r"(?<!\d)(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?!\d)")
YEAR_LAST: Final = re.compile(r"(?<!\d)(\d{1,2})([-/.])(\d{1,2})\2(\d{4})(?!\d)")
COMPACT: Final = re.compile(r"(?<!\d)(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?!\d)")
TIME: Final = re.compile(
    r"(?<![\d:])([01]?\d|2[0-4]):([0-5]\d)(?::([0-5]\d)(?:\.\d+)?)?(?![\d:])([zZ]|[+-]\d{2}:?\d{2})?"
)
JOINS: Final = re.compile(r"(?<=\d)[Tt](?=\d)")
"""Stands between a date and a time."""
ADDRESS: Final = re.compile(r"[^\s@]+@[^\s@]+\.[^\s@]+")

SMALL: Final = 31
"""Whole numbers up to here are counts, days and sizes that a policy chooses or counts."""
FEW_DIGITS: Final = 2
"""Digits of a piece that is no evidence by itself."""
ROUND: Final = 2
"""A number with no more digits than that before its zeros is a limit or size that a policy chooses."""
SHORTEST: Final = 5
"""Characters of a value that is searched for without regard to what stands between its letters."""
CODE_DIGITS: Final = 4
"""So many digits in one piece of a longer text make it a code."""
CHANGES: Final = 2
"""So often a code goes from letters to digits or back."""
CODE_LENGTH: Final = 6
OWN_WORDS: Final = 40
"""A text of so many words that stands nowhere is one that the policy writes itself."""
MOST_NUMBERS: Final = 300
"""Numbers that are added and multiplied with each other."""
MOST_IN_THREES: Final = 60
NEAR_DAYS: Final = 400
"""A date so near to one that was shown is worked out from it (tomorrow, in two weeks, next May)."""
CENTURIES: Final = range(1900, 2101)
SECONDS: Final = range(946_684_800, 4_102_444_800)
"""Moments in seconds since 1970 that mean a time between 2000 and 2100."""
PRECISION: Final = 6
MINUTES: Final = 5
"""Times of day that people name are on such minutes."""


class VisibleTexts:
    """What stands before a policy; grows as it reads on."""

    def __init__(self, *, now: int = 0) -> None:
        self._joined: list[str] = []
        """Letters and digits of each text; put together when somebody asks."""
        self._pieces: set[str] = set()
        self._numbers: dict[float, None] = {}
        self._worked_out: set[float] = set()
        self._dates: set[date] = set()
        self._waiting: list[str] = []
        """Folded texts whose pieces nobody asked about yet."""
        self._now = datetime.fromtimestamp(now / 1e9, UTC).date() if now > 0 else None

    def read(self, text: str) -> None:
        """Take in one text; what is JSON is read as its values."""
        parsed = parse_json(text) if text[:1] in '{["' else None
        if parsed is not None:
            self._count(parsed.value)
        texts = [text] if parsed is None else list(_texts(parsed.value))
        for one in texts:
            folded = fold(one)
            self._joined.append("".join(RUN.findall(folded)))
            self._waiting.append(folded)

    def has(self, value: str) -> bool:
        """Whether a value stands there, however it is spelt and parted."""
        plain = letters_and_digits(value)
        if not plain:
            return True
        if len(plain) < SHORTEST and plain.isascii():
            self._settle()
            return plain in self._pieces
        if len(self._joined) > 1:
            # No value holds a line break here: one search does for all texts.
            self._joined = ["\n".join(self._joined)]
        return plain in self._joined[0] if self._joined else False

    def tells(self, value: Json) -> bool:
        """Whether a policy can know a scalar: it stands there, follows from what does, or needs no source."""
        if isinstance(value, bool) or value is None:
            return True
        self._settle()
        if isinstance(value, int | float):
            return self._tells_number(value)
        return not isinstance(value, str) or self._tells_text(value)

    def _settle(self) -> None:
        """Take the pieces, numbers and dates out of what was read since the last question."""
        for folded in self._waiting:
            self._pieces.update(RUN.findall(folded))
            self._pieces.update(DIGITS.findall(folded))
            for found in NUMBER.findall(folded):
                for number in _numbers_of(found):
                    self._numbers[number] = None
            self._dates.update(_dates_in(folded))
        self._waiting.clear()

    def _count(self, value: Json) -> None:
        """The numbers of one result, and the sums and means of what it lists."""
        fields = by_key(
            (path, float(leaf))
            for path, leaf in leaves_by_path(value)
            if isinstance(leaf, int | float) and not isinstance(leaf, bool)
        )
        for numbers in fields.values():
            self._worked_out.update(map(abs, numbers))
            total = sum(numbers)
            self._worked_out |= {
                round(total, PRECISION),
                round(total / len(numbers), 2),
                round(total / len(numbers), PRECISION),
            }

    def _tells_number(self, value: float) -> bool:
        size = abs(value)
        if not isfinite(size) or size in self._worked_out:
            return True
        if size in self._numbers or round(size, PRECISION) in self._worked_out or is_free(size):
            return True
        if value == int(value):
            if int(value) in SECONDS:
                moment = datetime.fromtimestamp(int(value), UTC)
                return self._tells_date(moment.date()) and moment.second == 0
            text = str(int(size))
            if len(text) > FEW_DIGITS and any(text in piece for piece in self._pieces):
                return True
        return self._is_worked_out(size)

    def _is_worked_out(self, size: float) -> bool:
        """Whether one step of arithmetic makes it of two of the numbers read last, or a sum of three of few."""
        numbers = list(self._numbers)[-MOST_NUMBERS:]
        rounded = {round(number, places) for number in numbers for places in (2, PRECISION)}

        def stands(number: float) -> bool:
            return round(number, 2) in rounded or round(number, PRECISION) in rounded

        for one in numbers:
            if stands(size - one) or stands(size + one) or stands(one - size):
                return True
            if one and (stands(size / one) or stands(100 * size / one) or stands(size * one)):
                return True
            if one and size and (stands(one / size) or stands(size * one / 100)):
                return True
            # A share added or taken away: 120 is 100 and 20 %.
            if one and stands(abs(size - one) * 100 / one):
                return True
        few = numbers[-MOST_IN_THREES:]
        return any(stands(size - one - other) for one, other in combinations(few, 2))

    def _tells_text(self, text: str) -> bool:
        if not text.strip() or self.has(text):
            return True
        folded = fold(text)
        if PLAIN_NUMBER.fullmatch(folded) and (folded[:1] != "0" or "." in folded):
            return self._tells_number(float(folded))
        dates = all(map(self._tells_date, _dates_in(folded)))
        return (
            dates and all(map(self._tells_time, TIME.finditer(folded))) and self._tells_rest(folded)
        )

    def _tells_rest(self, folded: str) -> bool:
        """Whether what stands beside dates and times is told."""
        rest = JOINS.sub(" ", folded)
        for written in (TIME, YEAR_FIRST, YEAR_LAST, COMPACT):
            rest = written.sub(" ", rest)
        if ADDRESS.fullmatch(rest) and not all(map(self._has_piece, RUN.findall(rest))):
            return False
        words = len(rest.split())
        if words >= OWN_WORDS:
            return True
        if words != 1:
            rest = NUMBER.sub(self._kept_number, rest)
        return all(map(self._has_piece, pieces_told(rest, alone=words == 1)))

    def _kept_number(self, found: re.Match[str]) -> str:
        """A number of a text, without those that are known as numbers."""
        known = any(map(self._tells_number, _numbers_of(found[0])))
        return " " if known else found[0]

    def _has_piece(self, piece: str) -> bool:
        """Whether a piece stands there, or is part of one that does (the last digits of a card)."""
        return piece in self._pieces or (
            len(piece) > FEW_DIGITS and any(piece in one for one in self._pieces)
        )

    def _tells_date(self, day: date) -> bool:
        if day in self._dates:
            return True
        if any(abs((day - one).days) <= NEAR_DAYS for one in self._dates):
            return True
        years = {str(day.year), str(day.year)[2:]}
        said = str(day.day) in self._pieces or any(
            piece.startswith(str(day.day)) and not piece[len(str(day.day)) :].isdecimal()
            for piece in self._pieces
            if piece[:1].isdecimal()
        )
        near = self._now is not None and abs(self._now.year - day.year) <= 1
        return said and (near or bool(years & self._pieces))

    def _tells_time(self, found: re.Match[str]) -> bool:
        _, minute, second, _ = found.groups()
        if second not in {None, "00", "59"}:
            return False
        return int(minute) % MINUTES == 0 or minute == "59" or minute in self._pieces


def fold(text: str) -> str:
    """The text without case, in one spelling of every character, digits of any script as 0 to 9."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    if plain.isascii():
        return plain
    return "".join(str(unicodedata.digit(c)) if c.isdigit() else c for c in plain)


def letters_and_digits(text: str) -> str:
    """Letters and digits only: `A-12 b` and `a12B` are one spelling."""
    return "".join(RUN.findall(fold(text)))


def pieces_told(folded: str, *, alone: bool) -> Iterator[str]:
    """The pieces of a text that somebody has to tell: of a value that stands alone all with digits, of prose the codes."""
    for piece in RUN.findall(folded):
        digits = sum(map(str.isdecimal, piece))
        if not digits or _is_count(piece):
            continue
        if is_code(piece) or (alone and digits > FEW_DIGITS):
            yield piece


def is_code(piece: str) -> bool:
    """Whether letters and digits are an id rather than a word: many digits, or letters and digits in turns."""
    digits = sum(map(str.isdecimal, piece))
    if digits >= CODE_DIGITS:
        return not _is_count(piece)
    turns = sum(one.isdecimal() != other.isdecimal() for one, other in pairwise(piece))
    return len(piece) >= CODE_LENGTH and turns >= CHANGES


def _is_count(piece: str) -> bool:
    """Whether a piece is a small number or a year."""
    if not piece.isdecimal() or len(piece) > CODE_DIGITS:
        return False
    return int(piece) <= SMALL or int(piece) in CENTURIES


def is_opaque(value: str) -> bool:
    """Whether a text as a whole is an id or a token that nobody could think of: one word with a code in it."""
    folded = fold(value)
    return len(folded.split()) == 1 and any(map(is_code, RUN.findall(folded)))


def is_free(size: float) -> bool:
    """Whether a number needs no source: small, round, or a year."""
    if size != int(size):
        return size < 1 and round(size, 2) == size
    whole = int(size)
    return whole <= SMALL or whole in CENTURIES or len(str(whole).rstrip("0")) <= ROUND


def _numbers_of(text: str) -> Iterable[float]:
    """A number as written; where blanks or commas part it, its parts too: they may be several."""
    parts = re.split(r"[,\u00a0' ]", text)
    yield float("".join(parts))
    if len(parts) > 1:
        yield from map(float, parts)


def _dates_in(text: str) -> Iterator[date]:
    for year, _, month, day in YEAR_FIRST.findall(text):
        yield from _date(year, month, day)
    for one, _, other, year in YEAR_LAST.findall(text):
        yield from _date(year, one, other)
        yield from _date(year, other, one)
    for found in COMPACT.findall(text):
        yield from _date(found[:4], found[4:6], found[6:])


def _date(year: str, month: str, day: str) -> Iterator[date]:
    try:
        yield date(int(year), int(month), int(day))
    except ValueError:
        return


def _texts(value: Json) -> Iterator[str]:
    """Every name and value as a text; what is JSON inside of a text as its values."""
    if isinstance(value, dict):
        for name, item in value.items():
            yield name
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, str):
        inner = parse_json(value) if value[:1] in "{[" else None
        if inner is None:
            yield value
        else:
            yield from _texts(inner.value)
    elif value is not None and not isinstance(value, bool):
        yield str(value)


def leaves_by_path(value: Json) -> Iterator[tuple[str, Json]]:
    """Every scalar with where it stands; the items of a list share a place."""
    return (("".join(f".{name}" for name in path), leaf) for path, leaf in leaves_of(value))


def leaves_of(value: Json, path: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], Json]]:
    """Every scalar with its path; the items of a list share one."""
    if isinstance(value, dict):
        return [leaf for name, item in value.items() for leaf in leaves_of(item, (*path, name))]
    if isinstance(value, list):
        return [leaf for item in value for leaf in leaves_of(item, (*path, "*"))]
    return [(path, value)]
