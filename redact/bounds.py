"""The numbers that redaction decides by: a name stands for one size, whatever it is that is counted (values, people, words, letters).

In: nothing. Out: shares of values or people, counts, lengths, and how much is read or remembered. A number that only one form has (the digits of a
card, the letters of a plate) stands beside that form.
"""

from __future__ import annotations

from typing import Final

A_SMALL_SHARE: Final = 0.15
"""So small a share of values or people shows nothing; so large a one of all subjects makes a word everybody's."""
A_THIRD: Final = 0.3
"""So large a share is too large for chance: what it shares is a catalogue's, round numbers are amounts."""
MOST: Final = 0.7
"""A statement about most of the values: of three sightings of one field two may be one person who came back."""
NEARLY_ALL: Final = 0.8
"""A statement about a place as a whole."""

SEVERAL: Final = 2
"""One may be a coincidence, or one person; so many values, people, words or rows are not. So many letters are no word."""
TWICE: Final = 2
"""So many times as much is another order, half as much a large part."""
VARIED: Final = 4
"""So many different values show a form."""
PARTS: Final = 3
"""So many columns, signs, words or days are a row, a sentence or a life; fewer stand together by chance."""
ENOUGH: Final = 10
"""So many subjects or values show by themselves what a place holds; two of six people live in one town."""

SHORT: Final = 3
"""Letters or digits of a number like any other, an acronym, the beginning of a name."""
STEM: Final = 4
"""So many letters or digits tell of something: shorter ones are anybody's. So many words are no sentence."""
LONG_NUMBER: Final = 5
"""So many digits are no year and no number with its unit."""

LONG: Final = 7
"""Letters or digits of a whole word or number, which is somebody's or something's by itself."""
CODE_LENGTH: Final = 16
"""Signs of a code, a plate, a label or a key."""
LONGEST_VALUE: Final = 80
"""A longer text is no value of a field: it is read as a text, and remembered by its digest only."""
NEAR: Final = 24
"""Characters around a place in a text that say what stands there."""
BEFORE: Final = 64
"""Characters before a value in which its key stands."""
LONGEST_LINE: Final = 200
"""Longer runs and lists are data."""
LONGEST_PROSE: Final = 4_000
"""A longer text is a prompt, a document or an attack."""
LONGEST_TEXT: Final = 200_000
"""A longer text is not read as what Python prints."""
LONGEST_TABLE: Final = 1_000_000
"""A longer text is no table, but prose or an attack."""
AT_ONCE: Final = 20_000
"""So many characters of a text are read at once where reading is slow."""
DEPTH: Final = 40
"""What is nested deeper is text."""
REMEMBERED: Final = 20_000
"""So many answers about texts and values are remembered by one cache."""
PARTS_REMEMBERED: Final = 200_000
"""So many about small parts: a name stands in an id, an address and a greeting."""
EPISODES_REMEMBERED: Final = 2_000
"""So many about whole episodes, or lists of definitions."""
CHARACTERS: Final = 8_000_000
"""So much text is held at once."""
ATTEMPTS: Final = 64
"""So often something is tried."""
BESIDE: Final = 64
"""So many things are looked at one beside the other."""
