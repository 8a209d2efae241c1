"""Draws the surrogate of a short id again where it is what somebody else is really called.

In: a permutation of ids and the values known to the build. Out: a surrogate that is no known value. Remembers nothing:
the result hangs on the secret and on the known values, not on the order in which they came.

A chain of ids, each the surrogate of the one before, is read as brackets: a known value opens one, any other closes
one. What closes the bracket that an id opened is its surrogate, so that no two ids have the same and none is known.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import Final

from redact.bounds import ATTEMPTS
from redact.fold import fold_value

DRAWN_AGAIN: Final = frozenset({"identifier", "opaque"})
"""Families whose surrogates are permutations of what has their form."""


def drawn_again(draw: Callable[[str], str], mention: str, known: Container[str]) -> str:
    """Return the surrogate of an id as `draw` gives it, or a later one of the chain where that is a known value.

    Where the chain ends without one the first stays: it is known, and so nobody else's.
    """
    first = moved = draw(mention)
    if fold_value(first) not in known:
        return first
    opened = 2
    for _ in range(ATTEMPTS):
        moved = draw(moved)
        if moved == mention:
            break
        opened += 1 if fold_value(moved) in known else -1
        if not opened:
            return moved
    return first
