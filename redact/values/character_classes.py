"""Byte tables that map each character of a text to the mark of its class: what cheap looks at a text read.

In: the members of each class. Out: a table for `bytes.translate`, which costs 1 ns a character.
"""

from __future__ import annotations

from typing import Final

DIGITS: Final = "0123456789"
UPPER: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
LOWER: Final = UPPER.lower()


def class_table(foreign: bytes, **classes: str) -> bytes:
    """Return a byte table: the characters of each class become its mark, everything beyond ASCII `foreign`."""
    table = bytearray(b"?" * 256)
    table[128:] = foreign * 128
    for mark, members in classes.items():
        for member in members:
            table[ord(member)] = ord(mark)
    return bytes(table)


SIGNS: Final = (
    "\u0300-\u036f\u064b-\u065f\u0900-\u0dff\u0e31-\u0e4e\u0eb1-\u0ece\u102b-\u103e\u17b4-\u17d3"
)
"""For a class of characters: vowel signs and marks, which stand inside words of Indian and other scripts and are no letters to `re`."""
