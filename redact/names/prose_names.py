"""Names in free text that no tool returned: third parties, people who introduce themselves, signatures.

In: the text of a message. Out: (kind, name) pairs, found by what stands before a capitalised run of words ("my name is",
"my wife", "Dr.") and by the gazetteer (two listed names in a row). What this misses is published in
`docs/redaction.md`; a configured engine finds more.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from redact.bounds import NEAR, SEVERAL
from redact.fold import fold_value
from redact.lists.dictionary import ENGLISH, commonest_of
from redact.lists.gazetteer import ORDINARY, is_name, is_thing, nobodys_words
from redact.lists.word_lists import PARTICLES, STREET_WORDS, word_list
from redact.names.without_capitals import names_without_capitals

TOLD: Final = word_list("name_told")
"""After these a capitalised word is a name, listed or not; `_` joins two words."""
RELATED: Final = word_list("name_related")
"""After these a listed name is a person."""
WHOSE: Final = word_list("whose")
"""Before a relation these say that somebody follows, listed or not: "my wife Xiomara Quispe"."""
PLACES: Final = word_list("places")
"""Cities, states and brands that are also listed names."""

_CAP: Final = r"[A-ZÀ-ÖØ-ÞĀ-Ž\u0386-\u03a9\u0401-\u042f][^\W\d_]*(?:['\u2019\-][^\W\d_]+)*\.?"
_PARTICLE: Final = r"(?:van|von|der|den|de|del|della|di|da|dos|du|la|le|bin|ibn|al)"
_FIRST: Final = _CAP.replace("]", r"](?<!\w.)", 1)  # the capital first: the engine jumps to it
_RUN: Final = re.compile(rf"{_FIRST}(?: (?:{_PARTICLE} ){{0,2}}{_CAP}(?!-\d|[^\W\d_])){{0,3}}")
DESKS: Final = word_list("desks")
TOLD_LAST: Final = frozenset(word.rpartition("_")[2].strip(":") for word in word_list("name_told"))
"""The last words of what introduces people."""
KIN: Final = word_list("kin")
CLOSINGS: Final = word_list("closings")
_TELLING: Final = TOLD_LAST | KIN | CLOSINGS
_LEADING: Final = TOLD | CLOSINGS
_FOLLOWED: Final = frozenset({"by", "with", "to", "from", "for", "about", "via"})
_CALLED: Final = re.compile(r"\s*[(<\[,:\u2013-]?\s*(?:\+|00|\(?0)\d[\d ()/-]{6,}")
_SENTENCES: Final = re.compile(r"[\n!?;]|\.\s*$(?<!r\.\s)(?<!rs\.\s)(?<!s\.\s)(?<!f\.\s)")
_BEFORE: Final = re.compile(r"[\w'\u2019]+")


def names_in(
    text: str, *, told: bool = True, uncapitalised: bool = True
) -> Iterator[tuple[str, str]]:
    """Yield (kind, name) of the people a text names by context or by two listed names in a row."""
    if uncapitalised:
        yield from names_without_capitals(text)
    if not told and not names_somebody(text):
        return
    end = 0
    for run in runs_in(text):
        start = text.find(run, end)
        while start and (text[start - 1].isalnum() or text[start - 1] == "_"):
            start = text.find(run, start + 1)  # not the phone of an `iPhone`
        end = start + len(run)
        # Nine of ten capitalised runs end here; where the look saw no word that introduces people, none stands before them.
        if _tells_of_people(run) or (told and _is_introduced(text, start)):
            context = _context(text, start)
            found = _people_of(run, context)
            yield from found or _reached(run, text[end : end + NEAR])
            if not found and not text[end:].strip(" .!"):
                yield from _signed(run, context)


def _signed(run: str, context: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Yield the one word behind a closing: `thx Raj`, `Gruß Franzi`."""
    *before, name = run.rstrip(".").split()
    closed = len(before) < SEVERAL and _is_in([*context, *map(_plain_word, before)], CLOSINGS)
    if closed and len(name) > 1 and _plain_word(name) not in _NO_SIGNATURE:
        yield "first_name", name


def names_somebody(text: str) -> bool:
    """Say whether a text that introduces nobody holds a listed name: else there is none in it."""
    return any(map(_tells_of_people, runs_in(text)))


@lru_cache(maxsize=16)
def runs_in(text: str) -> list[str]:
    """Return the runs of capitalised words of a text; asked several times for each, one after the other."""
    return _RUN.findall(text)


def _is_introduced(text: str, start: int) -> bool:
    last = text[max(0, start - 14) : start].rsplit(None, 1)
    return bool(last) and _tells(last[-1])


def _reached(words: str, after: str) -> Iterator[tuple[str, str]]:
    """Yield a listed name with the words behind it where a telephone number follows."""
    if not _CALLED.match(after):
        return
    run = _read_run(words)
    first = run.listed.index(True) if any(run.listed) else len(run.words)
    rest = run.words[first:]
    own = _own_words(rest)
    if len(own) == len(rest) > 1 and _plain_word(own[0]) not in PLACES:
        yield "full_name", " ".join(own)


def names_shown(text: str) -> Iterator[tuple[str, str]]:
    """Yield (kind, name) of two or three capitalised words that begin with a listed name, in an answer in prose.

    What a tool answers in sentences tells of the app's records: somebody it names is no word of a greeting.
    """
    for run in _RUN.finditer(text):
        for part in _ENDED.split(run[0]):
            read = _read_run(part)
            for first in range(len(read.words) - 1):
                own = _own_words(read.words[first:])
                if not read.listed[first] or len(own) < len(read.words) - first:
                    continue
                plain = {_plain_word(word) for word in own}
                named = not (plain & _NOBODY or any(map(is_thing, map(fold_value, plain))))
                if len(own) in _OF_A_NAME and named:
                    yield "full_name", " ".join(own)
                    break


