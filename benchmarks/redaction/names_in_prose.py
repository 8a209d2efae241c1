"""How many names of third parties redaction finds in prose, per language, without a model.

Usage: `python -m benchmarks names_in_prose`. In: `names_in_prose.toml`, sentences around invented people whom no tool
returned. Out: one line a language. A name counts as found only if every word of it is. The sentences were written
once, before the count, and nothing was tuned to them.
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

from redact.names.prose_names import names_in

_SENTENCES = Path(__file__).with_suffix(".toml")


def main() -> int:
    """Print what is found, by language."""
    for language, table in tomllib.loads(_SENTENCES.read_text("utf-8")).items():
        rows = table["sentences"]
        found = sum(is_found(text.format(n=name), name) for text, name in rows)
        print(f"{language}: {found} of {len(rows)}")
    return 0


def is_found(text: str, name: str) -> bool:
    """Whether every word of the name is part of a name that was found."""
    names = [found for _, found in names_in(text)]
    words = {word for found in names for word in found.split()}
    # Surname and given name are parted, wherever their script has no blank between them.
    return set(name.split()) <= words.union(found.replace(" ", "") for found in names)


if __name__ == "__main__":
    sys.exit(main())
