"""Misspelt mentions of a person whom the episode knows: "Yussuf" for Yusuf, "Kowlaski" for Kowalski.

In: the episode's own names and its messages. Out: the words that stand for one of them. Compares capitalised words of
messages with single names of at least five letters; a word that is ordinary, a place or public is never taken for one.
Tool results are not read: a catalogue's words are spelt as they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import chain
from typing import Final

from rapidfuzz import fuzz
from rapidfuzz.distance import OSA

from redact.bounds import LONG, LONG_NUMBER
from redact.fold import fold_value
from redact.kinds import KINDS
from redact.lists.gazetteer import ORDINARY
from redact.names.prose_names import PLACES

_WORD: Final = re.compile(r"[^\W\d_a-z](?<![\w@./-].)[^\W\d_]{3,23}(?![\w@]|\.\w)")
"""The capital comes before the look behind it: so the engine jumps from capital to capital."""
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
    begun: dict[str, list[str]] = {}
    for name in names:
        begun.setdefault(name[0], []).append(name)
    seen: set[str] = set()
    for word, folded in chain.from_iterable(map(capitals, texts)):
        if folded[0] not in begun or folded in seen or folded in values:
            continue
        seen.add(folded)
        for name in begun[folded[0]]:
            if may_misspell(name, folded):
                if not is_public(word):
                    yield word, names[name]
                break


def may_misspell(name: str, word: str) -> bool:
    """Say whether a word may be a misspelling of a name."""
    if abs(len(name) - len(word)) > 1 or name[0] != word[0]:
        return False
    if fuzz.ratio(name, word) >= _ALIKE:
        return True
    return min(len(name), len(word)) >= LONG and OSA.distance(name, word, score_cutoff=1) <= 1


@lru_cache(maxsize=20_000)
def capitals(text: str) -> tuple[tuple[str, str], ...]:
    """Return the capitalised words of a text that could be a name, each with its folded form."""
    words = dict.fromkeys(_WORD.findall(text))
    return tuple([(word, folded) for word in words if (folded := _uncommon(word))])


@lru_cache(maxsize=65_536)
def _uncommon(word: str) -> str | None:
    """Return a capitalised word folded, None where nobody could misspell a name so."""
    folded = fold_value(word) if word[0].isupper() else ""
    return folded if folded not in _COMMON else None


_COMMON: Final = ORDINARY | PLACES
