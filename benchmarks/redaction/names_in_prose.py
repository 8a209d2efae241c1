"""How many names of third parties redaction finds in prose, per language, without a model.

`names_in_prose.toml` has sentences around invented people whom no tool returned. A name counts as found only if every word of it is. The sentences were written
once, before the count, and nothing was tuned to them.
"""

from __future__ import annotations

import argparse
import tomllib
from collections.abc import Iterator
from pathlib import Path

from benchmarks.figures import Row
from redact.names.prose_names import names_in

_SENTENCES = Path(__file__).with_suffix(".toml")


def options(parser: argparse.ArgumentParser) -> None:
    """Nothing is chosen."""
    del parser


def rows(options: argparse.Namespace) -> Iterator[Row]:
    """A row for each language."""
    del options
    for language, table in tomllib.loads(_SENTENCES.read_text("utf-8")).items():
        told = table["sentences"]
        found = sum(is_found(text.format(n=name), name) for text, name in told)
        yield Row(case=language, figures={"names": len(told), "found": found})


def is_found(text: str, name: str) -> bool:
    """Whether every word of the name is part of a name that was found."""
    names = [found for _, found in names_in(text)]
    words = {word for found in names for word in found.split()}
    # Surname and given name are parted, wherever their script has no blank between them.
    return set(name.split()) <= words.union(found.replace(" ", "") for found in names)