_OF_A_NAME: Final = (2, 3)
_NOBODY: Final = DESKS | PLACES | ORDINARY
_NO_SIGNATURE: Final = _NOBODY | CLOSINGS | word_list("greetings") | commonest_of(ENGLISH)
"""What stands behind a closing and is no signature: `Thanks. Bye.`, `Thanks. Perfect!`"""


def likely_names(text: str, is_public: Callable[[str], bool] | None = None) -> Iterator[str]:
    """Yield runs of capitalised words with a listed name, or after a word that people follow: where nothing has to stay.

    With `is_public` also runs of which two words are neither public nor ordinary: most names are in no list.
    """
    for run in _RUN.finditer(text):
        read = _read_run(run[0])
        plain = set(map(_plain_word, read.words))
        followed = _FOLLOWED.intersection(_context(text, run.start())[-1:])
        if len(plain) < 2 or plain & DESKS:
            continue
        if followed or any(read.listed):
            yield " ".join(word.rstrip(".") for word in read.words)
        elif is_public:
            for part in _ENDED.split(run[0]):
                if _are_unknown(tuple(part.split()), is_public):
                    yield part.rstrip(".")


_ENDED: Final = re.compile(r"(?<=[^\W\d_]{3}\.) ")
"""Between two sentences: an initial or a title ends none."""


def _are_unknown(words: tuple[str, ...], is_public: Callable[[str], bool]) -> bool:
    """Say whether two words of a run are no words that anybody knows; one written in capitals throughout is none such."""
    told = [word.rstrip(".") for word in words if not word.isupper()]
    return sum(_plain_word(one) not in ORDINARY and not is_public(one) for one in told) > 1


@lru_cache(maxsize=65_536)
def _tells(word: str) -> bool:
    return _plain_word(word.strip(",:.")) in _TELLING


class _Run(NamedTuple):
    """A run of capitalised words with what the lists say of it."""

    words: tuple[str, ...]
    listed: tuple[bool, ...]
    telling: bool


@lru_cache(maxsize=65_536)
def _read_run(run: str) -> _Run:
    words = tuple(run.split())
    listed = tuple(map(_is_listed, words))
    return _Run(words, listed, any(listed) or not _LEADING.isdisjoint(map(_plain_word, words)))


@lru_cache(maxsize=65_536)
def _tells_of_people(run: str) -> bool:
    return _read_run(run).telling


@lru_cache(maxsize=65_536)
def _people_of(run: str, before: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    words, listed, _ = _read_run(run)
    # A sentence's first word is capitalised whatever it is: "Thanks Anna Meier" is one run of three.
    for first, word in enumerate(words):
        if _plain_word(word) in TOLD or _plain_word(word) in RELATED:
            continue
        context = [*before, *(_plain_word(earlier) for earlier in words[:first])][-2:]
        own = _own_words(words[first:], told=_is_in(context, TOLD))
        found = _person(context, own, listed[first:])
        if found:
            return (found,)
    return ()


def _person(context: list[str], own: list[str], listed: tuple[bool, ...]) -> tuple[str, str] | None:
    if not own:
        return None
    told = _is_in(context, TOLD)
    if len(own) > 1 and (told or (listed[0] and any(listed[1 : len(own)]))):
        return "full_name", " ".join(own)
    whose = context and context[-1] in KIN and WHOSE.intersection(context)
    related = _is_in(context, RELATED) and _plain_word(own[0]) not in PLACES
    if len(own) > 1 and related and (listed[0] or whose):
        return "full_name", " ".join(own)
    if told and len(own[0]) > 1 and own[0].casefold() not in ORDINARY:
        return "first_name", own[0]
    if listed[0] and _is_in(context, RELATED) and own[0].casefold() not in _NO_SINGLE:
        return "first_name", own[0]
    return None


_OF_STREETS: Final = STREET_WORDS - PARTICLES
_NO_SINGLE: Final = ORDINARY | PLACES
_NO_FIRST: Final = _NO_SINGLE | PARTICLES


def _own_words(words: tuple[str, ...], *, told: bool = False) -> list[str]:
    """Return the words up to the first that cannot belong to a name; behind "my name is" a word of the dictionary can."""
    kept: list[str] = []
    for word in words:
        folded = _plain_word(word)
        if folded in _OF_STREETS or (word.isupper() and len(word) > 2):
            break
        if not told and fold_value(folded.removesuffix("'s")) in nobodys_words(ENGLISH):
            break  # `James Webb Space Telescope`
        if not kept and folded in _NO_FIRST:
            break
        kept.append(word.rstrip("."))
        if word.endswith(".") and len(word) > 2:
            break  # the sentence ends here
    return kept


def _context(text: str, start: int) -> tuple[str, ...]:
    before = text[max(0, start - 28) : start]
    return _context_in(before)


@lru_cache(maxsize=65_536)
def _context_in(before: str) -> tuple[str, ...]:
    before = _SENTENCES.split(before)[-1]
    return tuple([_plain_word(word) for word in _BEFORE.findall(before)[-2:]])


def _is_in(context: list[str], words: frozenset[str]) -> bool:
    if not context:
        return False
    return context[-1] in words or (len(context) > 1 and "_".join(context[-2:]) in words)


def _plain_word(word: str) -> str:
    return word.casefold().strip(".").replace("\u2019", "'")


def _is_listed(word: str) -> bool:
    return len(word) > 2 and is_name(fold_value(word.rstrip(".")))
