"""Names in Arabic, Chinese and Japanese prose, which mark no name by a capital letter.

In: the text of a message. Out: (kind, name) pairs: two listed names in a row, a surname with what follows it, or what stands beside a cue ("my
name is", "my wife", -san). The two parts of a full name have a blank between them, wherever the text has none. `names_without_capitals`
errs towards precision, like `redact.names.prose_names`, which calls it; `possible_names` are the others, which the words of an app may explain.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from redact.bounds import LONG, SEVERAL
from redact.fold import fold_value
from redact.lists.dictionary import CHINESE, JAPANESE, words_of
from redact.lists.gazetteer import han_surnames, is_name
from redact.lists.word_lists import word_list
from redact.values.japanese import words_in_japanese
from redact.values.segments import Segment, is_japanese, segments

_ARABIC: Final = re.compile("[\u0621-\u064a]+(?: [\u0621-\u064a]+)*")
_TOLD_ARABIC: Final = word_list("name_told_arabic")
_RELATED_ARABIC: Final = word_list("name_related_arabic")
_HAN: Final = re.compile("[\u3005\u3400-\u4dbf\u4e00-\u9fff]")
_SURNAMES: Final = word_list("han_surnames")
_TOLD_SURNAMES: Final = word_list("han_surnames_told")
_TOLD_CHINESE: Final = tuple(sorted(word_list("name_told_chinese")))
_TITLES_CHINESE: Final = tuple(sorted(word_list("titles_chinese"), key=len, reverse=True))
_NO_GIVEN: Final = word_list("no_given_chinese")
_BEHIND_CHINESE: Final = tuple(sorted(word_list("name_ending_chinese")))
_COUNTED: Final = frozenset("这那每哪某该几此整多這幾")
"""Before a word that counts things."""
_PLACES_CHINESE: Final = tuple("省市区區县縣镇鎮乡鄉村路街巷山河湖江岛島湾灣寺站")
_TOLD_JAPANESE: Final = tuple(sorted(word_list("name_told_japanese")))
_TITLES_JAPANESE: Final = tuple(sorted(word_list("titles_japanese"), key=len, reverse=True))
_ENDING_JAPANESE: Final = tuple(sorted(word_list("name_ending_japanese")))
_NEAR: Final = 8
"""Characters on either side in which a cue is looked for."""
_GAP: Final = (" ", "\u3000", "・")
_MARKS: Final = " \u3000:\uff1a「『“"


class Person(NamedTuple):
    """Somebody whom a text names."""

    kind: str
    name: str
    sure: bool
    """A cue stands beside the name, or both its parts are names and nothing else."""


def names_without_capitals(text: str) -> Iterator[tuple[str, str]]:
    """Yield (kind, name) of the people whom Arabic, Chinese and Japanese words of a text surely name."""
    for run in _ARABIC.finditer(text):
        yield from _in_arabic(run[0].split(" "))
    for person in people_in(text):
        if person.sure:
            yield person.kind, person.name


def possible_names(text: str) -> Iterator[str]:
    """Yield the other names of two parts that Chinese and Japanese words of a text may be."""
    return (person.name for person in people_in(text) if not person.sure and " " in person.name)


def follows_a_surname(text: str, end: int) -> bool:
    """Say whether a title stands in a text where a surname of such a script ends: what is one letter there is somebody's."""
    return text.startswith((*_TITLES_CHINESE, *_TITLES_JAPANESE), end)


def people_in(text: str) -> tuple[Person, ...]:
    """Return the people whom a text's Chinese or Japanese names, each once."""
    return _people_in(text) if not text.isascii() and _HAN.search(text) else ()


@lru_cache(maxsize=20_000)
def _people_in(text: str) -> tuple[Person, ...]:
    read = _in_japanese if is_japanese(text) else _in_chinese
    return tuple(dict.fromkeys(read(text, segments(text))))


