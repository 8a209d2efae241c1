"""Which values name one person by themselves, and which words and numbers inside a value are searched for within its episode.

In: a kind and a folded value. Out: whether it is a composite, or its atoms. What kind has which form stands in `redact.kinds`; a new form is one
function and its line in `ALONE` or `PARTS`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Final

from redact.kinds import KINDS
from redact.lists.gazetteer import is_name
from redact.lists.word_lists import ID_WORDS, PARTICLES, STREET_WORDS
from redact.names.without_capitals import parts_of_name
from redact.values.scripts import SIGNS, is_word
from redact.values.shapes import digit_count, letter_count

_ATOM: Final = re.compile(rf"[^\W\d_](?:[^\W\d_]|[{SIGNS}])*")
_ATOM_KIND: Final = {"street": "street", "payment_id": "payment_id"}
_DOOR: Final = re.compile(r"(?<!\w)(?:\d{1,4}[a-z]|[a-z]-?\d{1,4})(?!\w)")


@lru_cache(maxsize=65_536)
def is_composite(kind: str, folded: str) -> bool:
    """Say whether a value names one person by itself, so that it is searched for in the whole app."""
    form = KINDS[kind].alone
    return bool(form) and ALONE[form](folded)


def atoms_in(kind: str, folded: str) -> tuple[tuple[str, str], ...]:
    """Return the single words and numbers inside a composite that are searched for within the episode, with their kinds."""
    own, parts = _ATOM_KIND.get(kind, "last_name"), KINDS[kind].parts
    found = PARTS[parts](folded) if parts else []
    atoms = tuple((atom, own) for atom in dict.fromkeys(found))
    if own != "street" and (kind != "opaque_id" or " " not in folded):
        return atoms
    return (*atoms, *((door, "code") for door in doors_in(folded)))


def doors_in(folded: str) -> tuple[str, ...]:
    """Return the numbers with a letter in a part of an address, by which a flat is said alone: `11b`."""
    return tuple(dict.fromkeys(_DOOR.findall(folded)))


def _is_code(folded: str) -> bool:
    letters, digits = letter_count(folded), digit_count(folded)
    return len(folded) >= 5 and (digits >= 4 or (digits >= 1 and letters >= 2))


def _is_postcode(folded: str) -> bool:
    """Say whether one holds letters: "LS9 1DX" is a street and nothing else wherever it stands; "90210" is a number like any other."""
    return letter_count(folded) >= 2 and digit_count(folded) >= 1 and len(folded) >= 5


def _is_line(folded: str) -> bool:
    """Say whether a street has words of its own and a number: "Suite 171" is anybody's."""
    own = [word for word in _ATOM.findall(folded) if len(word) > 2 and word not in STREET_WORDS]
    return digit_count(folded) > 0 and bool(own) and len(folded) >= 8


def _names(folded: str) -> list[str]:
    words = _ATOM.findall(folded)
    if len(words) == 1 and not folded.isascii():
        words += [part for part in parts_of_name(folded) if part != words[0]]
    return [word for word in words if is_word(word) and word not in PARTICLES]


def _words_of_line(folded: str) -> list[str]:
    return [word for word in _ATOM.findall(folded) if len(word) > 3 and word not in STREET_WORDS]


def _names_in_login(folded: str) -> list[str]:
    words = _ATOM.findall(folded.rpartition("@")[0] or folded)
    return [word for word in words if len(word) > 2 and word not in ID_WORDS and is_name(word)]


ALONE: Final[Mapping[str, Callable[[str], bool]]] = {
    "long": lambda folded: len(folded) >= 6,
    "number": lambda folded: digit_count(folded) >= 7,
    "words": lambda folded: len([word for word in folded.split() if is_word(word)]) > 1,
    "line": _is_line,
    "postcode": _is_postcode,
    "code": _is_code,
}
"""By `Kind.alone`: whether a value names one person by itself."""
PARTS: Final[Mapping[str, Callable[[str], list[str]]]] = {
    "names": _names,
    "line": _words_of_line,
    "numbers": lambda folded: re.findall(r"\d{5,}", folded),
    "login": _names_in_login,
}
"""By `Kind.parts`: the words and numbers inside a value."""
