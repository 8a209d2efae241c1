"""Judges what stands in text of unknown form: tokens one by one, fields by the people who saw them.

In: the evidence of an app. Out: which tokens are identifiers that no key explains, and whether the words of a field are people's.
Fails closed: what nothing shows to be everybody's is somebody's. An identifier becomes another of its form, a word another word.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from redact.evidence.app_values import SUBJECTS_KEPT
from redact.evidence.forms import plain_day
from redact.evidence.people_places import UNKNOWN
from redact.evidence.place import WORDS, Place
from redact.lists.dictionary import ENGLISH
from redact.lists.gazetteer import ORDINARY, is_compound, nobodys_words
from redact.names.unknown_names import UNKNOWN_NAMES
from redact.operators.surrogates import PARTICLES, STREET_WORDS
from redact.recognizers.addresses_without_blanks import addresses_without_blanks
from redact.values.character_classes import SIGNS
from redact.values.fold import fold_value
from redact.values.free_ids import FREE, is_free_id
from redact.values.months import MONTH
from redact.values.scripts import is_unspaced
from redact.values.segments import is_sentence, words_apart
from redact.values.shapes import is_phone

_SHARE: Final = 0.15
"""So large a share of all subjects (and k of them) must have seen a word or a token before it is everybody's."""
_THIRD: Final = 0.3
_LEAST_SHARE: Final = 0.5
_MOST: Final = 0.7
"""A field is a choice among few where so much of what was seen in it is everybody's."""
_PLAIN: Final = re.compile(r"[\W_]+")
_AMOUNT: Final = re.compile(r"\d[.,]\d")
_TOLD: Final = 4
_NUMBER: Final = re.compile(r"\d+")
_YEAR: Final = re.compile(r"(?:19|20)\d\d")
_MONTH: Final = re.compile(MONTH)
_OF_LINES: Final = PARTICLES | STREET_WORDS
_LETTER: Final = re.compile(r"[^\W\d_]")
_DIGIT: Final = re.compile(r"\d")
_TELLING: Final = 2
_FORM: Final = "form "
_OF_PROSE: Final = frozenset({FREE, UNKNOWN_NAMES})
_FEWEST: Final = 2
_WORDS: Final = 5
_TEMPLATE: Final = 10
"""With fewer subjects a word of most of them may be one person's."""
_VARIED: Final = 5
_LONG_WORD: Final = 12
_NEARLY_ALL: Final = 0.8
_EDGE: Final = ".,:;()[]"
_ALPHA: Final = re.compile(rf"[^\W\d_](?:[^\W\d_]|[{SIGNS}])+")
_GROUP: Final = re.compile(rf"(?:[^\W\d_]|[{SIGNS}])+")
_BETWEEN: Final = re.compile(r"\d{1,4}[ -][A-Z]{1,3}[ -]\d{2,5}")
_CONSONANTS: Final = re.compile(
    r"\d{4}[ -]?(?!RPM|PCS|KMS|LBS|MHZ|PPM|KWH|GBP|PLN|CZK|HKD|BRL|MXN|DKK|CNY|NPR|PHP)[B-DF-HJ-NP-TV-Z]{3}"
)
_LETTERS_FIRST: Final = re.compile(r"[A-Z]{1,3} \d{2,4}[ -]\d{2,4}|[A-Z]{1,2} \d{3,5}")
"""`CA 145-401`: of three letters and one number `EUR 450` is made as well."""
_PLATE: Final = 16
_PLATE_LETTERS: Final = 3


def least_of(k: int, subjects: int, *, share: float = _SHARE) -> int:
    """Return how many subjects make a value of unknown text everybody's: one person may come back under several requests."""
    return min(SUBJECTS_KEPT, max(k, round(share * subjects)))


