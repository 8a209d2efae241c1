"""Many texts looked for at once, in bytes of any kind: a hit counts where no letter or digit stands beside it.

Comes in: ids and values. Goes out: which of them stand in some bytes or text, whatever their case.
"""

from collections.abc import Iterable

import ahocorasick

SHORTEST = 5
"""Shorter ids stand everywhere by chance."""


class Needles:
    """What is looked for."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.texts = frozenset(text for text in texts if len(text) >= SHORTEST)
        self._search = ahocorasick.Automaton()
        for text in self.texts:
            self._search.add_word(_form(text.encode()), text)
        if self.texts:
            self._search.make_automaton()

    def in_text(self, text: str) -> set[str]:
        """Those that stand in a text."""
        return self.in_bytes(text.encode("utf-8", "surrogatepass"))

    def in_bytes(self, data: bytes) -> set[str]:
        """Those that stand in some bytes."""
        if not self.texts or not data:
            return set()
        read = _form(data)
        found: set[str] = set()
        for end, text in self._search.iter(read):
            start = end + 1 - len(text.encode())
            if not (_joins(read[start - 1 : start]) or _joins(read[end + 1 : end + 2])):
                found.add(text)
        return found


def _form(data: bytes) -> str:
    """A letter a byte, in small letters: the search reads texts only."""
    return data.decode("latin-1").lower()


def _joins(letter: str) -> bool:
    return letter.isascii() and letter.isalnum()
