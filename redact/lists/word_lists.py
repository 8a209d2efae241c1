"""The word lists of `word_lists.toml`.

In: a list's name. Out: its words. Lists are data so that a reviewer can read and extend them without reading code.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path


@cache
def _lists() -> dict[str, str]:
    lists: dict[str, str] = tomllib.loads(
        (Path(__file__).parent / "word_lists.toml").read_text("utf-8")
    )
    return lists


def word_list(name: str) -> frozenset[str]:
    """Return one list's words."""
    return frozenset(_lists()[name].split())
