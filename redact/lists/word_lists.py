"""The word lists of `word_lists.toml`.

In: a list's name. Out: its words. Lists are data so that a reviewer can read and extend them without reading code.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Final


@cache
def _lists() -> dict[str, str]:
    lists: dict[str, str] = tomllib.loads(
        (Path(__file__).parent / "word_lists.toml").read_text("utf-8")
    )
    return lists


def word_list(name: str) -> frozenset[str]:
    """Return one list's words."""
    return frozenset(_lists()[name].split())


PARTICLES: Final = word_list("particles")
"""Parts of a name that name nobody."""

STREET_WORDS: Final = word_list("street")
"""Parts of an address line that say what it is, not where."""

ID_WORDS: Final = word_list("id")
"""Parts of an identifier that say what it identifies."""

PLACES: Final = word_list("places")
"""Towns, states and countries."""
