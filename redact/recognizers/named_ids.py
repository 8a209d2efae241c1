"""Identifiers made of two words and a number: `anna_meier_42`, `anna.meier-7`.

In: a text. Out: the identifiers with their words. Whether the words are names is the caller's question.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from redact.bounds import SHORT

NAMED_ID: Final = re.compile(
    r"(?<![^\W_])([^\W\d_]{2,})([._-])([^\W\d_]{2,})(?:[._-]?(\d{1,8}))(?![^\W_])"
)


def named_ids_in(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield (identifier, first word, second word) of what looks like `anna_meier_42`."""
    for found in NAMED_ID.finditer(text):
        if not _is_mark(found[1], found[3]):
            yield found[0], found[1], found[3]


def _is_mark(first: str, second: str) -> bool:
    """Say whether the first of two words is an acronym and the second is none, as in `CRISPR-Cas9`: nobody writes half of a name so."""
    return len(first) >= SHORT and first.isupper() and not second.isupper()
