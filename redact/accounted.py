"""Leaves in which nothing is left to judge: `Anna Meier <anna@mail.example>` is a name and an address, both of them known.

In: a leaf that a verdict withholds, and what is known of its episode. Out: yes or no. A word that may stay where it stands, as one
that is also ordinary does, is left.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from redact.fold import fold_value
from redact.gazetteer import ORDINARY
from redact.matcher import Match

_WORD: Final = re.compile(r"[^\W_]+")


def is_accounted_for(
    value: str,
    everywhere: Iterable[Match],
    own: Mapping[str, str],
    is_public: Callable[[str], bool],
) -> bool:
    """Say whether every word of a value is replaced where it stands; `own` are the episode's words."""
    spans = [(match.start, match.end) for match in everywhere]
    if not spans and not own:
        return False
    left = [
        word
        for word in _WORD.finditer(value)
        if not any(start <= word.start() and word.end() <= end for start, end in spans)
    ]
    return all(_is_replaced(word[0], own, is_public) for word in left)


def _is_replaced(word: str, own: Mapping[str, str], is_public: Callable[[str], bool]) -> bool:
    folded = fold_value(word)
    return len(folded) > 1 and folded in own and folded not in ORDINARY and not is_public(word)
