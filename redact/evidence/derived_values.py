"""Values that are made of others: `BC-101` of the ad set 101, `/invoices/2024-404.pdf` of the invoice 2024-404.

In: values with who saw them, and what stands at other places. Out: whether the ones are made of the others. Who knows the other value can write
this one: where that stays, replacing this one hides nobody and breaks what answers have in common. Not here: surrogates of values that
are made of people's own (`redact.operators.surrogates`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from typing import Final

from redact.bounds import CODE_LENGTH, REMEMBERED, SEVERAL, SHORT, TWICE

_PIECES: Final = re.compile(r"[^\W\d_]+|\d+|[\W_]+")


def is_made_of(
    seen: Mapping[str, Collection[int]], others: Iterable[Mapping[str, Collection[int]]]
) -> bool:
    """Say whether every value holds one of another place, seen by whoever saw it, in words that are the same for several."""
    return len(seen) >= SEVERAL and any(_holds(seen, other) for other in others)


def _holds(seen: Mapping[str, Collection[int]], other: Mapping[str, Collection[int]]) -> bool:
    frames: set[str] = set()
    for value, subjects in seen.items():
        asked = set(subjects)
        part = next((p for p in _parts(value) if p in other and asked.issubset(other[p])), None)
        if part is None:
            return False
        frames.add(value.replace(part, "\0"))
    return len(frames) * TWICE <= len(seen)


@lru_cache(maxsize=REMEMBERED)
def _parts(value: str) -> tuple[str, ...]:
    """Return what a value may be made of, the longest first: whole words and numbers with a digit among them. Asked for every place."""
    pieces = _PIECES.findall(value)
    if len(pieces) > CODE_LENGTH:
        return ()  # a text
    spans = (
        "".join(pieces[start : start + size])
        for size in range(len(pieces) - 1, 0, -1)
        for start in range(len(pieces) - size + 1)
    )
    return tuple([part for part in spans if _is_whole(part)])


def _is_whole(part: str) -> bool:
    ends = part[0].isalnum() and part[-1].isalnum()
    return ends and len(part) >= SHORT and any(map(str.isdigit, part))
