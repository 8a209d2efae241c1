"""Lists of words that stand in a TOML file, so that a reviewer reads and extends them without reading code."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path


def word_lists(path: Path) -> Mapping[str, tuple[str, ...]]:
    """The lists of a file by name, each in its order."""
    lists: dict[str, str] = tomllib.loads(path.read_text("utf-8"))
    return {name: tuple(words.split()) for name, words in lists.items()}
