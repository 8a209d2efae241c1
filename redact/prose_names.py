"""Names in free text that no tool returned: third parties, people who introduce themselves, signatures.

In: the text of a message. Out: (kind, name) pairs, found by what stands before a capitalised run of words ("my name is",
"my wife", "Dr.") and by the gazetteer (two listed names in a row). What this misses is published in
`docs/redaction.md`; a configured engine finds more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from redact.fold import fold_value
from redact.gazetteer import ORDINARY, is_name
from redact.surrogates import PARTICLES, STREET_WORDS
from redact.word_lists import word_list

TOLD: Final = word_list("name_told")
"""After these a capitalised word is a name, listed or not; `_` joins two words."""
RELATED: Final = word_list("name_related")
"""After these a listed name is a person."""
PLACES: Final = word_list("places")
"""Cities, states and brands that are also listed names."""

_CAP: Final = r"[A-ZÀ-ÖØ-ÞĀ-Ž][^\W\d_]*(?:['’\-][^\W\d_]+)*\.?"
_PARTICLE: Final = r"(?:van|von|der|den|de|del|della|di|da|dos|du|la|le|bin|ibn|al)"
_RUN: Final = re.compile(rf"(?<!\w){_CAP}(?: (?:{_PARTICLE} ){{0,2}}{_CAP}){{0,3}}")
_BEFORE: Final = re.compile(r"[\w'’]+")


def names_in(text: str) -> Iterator[tuple[str, str]]:
    """Yield (kind, name) of the people a text names by context or by two listed names in a row."""
    for run in _RUN.finditer(text):
        words = run[0].split()
        listed = [_listed(word) for word in words]
        if any(listed) or _may_be_told(text, run.start()):
            yield from _people(text, run.start(), words, listed)


def _people(
    text: str, start: int, words: list[str], listed: list[bool]
) -> Iterator[tuple[str, str]]:
    # A sentence's first word is capitalised whatever it is: "Thanks Anna Meier" is one run of three.
    first = 0
    while first < len(words) and (_opens_context(words[first]) and not listed[first]):
        first += 1
    context = _context(text, start) if first == 0 else [_plain(word) for word in words[:first]][-2:]
    own = _own_words(words[first:])
    if not own:
        return
    named = listed[first : first + len(own)]
    told = _is_in(context, TOLD)
    if len(own) > 1 and (told or (named[0] and any(named[1:]))):
        yield "full_name", " ".join(own)
    elif told and len(own) == 1 and own[0].casefold() not in ORDINARY and len(own[0]) > 1:
        yield "first_name", own[0]
    elif _is_in(context, RELATED) and named[0] and own[0].casefold() not in PLACES:
        yield "first_name", own[0]


def _own_words(words: list[str]) -> list[str]:
    """Return the words up to the first that cannot belong to a name."""
    kept: list[str] = []
    for word in words:
        folded = _plain(word)
        if folded in STREET_WORDS - PARTICLES or (word.isupper() and len(word) > 2):
            break
        if not kept and (folded in ORDINARY or folded in PARTICLES or folded in PLACES):
            break
        kept.append(word.rstrip("."))
        if word.endswith(".") and len(word) > 2:
            break  # the sentence ends here
    return kept


def _context(text: str, start: int) -> list[str]:
    before = text[max(0, start - 28) : start]
    before = re.split(r"[\n!?;]|\.\s*$(?<!r\.\s)(?<!rs\.\s)(?<!s\.\s)(?<!f\.\s)", before)[-1]
    return [_plain(word) for word in _BEFORE.findall(before)[-2:]]


def _is_in(context: list[str], words: frozenset[str]) -> bool:
    if not context:
        return False
    return context[-1] in words or (len(context) > 1 and "_".join(context[-2:]) in words)


def _opens_context(word: str) -> bool:
    folded = _plain(word)
    return folded in TOLD or folded in RELATED or folded in ORDINARY


def _may_be_told(text: str, start: int) -> bool:
    return (
        _is_in(_context(text, start), TOLD) if start else _opens_context(text.split(maxsplit=1)[0])
    )


def _plain(word: str) -> str:
    return word.casefold().strip(".").replace("’", "'")


def _listed(word: str) -> bool:
    return len(word) > 2 and is_name(fold_value(word.rstrip(".")))