def enough_of(k: int, subjects: int) -> int:
    """Return how many subjects make a value under a key everybody's: k, of fewer than 3 k a third."""
    return min(k, max(_FEWEST, subjects // 3))


def subjects_of(places: Iterable[Mapping[str, list[int]]]) -> int:
    """Return how many subjects saw anything."""
    return len({subject for seen in places for listed in seen.values() for subject in listed})


def subjects_up_to(places: Iterable[Mapping[str, list[int]]], most: int) -> int:
    """Return how many subjects saw anything, or `most` of them: where more say no more, the count ends there."""
    had: set[int] = set()
    for seen in places:
        for listed in seen.values():
            had.update(listed)
            if len(had) >= most:
                return most
    return len(had)


@dataclass(frozen=True, slots=True)
class Tokens:
    """What the app says of tokens in text of unknown form."""

    personal: frozenset[str] = frozenset()
    """Seen, not explained and not everybody's."""
    nobodys: frozenset[str] = frozenset()
    """The others that were seen."""
    explained: frozenset[str] = frozenset()
    """Kept values without marks, and their forms."""

    def are_personal(self, token: str) -> bool:
        """Say whether a token is to be replaced; one never seen is, unless a kept value explains it."""
        if token in self.personal:
            return True
        return token not in self.nobodys and not _explains(self.explained, token)


def tokens_of(
    evidence: Mapping[str, Mapping[str, list[int]]], kept: Iterable[str], *, k: int
) -> Tokens:
    """Return what is known of the tokens of free text."""
    counted: dict[str, set[int]] = {}
    for key, seen in evidence.items():
        if Place.of(key).path == FREE:
            for token, listed in seen.items():
                counted.setdefault(token, set()).update(listed)
    single = [word for value in kept if " " not in value for word in _alone(value)]
    explained = frozenset(map(bare, single)) | frozenset(filter(None, map(_form, single)))
    least = least_of(k, subjects_of(evidence.values()), share=_LEAST_SHARE)
    personal = frozenset(
        token
        for token, listed in counted.items()
        if len(listed) < least and not _explains(explained, token) and not is_day(token)
    )
    return Tokens(personal, frozenset(counted.keys() - personal), explained)


def _alone(value: str) -> list[str]:
    """Return a value without blanks, or the words that hold its digits where its script has no blanks: G1234 of a train."""
    apart = words_apart(value)
    if apart == value or is_sentence(value):
        return [value]
    return [word for word in apart.split() if any(map(str.isdigit, word))]


def values_of_tokens(tokens: Tokens, language: Collection[str]) -> dict[str, str]:
    """Return what tokens make personal in the whole app, folded, with its kind; a user name may be a word of the language."""
    # A place on the map has fewer zeros in a call than where it is said.
    personal = {*tokens.personal, *map(without_zeros, tokens.personal)}
    folded = {fold_value(token): token for token in sorted(personal)}
    return {
        value: "phone" if is_phone(token) else "opaque_id"
        for value, token in folded.items()
        if value not in language and value not in ORDINARY
        # Folded, `4%20%E2%80%A2` is one digit.
        if value == token.casefold() or is_free_id(value) or _is_long(value)
    }


def _is_long(value: str) -> bool:
    """Say whether a token is readable and too long for a word or a number."""
    return value.isprintable() and len(value) >= _LONG_WORD


def _explains(explained: Collection[str], token: str) -> bool:
    return bare(token) in explained or _form(token) in explained


def _form(token: str) -> str | None:
    """Return what a numbered token is like: another `ORD-962189` is a key of the same records. Two letters at least tell."""
    if token.upper() != token or len(_LETTER.findall(token)) < _TELLING:
        return None
    return f"{_FORM}{_DIGIT.sub('9', token)}"


def is_free(key: str) -> bool:
    """Say whether a key of the evidence counts tokens of free text, runs of capitalised words of prose, or words of long texts."""
    path = Place.of(key).path
    return path in _OF_PROSE or path.startswith(WORDS)


@lru_cache(maxsize=65_536)
def is_day(token: str) -> bool:
    """Say whether a token of free text is a day and not a number."""
    return (" " in token or not is_free_id(token)) and plain_day(token) is not None


def bare(token: str) -> str:
    """Return a token without its marks: `#W123-4` and `w1234` are one, and `37.2550` and `37.255`."""
    if "." in token:
        token = without_zeros(token)
    return (token if token.isalnum() else _PLAIN.sub("", token)).casefold()


@lru_cache(maxsize=65_536)
def without_zeros(token: str) -> str:
    """Return a decimal as JSON writes it, without zeros behind its last digit; other tokens as they are."""
    return token.rstrip("0") if _DECIMAL.fullmatch(token) else token


_DECIMAL: Final = re.compile(r"-?\d{1,3}\.\d{2,}")


def is_name_like(value: str) -> bool:
    """Say whether a field's value is a few words without numbers, not all of them ordinary, none a mere mark."""
    words = _ALPHA.findall(value)
    if not words or any(map(str.isdigit, value)) or len(words) > _WORDS or "://" in value:
        return False
    if is_sentence(value):
        return False
    if all(word.islower() and word.isascii() for word in words):
        return False  # nobody writes a name so; user names have their own rules
    return not all(fold_value(word) in ORDINARY or is_compound(word) for word in words)


def is_line(value: str) -> bool:
    """Say whether a value is a few words with a short number, as a line of an address is."""
    if any(map(is_unspaced, value)):
        return any(addresses_without_blanks(value))
    words = _ALPHA.findall(value)
    if not 0 < len(words) <= _WORDS or not any(map(str.isdigit, value)) or " " not in value:
        return False
    if any(word.islower() and word not in _OF_LINES for word in words):
        return False  # `Goal G3 updated for user U7` is a sentence
    if all(map(_YEAR.fullmatch, _NUMBER.findall(value))):
        return False  # `2024 Main Conference`
    folded = [fold_value(word) for word in words]
    if len(folded) == 1 and _is_plain(folded[0]):
        return False  # `Figure 1`, `September 15`
    return not _AMOUNT.search(value) and any(
        len(word) >= _TOLD and plain not in ORDINARY and not word.islower()
        for word, plain in zip(words, folded, strict=True)
    )


def _is_plain(word: str) -> bool:
    return word in nobodys_words(ENGLISH) or _MONTH.fullmatch(word) is not None


def are_numbered(values: Collection[str]) -> bool:
    """Say whether nearly all values are a few texts with a long number each: what it is, and whose, as `Basic Plan - Line 555-0100-22`.

    The number is judged as a token; an address has none so long.
    """
    texts = Counter(_LONG_NUMBER.sub("0", value) for value in values)
    alike = sum(count for text, count in texts.items() if count >= _ALIKE and text[-1:] == "0")
    return alike >= _NEARLY_ALL * len(values)


_LONG_NUMBER: Final = re.compile(r"(?:\d[ .-]?){6,14}\d")
_ALIKE: Final = 5


def is_letters_between(value: str) -> bool:
    """Say whether a value is a few letters between numbers (`34 ABC 942`) or three consonants behind four digits (`4821-BGL`): a plate, no amount with its unit."""
    return _BETWEEN.fullmatch(value) is not None or _CONSONANTS.fullmatch(value) is not None


def is_plate(value: str) -> bool:
    """Say whether a value is a number between groups of a few letters, or the other way round, as plates have them.

    A unit is one group, behind its number.
    """
    if is_letters_between(value) or _LETTERS_FIRST.fullmatch(value):
        return True
    groups = _GROUP.findall(value)
    return (
        len(value) <= _PLATE
        and not is_unspaced(value[-1])  # a unit
        and len(_DIGIT.findall(value)) >= _PLATE_LETTERS
        and len(groups) > 1
        and all(len(group) <= _PLATE_LETTERS and not group.islower() for group in groups)
    )


def beside_names(
    evidence: Mapping[str, Mapping[str, list[int]]], named: Collection[str]
) -> Iterator[str]:
    """Yield the keys of places beside names, as varied as they are, whose words are of a script without capitals."""
    varied: dict[str, int] = {}
    for key in named:
        record = key.rpartition(".")[0]
        varied[record] = max(varied.get(record, 0), len(evidence[key]))
    for key, seen in evidence.items():
        place = Place.of(key)
        most = varied.get(key.rpartition(".")[0], 0)
        if not place.free or place.kind != UNKNOWN or key in named or most < _VARIED:
            continue
        uncased = sum(_is_uncased(value) for value in seen)
        if len(seen) >= _MOST * most and uncased > _MOST * len(seen):
            yield key


def _is_uncased(value: str) -> bool:
    """Say whether a value is a few short words whose letters have no case."""
    words = value.split()
    return 0 < len(words) <= _WORDS and all(
        len(word) <= _LONG_WORD
        and all(letter.upper() == letter.lower() and not letter.isdigit() for letter in word)
        for word in words
    )


def template_of(seen: Mapping[str, list[int]], *, k: int) -> frozenset[str]:
    """Return what at a place belongs to the form and not to a person: folded words that most subjects saw, and values of many."""
    shared = least_of(k, subjects_of([seen]), share=_THIRD)
    values = {v for v, listed in seen.items() if len(listed) >= shared and len(v.split()) > 1}
    return _words_of_most(seen) | values


def _words_of_most(seen: Mapping[str, list[int]]) -> frozenset[str]:
    subjects = subjects_of([seen])
    if subjects < _TEMPLATE or len(seen) < _VARIED:
        return frozenset()
    by_word: dict[str, set[int]] = {}
    for value, listed in seen.items():
        for word in _ALPHA.findall(value):
            by_word.setdefault(fold_value(word), set()).update(listed)
    return frozenset(
        word for word, listed in by_word.items() if len(listed) >= _NEARLY_ALL * subjects
    )


def own_parts(value: str, template: frozenset[str]) -> list[str]:
    """Return the runs of words of a value that no template holds."""
    if not template:
        return [value]
    if value in template:
        return []
    runs: list[str] = [""]
    for word in value.split():
        if fold_value(word.strip(_EDGE)) in template:
            runs.append("")
        else:
            runs[-1] = f"{runs[-1]} {word}".strip()
    return [run for run in runs if any(map(str.isalnum, run))]


def named_elsewhere(
    evidence: Mapping[str, Mapping[str, list[int]]], named: Collection[str]
) -> Iterator[str]:
    """Yield the keys of places whose single words are words of the people named at other places: a first name many share."""
    words = {
        word
        for key in named
        for value in evidence[key]
        if len(parts := _ALPHA.findall(fold_value(value))) > 1
        for word in parts
    }
    for key, seen in evidence.items():
        place = Place.of(key)
        if not place.free or place.kind != UNKNOWN or key in named:
            continue
        mine = [value for value in seen if is_name_like(value) and len(value.split()) == 1]
        known = sum(fold_value(value) in words for value in mine)
        if known > 1 and known * 2 > len(seen):
            yield key


def are_own(
    seen: Mapping[str, list[int]], *, k: int, fits: Callable[[str], bool] = is_name_like
) -> bool:
    """Say whether the values of a field that look like names are each person's own and no choice among few."""
    mine = {value: listed for value, listed in seen.items() if fits(value)}
    if not mine or len(mine) * 2 < len(seen):
        return False
    subjects = subjects_of([seen])
    least = least_of(k, subjects) if subjects >= 2 * k else 2
    if subjects < 2:
        return True
    sightings = sum(map(len, mine.values()))
    shared = sum(len(listed) for listed in mine.values() if len(listed) >= least)
    return shared < _MOST * sightings
