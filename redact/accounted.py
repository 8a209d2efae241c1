"""Leaves in which nothing is left to judge: `Anna Meier <anna@mail.example>` is a name and an address, both of them known.

In: a leaf that a verdict withholds, what is known of its episode, and the words that many subjects saw at its place. Out: yes or no.
A name that may stay where it stands, as one that is also ordinary does, is left.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Final

from redact.fold import fold_value
from redact.gazetteer import ORDINARY
from redact.matcher import Match

_WORD: Final = re.compile(r"[^\W_]+")
_GAP: Final = re.compile(r"\.? ?")
_BEGUN: Final = 4
"""A longer word that begins as a word of the episode does may be that name with an ending: `Räsänenin`."""


def is_accounted_for(
    value: str,
    everywhere: Iterable[Match],
    own: Mapping[str, str],
    is_public: Callable[[str], bool],
    many: Collection[str] = frozenset(),
) -> bool:
    """Say whether every word of a value is replaced where it stands, or many subjects' (`many`); `own` are the episode's words."""
    spans = [(match.start, match.end) for match in everywhere]
    if not (spans or own or many):
        return False
    left = [
        word
        for word in _WORD.finditer(value)
        if not any(start <= word.start() and word.end() <= end for start, end in spans)
    ]
    replaced = [word for word in left if _is_replaced(word[0], own, is_public)]
    begins = {start for start, _ in spans} | {word.start() for word in replaced}
    return all(
        _is_replaced(word[0], own, is_public)
        or _is_initial(value, word, begins)
        or ((folded := fold_value(word[0])) in many and not _is_begun(folded, own))
        for word in left
    )


def _is_initial(value: str, word: re.Match[str], begins: Collection[int]) -> bool:
    """Say whether a word is one capital before a name that is replaced."""
    if len(word[0]) > 1 or not word[0].isupper():
        return False
    gap = _GAP.match(value, word.end())
    return gap is not None and gap.end() > word.end() and gap.end() in begins


def _is_begun(folded: str, own: Mapping[str, str]) -> bool:
    return any(folded.startswith(name) for name in own if len(name) >= _BEGUN)


def _is_replaced(word: str, own: Mapping[str, str], is_public: Callable[[str], bool]) -> bool:
    folded = fold_value(word)
    return len(folded) > 1 and folded in own and folded not in ORDINARY and not is_public(word)