def name_alone(value: str, *, known: bool = True) -> str | None:
    """Return a value that is the name of a person and nothing else, its parts with a blank between them; `known`: of one part only where it is often written, or listed."""
    parts = _KANA_PARTS.split(value)
    if len(parts) in _OF_A_NAME and all(map(_KANA.fullmatch, parts)):
        return None if words_of(JAPANESE).issuperset(map(fold_value, parts)) else " ".join(parts)
    if not 0 < len(value) <= LONG or not all(map(_HAN.match, value)):
        return None
    words = list(words_in_japanese(value))
    kinds = [kind for _, kind in words]
    if kinds == ["surname", "given"] or (kinds in _ONE_NAME and (not known or _is_known(value))):
        return " ".join(word for word, _ in words)
    if value.endswith(_PLACES_CHINESE) or _surname_of(value) not in _SURNAMES:
        return None
    told = people_in(_NAMED + value)
    whole = [one.name for one in told if one.name.replace(" ", "") == value]
    return whole[0] if whole else None


def _is_known(name: str) -> bool:
    """Say whether a single Japanese name is one that is often written, or that a list has: a Chinese word may look like another."""
    return name in words_of(JAPANESE) or is_name(name)


def parts_of_name(name: str) -> tuple[str, ...]:
    """Return surname and given name of a Chinese or Japanese name that is written without a blank; of another name nothing."""
    if not 1 < len(name) <= LONG or not all(map(_HAN.match, name)):
        return ()
    words = list(words_in_japanese(name))
    if [kind for _, kind in words] == ["surname", "given"]:
        return (words[0][0], words[1][0])
    surname = _surname_of(name)
    given = name[len(surname) :]
    return (surname, given) if surname and 0 < len(given) <= SEVERAL else ()


_OF_A_NAME: Final = (2, 3)
_ONE_NAME: Final = (["surname"], ["given"])
_KANA: Final = re.compile("[\u30a1-\u30fa\u30fc]+")
_KANA_PARTS: Final = re.compile("[ \u3000・=\uff1d]")
_NAMED: Final = "姓名\uff1a"


def _in_japanese(text: str, words: Sequence[Segment]) -> Iterator[Person]:
    taken = -1
    for place, word in enumerate(words):
        if word.start < taken or word.kind not in {"surname", "given", "name"}:
            continue
        after = words[place + 1] if place + 1 < len(words) else None
        given = after if after and _is_beside(text, word, after) else None
        cued = text[: word.start].rstrip(_MARKS).endswith(_TOLD_JAPANESE)
        if (given and word.kind == "surname" and given.kind in {"given", "surname", "name"}) or (
            given
            and word.kind == "surname"
            and given.kind in {"noun", "place"}
            and _is_titled(text, given.end, cued=cued)
            and not given.text.startswith(_TITLES_JAPANESE)
        ):
            taken = given.end
            yield Person("full_name", f"{word.text} {given.text}", sure=True)
        elif _is_titled(text, word.end, cued=cued):
            yield Person("last_name", word.text, sure=True)


def _is_titled(text: str, end: int, *, cued: bool) -> bool:
    return cued or text.startswith(_TITLES_JAPANESE, end) or text.startswith(_ENDING_JAPANESE, end)


def _is_beside(text: str, one: Segment, two: Segment) -> bool:
    return text[one.end : two.start] in {"", *_GAP}


def _in_chinese(text: str, words: Sequence[Segment]) -> Iterator[Person]:
    taken = -1
    for place, word in enumerate(words):
        start = word.start
        cued = text[max(0, start - _NEAR) : start].rstrip(_MARKS).endswith(_TOLD_CHINESE)
        surname = _surname_of(word.text, told=True)
        if start < taken or not surname:
            continue
        if text.startswith(_TITLES_CHINESE, start + len(surname)):
            taken = start + len(surname)
            yield Person("last_name", surname, sure=True)
            continue
        name = _name_at(words, place, surname, cued=cued)
        sure = cued or (name is not None and _is_called(text, start + len(name)))
        if not sure:
            told = _name_at(words, place, surname, cued=True)
            sure = told is not None and _is_called(text, start + len(told))
            name = told if sure else name
        if name is None:
            continue
        end = start + len(name)
        doubtful = surname not in _SURNAMES and not is_name(name[len(surname) :])
        if not sure and (doubtful or _is_counted(text, words, place) or _goes_on(words, end)):
            continue
        taken = end
        yield Person("full_name", f"{surname} {name[len(surname) :]}", sure=sure)


