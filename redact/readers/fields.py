"""Fields of text in a form that nobody knows: screens, segments, logs, printed objects, blocks of settings.

In: the lines of a text that is no JSON, table or labelled block. Out: what stands in it, by the nearest label, else by the line's tag or number
and the field's place, so that the same field of two answers is the same place of the evidence. Sentences have no fields: what looks like
a name in them is named by the word before it. Judges no value.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from string import ascii_lowercase, digits
from typing import Final

from redact.bounds import CODE_LENGTH, LONG, LONGEST_VALUE, PARTS, STEM
from redact.lists.gazetteer import ORDINARY, is_name
from redact.lists.lexicon import word_group
from redact.lists.word_lists import PARTICLES, word_list
from redact.values.free_ids import between_ids
from redact.values.shapes import digit_count, is_street

_DELIMITERS: Final = "|\t+;*"
_BAR: Final = re.compile(r"\s[|\u00a6\u2502\u00b7\u2022]\s")
"""A mark between gaps that no sentence has: one is enough."""
_WIDE: Final = re.compile(r"\s{2,}|\t")
_PAIR: Final = re.compile(
    r"(?<![\w.-])([^\W\d_][\w.-]{0,30})\s?(?:[=:]\s?(?:\"([^\"\n]*)\"|'([^'\n]*)')|=\s?([^\s,;&()<>\"'|]+))"
)
"""A label and its value within a line; after a colon the value is quoted, as in `name { first: "Ana" last: "Gil" }`."""
_ALONE: Final = re.compile(r"\s*([^\W\d_][\w.-]{0,30})\s?=\s?([^=\"']+)")
"""The only pair between two marks: its value has blanks, `pickup=Oom Hennie`."""
_LABELLED: Final = re.compile(
    r"\W{0,4}([^\W\d_][\w .\u0900-\u097f-]{0,30}?)['\"]?\s*[:\uff1a=]\s*(\S.*)"
)
_TAG: Final = re.compile(r"[A-Z][A-Z0-9]{1,4}")
_NAMED: Final = re.compile(
    r"(?:(?<![\w-])([^\W\d_]{1,12})[\s:(,\[]{1,3})?((?:(?<![\w.,-])\d{1,4}[a-z]? )?(?:(?<![\w.@/\\-])[^\W\d_a-zß-öø-ÿ][^\W\d_]+(?:['\u2019-][^\W\d_]+)*)(?: (?:[a-z]{2,3} )?[^\W\d_a-zß-öø-ÿ][^\W\d_]+(?:['\u2019-][^\W\d_]+)*){0,3}(?: \d{1,4}[a-zº]?)?)(?![\w@]|[.(/\\]\w)"
)
"""Words that begin with a capital, in a script that has them, with the word before."""
_LINES: Final = 400
EDGES: Final = " \t\r\n\"'`.,;:()[]{}<>|*_/\\-=+#~^"
Place = tuple[str, str]


def fields_in(text: str) -> dict[str, list[str]]:
    """Return the fields of a text by place."""
    found: dict[str, list[str]] = {}
    lines, mark = _lines(text)
    for number, line in enumerate(lines):
        for key, value in _fields(line, number, mark):
            if value and value not in found.setdefault(key, []):
                found[key].append(value)
    return {key: values for key, values in found.items() if values}


def _lines(text: str) -> tuple[list[str], str]:
    """Return the lines of a text, and the mark between the parts of each where one line of segments was cut at their ends."""
    lines = text.splitlines()
    if len(lines) == 1 and len(ends := _SEGMENT.findall(text)) >= PARTS:
        (end, mark), times = Counter(ends).most_common(1)[0]
        if times >= PARTS:
            return text.split(end)[:_LINES], mark
    return lines[:_LINES], ""


_SEGMENT: Final = re.compile(r"([~'^!\x1e])\s?(?=[A-Z][A-Z0-9]{1,4}([*+|:^,;]))")
"""What ends a segment and stands before the tag of the next: `~N1*`, `'NAD+`."""


def _fields(line: str, number: int, mark: str) -> Iterator[Place]:
    parts = line.split(mark) if mark else _parts(line)
    tag = parts[0].strip(EDGES)
    known = len(parts) > 1 and _TAG.fullmatch(tag) and not is_name(tag.casefold())
    row = tag if known else str(min(number, 99))
    for place, part in enumerate(parts):
        if part.strip():
            alone = _ALONE.fullmatch(part) if len(parts) > 1 else None
            if alone:
                yield from words_of(alone[2], alone[1])
            else:
                yield from _field(part, f"~{row}/{_place(place)}")


def _place(number: int) -> str:
    """Return a place by letters from the tenth on: a key of three digits is taken for data."""
    tens, ones = divmod(number, len(digits))
    return f"{ascii_lowercase[tens % len(ascii_lowercase)]}{ones}" if tens else str(ones)


def _parts(line: str) -> list[str]:
    """Return a line cut at the mark that stands in it most often, else at its bars, else at its gaps."""
    marks = {mark: line.count(mark) for mark in _DELIMITERS}
    most = max(marks, key=lambda mark: marks[mark])
    if marks[most] >= PARTS:
        return line.split(most)
    if _BAR.search(line):
        return _BAR.split(line)
    return [part for part in _WIDE.split(line.strip()) if part] or [""]


def _field(part: str, key: str) -> Iterator[Place]:
    pairs = list(_PAIR.finditer(part))
    for pair in pairs:
        yield from _values_of(pair[2] or pair[3] or pair[4] or "", pair[1])
    rest = _PAIR.sub(" , ", part) if pairs else part
    labelled = None if pairs else _LABELLED.match(rest)
    if labelled:
        yield from words_of(labelled[2], labelled[1].strip())
    elif rest.strip(EDGES):
        yield from _values_of(rest, key)


def _values_of(value: str, key: str) -> Iterator[Place]:
    """Yield what stands at a field's place: a number that is no word's, a day, else its words."""
    plain = value.strip(EDGES)
    if _BARE.fullmatch(plain) and digit_count(plain) >= STEM:
        yield key, plain
    else:
        yield from words_of(value, key)


_BARE: Final = re.compile(r"\d[\d./-]{3,18}")


def words_of(value: str, key: str) -> Iterator[Place]:
    """Yield the words of a value between its identifiers, at its place; the names of a sentence at places below none."""
    whole = value.strip(EDGES)
    if is_street(whole):
        yield key, whole
        return
    for piece in between_ids(value):
        plain = piece.strip(EDGES)
        if len(plain) > LONGEST_VALUE or is_sentence(plain):
            yield from names_in_sentence(piece)
        elif any(map(str.isalpha, plain)):
            yield key, plain


def is_sentence(text: str) -> bool:
    """Say whether a text is a sentence: many words, or some with several small ones among them."""
    words = re.split(r"[\s,]+", text)
    small = sum(len(word) > 1 and word.islower() and word not in PARTICLES for word in words)
    return len(words) >= LONG or (small > 0 and (small < len(words) or small > PARTS))


def names_in_sentence(text: str) -> Iterator[Place]:
    """Yield the runs of capitalised words of a sentence, each named by the word before it."""
    if text.isupper():
        return  # capitals show nothing where all are
    for found in _NAMED.finditer(text):
        if not found[1] and found.start() == 0:
            continue  # a sentence's first word
        if found[2].isupper() and _NUMBERED.match(text, found.end()):
            continue  # `GPT-4`
        if _is_number_of(found[2].split()):
            continue
        if not is_plain(found[2].split()) and not _is_heading(found):
            yield f"~{(found[1] or '').casefold()}", found[2]


_NUMBERED: Final = re.compile(r"-\d{1,2}(?!\w)")


def _is_heading(found: re.Match[str]) -> bool:
    """Say whether a run goes on a capitalised word and ends as names of documents do: `Client Meeting Minutes` is nobody's."""
    words = found[2].split()
    if not found[1] or not found[1][0].isupper() or found[0][len(found[1]) : -len(found[2])] != " ":
        return False
    return words[-1].casefold() in _HEADINGS and not any(is_name(word.casefold()) for word in words)


_HEADINGS: Final = word_list("headings")


def _is_number_of(words: Sequence[str]) -> bool:
    """Say whether a run is a number with the word for one: `ID 115`, `Number 12`; whose it is, its key or its call says."""
    *named, number = words
    return (
        bool(named) and number.isdigit() and word_group("id").issuperset(map(str.casefold, named))
    )


def is_plain(words: Sequence[str]) -> bool:
    """Say whether all words are ordinary English."""
    return all(word.casefold() in ORDINARY for word in words)


def is_marked(value: str) -> bool:
    """Say whether the same mark cuts a text several times."""
    if len(value) < CODE_LENGTH:
        return False
    count = value.count
    return max(count("|"), count("\t"), count("+"), count(";")) >= PARTS
