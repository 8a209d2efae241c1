"""What of a text is a person's own: its names and numbers, and not the words of the language around them.

In: a text that nobody could judge by its key, and the words of the app's language. Out: the parts that go. A text of a
result is treated as what a user says is: `Meeting with Xaver Zotter, code 4812` keeps `Meeting with`, and loses the rest.
Fails closed: a word that no dictionary, no shared text and no list of the app has is somebody's.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

from redact.bounds import LONG
from redact.fold import fold_value
from redact.lists.dictionary import ENGLISH, words_of
from redact.lists.gazetteer import ORDINARY, is_borne, is_compound, is_name
from redact.lists.word_lists import PARTICLES, PLACES
from redact.names.without_capitals import name_alone, people_in
from redact.readers.documents import FoundValue
from redact.recognizers.short_codes import codes_in
from redact.values.free_ids import is_time_or_amount
from redact.values.months import MONTH
from redact.values.scripts import SIGNS
from redact.values.segments import without_words, words_apart

_LETTER: Final = rf"(?:[^\W\d_]|[{SIGNS}])"
_TOKEN: Final = re.compile(
    rf"(?P<word>[^\W\d_]{_LETTER}*(?:['\u2019]{_LETTER}+)*)(?![^\W_])|(?P<code>[^\W_]+(?:[.:,/-][^\W_]+)*)"
)
"""A word, or what holds a digit; marks inside a number belong to it."""
_JUDGED_BY_SHAPE: Final = re.compile(r"(?<!\S)\S*(?:@|://)\S*")
"""Addresses of mail and of pages."""
_BESIDE: Final = re.compile(r"\.? |[-\u2010\u2011]")
"""What stands between two words of one name: `Ana-Maria`, `J. Price`."""
_GROUPED: Final = re.compile(r"(?<![\w.,:/-])\d{2}(?:[ -]\d{2}){2}(?![\w:/-]|[.,]\d)")
"""Three pairs of digits: a code of a lock, unless they are a day."""
_MIXED: Final = re.compile(r"(?<![\w.])(?=[^\W_]*\d)(?=[^\W_]*[^\W\d_])[^\W_]{3,40}(?!\w)")
_MEASURE: Final = re.compile(r"\d+(?:[.,]\d+)?[^\W\d_]{0,4}")
"""A number with a fraction, or with its unit: `171.3800`, `5pm`, `3rd`."""

_NUMBERED: Final = re.compile(r"-\d{1,2}(?!\w)")
"""Behind a mark: `GPT-4`, also where a text is nothing else."""
_DAYS: Final = re.compile(MONTH, re.IGNORECASE)
_LANGUAGE: Final = "language"
_EITHER: Final = "either"
_OWN: Final = "own"


def personal_parts(
    text: str, *languages: Collection[str], of_people: bool = False
) -> list[FoundValue]:
    """Return the names and numbers of a text that no word of the languages explains, each as it stands; `of_people`: it stands where names stand.

    Several languages are asked one after the other: to join them for each text would cost more than to read it.
    """
    text = _JUDGED_BY_SHAPE.sub(lambda one: "\x00" * len(one[0]), text)
    found = [
        FoundValue(person.kind, person.name, "")
        for person in people_in(text)
        if person.sure or not _is_in(languages, person.name.replace(" ", ""))
    ]
    if not found and (alone := name_alone(text.strip(), known=not of_people)):
        found.append(FoundValue("full_name" if " " in alone else "last_name", alone, ""))
    codes = _own_codes(words_apart(text))
    text = without_words(text)
    run: list[re.Match[str]] = []
    whose_of: dict[int, str] = {}
    end = 0
    small = False
    shouted = text.isupper()
    for token in _TOKEN.finditer(text):
        if run and not _BESIDE.fullmatch(text, end, token.start()):
            found += _name_in(text, run, whose_of)
            run = []
        word = token["word"]
        if word is None:
            found += _name_in(text, run, whose_of)
            run, small = [], False
        else:
            numbered = shouted and _NUMBERED.match(text, token.end()) is not None
            whose = _owner_of(word, languages, shouted=shouted and not numbered)
            if whose == _EITHER and small and word[0].isupper() and is_borne(fold_value(word)):
                whose = _OWN  # `stopped for Will`
            small = word.islower()
            if whose == _LANGUAGE:
                found += _name_in(text, run, whose_of)
                run = []
            else:
                run.append(token)
                whose_of[token.start()] = whose
        end = token.end()
    found += _name_in(text, run, whose_of)
    return list(dict.fromkeys([*found, *codes]))


def _is_in(languages: Sequence[Collection[str]], word: str) -> bool:
    return any(word in language for language in languages)


def _owner_of(word: str, languages: Sequence[Collection[str]], *, shouted: bool) -> str:
    """Return whether a word is the language's, a person's, or a name that is a word as well."""
    folded = fold_value(word)
    plain = folded.partition("'")[0]  # `I'm`, `Monday's`
    place = plain in PLACES or _DAYS.fullmatch(plain) is not None
    ordinary = plain in ORDINARY and word[0].isupper() and not place
    if ordinary or len(plain) == 1 or plain in PARTICLES:
        return _EITHER
    known = (_is_in(languages, plain) or _is_in(languages, folded)) and not is_name(plain)
    # People bear `Back` with a capital only.
    small = word.islower() and (plain in ORDINARY or plain in words_of(ENGLISH))
    mark = word.isupper() and len(word) <= LONG and not shouted
    nobodys = known or small or mark or place or is_compound(word)
    return _LANGUAGE if nobodys else _OWN


def _name_in(
    text: str, run: list[re.Match[str]], whose_of: Mapping[int, str]
) -> Iterator[FoundValue]:
    """Yield the name that words side by side are: one of them is nobody's else, or two are all that is said."""
    words = list(run)
    while words and words[0][0].casefold() in PARTICLES:
        words.pop(0)
    while words and words[-1][0].casefold() in PARTICLES:
        words.pop()
    several = sum(len(word[0]) > 1 for word in words) > 1
    alone = bool(words) and not text[: run[0].start()].strip() and not text[run[-1].end() :].strip()
    if any(whose_of[word.start()] == _OWN for word in words) or (alone and several):
        name = text[words[0].start() : words[-1].end()]
        yield FoundValue("full_name" if several else "last_name", name, "")


def _own_codes(text: str) -> Iterator[FoundValue]:
    """Yield the numbers by which somebody or something is known: no amount, day, year or size."""
    for code in dict.fromkeys([*codes_in(text), *_GROUPED.findall(text)]):
        yield FoundValue("code", code, "")
    for mixed in _MIXED.findall(text):
        if not (is_time_or_amount(mixed) or _MEASURE.fullmatch(mixed)):
            yield FoundValue("code", mixed, "")
