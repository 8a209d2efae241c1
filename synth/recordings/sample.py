"""Some of many, spread evenly: what is learnt from hundreds of examples is not known better from thousands.

In: a sequence in an order that does not change by chance. Out: all of it, or so many of its items with equal distances.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

Item = TypeVar("Item")


def sample_evenly(items: Sequence[Item], most: int) -> Sequence[Item]:
    """At most `most` of the items, in order, the first among them."""
    if len(items) <= most:
        return items
    return [items[number * len(items) // most] for number in range(most)]