def _is_called(text: str, end: int) -> bool:
    """Say whether a title, or another word that only people have behind their names, stands in a text at once."""
    return text.startswith((*_TITLES_CHINESE, *_BEHIND_CHINESE), end)


def _surname_of(word: str, *, told: bool = False) -> str:
    """Return the surname that a word begins with; `told`: also one that is a word as well."""
    known = _all_surnames() if told else _SURNAMES
    return next((word[:size] for size in (2, 1) if word[:size] in known), "")


@lru_cache(maxsize=1)
def _all_surnames() -> frozenset[str]:
    return _SURNAMES | _TOLD_SURNAMES | (han_surnames() - _NO_GIVEN)


def _name_at(words: Sequence[Segment], place: int, surname: str, *, cued: bool) -> str | None:
    """Return the name that begins with a word: the dictionary has its beginning or all of it, or only its surname."""
    read = _after_surname if words[place].text == surname else _in_dictionary
    return read(words, place, len(surname), cued=cued)


def _in_dictionary(words: Sequence[Segment], place: int, size: int, *, cued: bool) -> str | None:
    """Return a name of which the dictionary has two letters or more, where they are no word that says something else."""
    word, kind = words[place].text, words[place].kind
    given = word[size:]
    short = len(given) < SEVERAL and _is_given(words, place, cued=cued)
    if cued and short:
        return word + words[place + 1].text
    is_word = word in words_of(CHINESE) or word.endswith(_PLACES_CHINESE)
    if is_word or len(given) > SEVERAL or not _NO_GIVEN.isdisjoint(given):
        return None
    if kind != "name" and not cued:
        return None
    return word + words[place + 1].text if short else word


def _after_surname(words: Sequence[Segment], place: int, _size: int, *, cued: bool) -> str | None:
    """Return a surname with the one or two letters behind it: a word that is no common one, or letters that no word joins."""
    given = ""
    for at in range(place, min(place + SEVERAL, len(words) - 1)):
        following = words[at + 1]
        if not _touches(words, at) or len(given + following.text) > SEVERAL:
            break
        if len(following.text) > 1:
            listed = following.kind == "name" or is_name(following.text)
            if listed or following.text not in words_of(CHINESE):
                given += following.text
            break
        if not _is_given(words, at, cued=cued):
            break
        given += following.text
    return words[place].text + given if given else None


def _is_given(words: Sequence[Segment], place: int, *, cued: bool) -> bool:
    """Say whether the word behind another is one letter that a given name may end with."""
    if place + 1 >= len(words) or not _touches(words, place):
        return False
    following = words[place + 1]
    return (
        len(following.text) == 1
        and (cued or following.kind != "number")
        and (following.text not in _NO_GIVEN or (cued and _is_given(words, place + 1, cued=False)))
    )


def _is_counted(text: str, words: Sequence[Segment], place: int) -> bool:
    """Say whether a word counts what stands behind it: `三张票` is three tickets, whoever else is called 张."""
    start = words[place].start
    if text[start - 1 : start].isdigit():
        return True
    before = words[place - 1] if place and _touches(words, place - 1) else None
    return before is not None and (before.kind == "number" or before.text in _COUNTED)


def _touches(words: Sequence[Segment], place: int) -> bool:
    return place + 1 < len(words) and words[place].end == words[place + 1].start


def _goes_on(words: Sequence[Segment], end: int) -> bool:
    """Say whether a noun follows at once, as it does in names of products and houses."""
    return any(word.start == end and word.kind in {"noun", "place"} for word in words)


def _in_arabic(words: list[str]) -> Iterator[tuple[str, str]]:
    taken = -1
    for place, word in enumerate(words):
        before = words[place - 1] if place else ""
        if place <= taken or word in _TOLD_ARABIC | _RELATED_ARABIC:
            continue
        told, listed = before in _TOLD_ARABIC, _is_listed(word)
        if not told and not listed:
            continue
        after = words[place + 1] if place + 1 < len(words) else ""
        cued = told or before in _RELATED_ARABIC
        if after and (_is_listed(after) or (cued and after.startswith("ال"))):
            taken = place + 1
            yield "full_name", f"{word} {after}"
        elif told or (listed and cued):
            yield "first_name", word


def _is_listed(word: str) -> bool:
    return len(word) > 1 and is_name(fold_value(word))
