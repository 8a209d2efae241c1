"""Misspelt mentions of a person whom the episode knows: "Yussuf" for Yusuf, "Kowlaski" for Kowalski.

In: the episode's own names and its messages. Out: the words that stand for one of them. Compares capitalised words of
messages with single names of at least five letters; a word that is ordinary, a place or public is never taken for one.
Tool results are not read: a catalogue's words are spelt as they are.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import groupby
from typing import Final

from rapidfuzz import fuzz
from rapidfuzz.distance import OSA

from redact.bounds import LONG, LONG_NUMBER, LONGEST_PROSE
from redact.fold import fold_value
from redact.kinds import KINDS
from redact.lists.gazetteer import ORDINARY
from redact.names.prose_names import PLACES
from redact.values.character_classes import UPPER

_WORD: Final = re.compile(r"[^\W\d_a-z](?<![\w@./-].)[^\W\d_]{3,23}(?![\w@]|\.\w)")
_PLAIN_WORD: Final = re.compile(r"[A-Z](?<![\w@./-].)[A-Za-z]{3,23}(?![\w@]|\.\w)")
# The same in ASCII, in half the time. The capital comes before the look behind it: so the engine jumps from capital to capital.
_WORD_OF: Final = {
    letter: re.compile(_PLAIN_WORD.pattern.replace("[A-Z]", letter, 1), re.ASCII)
    for letter in UPPER
}
"""The words that begin with one letter: the engine finds it faster than any of several."""
_END: Final = "\x00"
"""Between two texts: no word goes on there."""
_ALIKE: Final = 90


def misspelt_in(
    texts: Iterable[str], values: Mapping[str, str], is_public: Callable[[str], bool]
) -> Iterator[tuple[str, str]]:
    """Yield (word, kind) of the capitalised words that misspell one of the episode's names."""
    names = {
        value: kind
        for value, kind in values.items()
        if KINDS[kind].family == "name" and value.isalpha() and len(value) >= LONG_NUMBER
    }
    if not names:
        return
    begun: defaultdict[str, list[str]] = defaultdict(list)
    for name in names:
        begun[name[0]].append(name)
    seen: set[str] = set()
    for word, folded in words_of(texts, frozenset(begun)):
        if folded in seen or folded in values:
            continue
        seen.add(folded)
        for name in begun[folded[0]]:
            if may_misspell(name, folded):
                if not is_public(word):
                    yield word, names[name]
                break


def words_of(texts: Iterable[str], letters: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Yield the words of texts that could be a name and, folded, begin with one of these letters."""
    capital = frozenset(letter.upper() for letter in letters if letter.isascii())
    for plain, several in groupby(texts, _is_plain):
        if plain:  # one look for all of them
            yield from beginning_with(capital, _END.join(several))
            continue
        for text in several:
            by_letter = _by_letter(text)
            found = [one for letter in letters for one in by_letter.get(letter, ())]
            yield from [pair for _, pair in sorted(found)]


def _is_plain(text: str) -> bool:
    """Say whether the quick patterns read a text as the others do: its letters are ASCII, whatever its quotes and dashes are."""
    return len(text) < LONGEST_PROSE and (text.isascii() or _BEYOND_MARKS.search(text) is None)


_BEYOND_MARKS: Final = re.compile("[^\x00-\x7f\u2010-\u2027]")
"""What is neither ASCII nor one of the quotes, dashes and dots of typesetting, none of which is part of a word."""


@lru_cache(maxsize=20_000)
def _by_letter(text: str) -> dict[str, list[tuple[int, tuple[str, str]]]]:
    """Return a text's words by the first letter of their folded form, each with its turn."""
    found: dict[str, list[tuple[int, tuple[str, str]]]] = {}
    for turn, pair in enumerate(capitals(text)):
        found.setdefault(pair[1][0], []).append((turn, pair))
    return found


def beginning_with(letters: frozenset[str], text: str) -> Iterator[tuple[str, str]]:
    """Yield what `capitals` returns of a text with ASCII letters, of words that begin with these letters only."""
    found: dict[int, str] = {}
    for letter in letters:
        if letter in text:
            found.update((word.start(), word[0]) for word in _WORD_OF[letter].finditer(text))
    for place in sorted(found):
        folded = _uncommon(found[place])
        if folded:
            yield found[place], folded


def may_misspell(name: str, word: str) -> bool:
    """Say whether a word may be a misspelling of a name."""
    if abs(len(name) - len(word)) > 1 or name[0] != word[0]:
        return False
    if fuzz.ratio(name, word) >= _ALIKE:
        return True
    return min(len(name), len(word)) >= LONG and OSA.distance(name, word, score_cutoff=1) <= 1


def capitals(text: str) -> tuple[tuple[str, str], ...]:
    """Return the capitalised words of a text that could be a name, each with its folded form."""
    words = dict.fromkeys((_PLAIN_WORD if text.isascii() else _WORD).findall(text))
    return tuple([(word, folded) for word in words if (folded := _uncommon(word))])


@lru_cache(maxsize=65_536)
def _uncommon(word: str) -> str | None:
    """Return a capitalised word folded, None where nobody could misspell a name so."""
    folded = fold_value(word) if word[0].isupper() else ""
    return folded if folded not in _COMMON else None


_COMMON: Final = ORDINARY | PLACES
