"""The word lists of `word_lists.toml`.

In: a list's name. Out: its words. Lists are data so that a reviewer can read and extend them without reading code.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from ingest.records.word_lists import word_lists

_LISTS: Final = word_lists(Path(__file__).with_name("word_lists.toml"))


def word_list(name: str) -> frozenset[str]:
    """Return one list's words."""
    return frozenset(_LISTS[name])


PARTICLES: Final = word_list("particles")
"""Parts of a name that name nobody."""

STREET_WORDS: Final = word_list("street")
"""Parts of an address line that say what it is, not where."""

ID_WORDS: Final = word_list("id")
"""Parts of an identifier that say what it identifies."""

PLACES: Final = word_list("places")
"""Towns, states and countries."""
