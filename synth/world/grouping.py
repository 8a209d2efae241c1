"""Grouping: pairs of a key and a value by their keys.

Comes in: pairs in any order. Comes out: per key its values, as a list in the order of the pairs, or as a set.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import TypeVar

from environments.runtime.values.grouping import by_key

Key = TypeVar("Key")
Value = TypeVar("Value")


def lists_by_key(pairs: Iterable[tuple[Key, Value]]) -> dict[Key, list[Value]]:
    """The values of each key in order; empty for any other key."""
    return defaultdict(list, by_key(pairs))


def sets_by_key(pairs: Iterable[tuple[Key, Value]]) -> dict[Key, set[Value]]:
    """The different values of each key; empty for any other key."""
    out: dict[Key, set[Value]] = defaultdict(set)
    for key, value in pairs:
        out[key].add(value)
    return out
