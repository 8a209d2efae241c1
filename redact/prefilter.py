"""Which of the slow searches a text can possibly need, by a look at its classes of characters.

In: a text. Out: `Needs`, one flag per search. Exact in one direction: a search that would find something is never
switched off (a property test runs both ways); most texts need none of them. Finds nothing itself.

Every search asks for a sequence of classes (digits, letters, separators). A text mapped to its classes is searched for
those sequences as plain substrings, which costs 1 ns a character where the searches cost 20 to 50.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from redact.character_classes import DIGITS, LOWER, UPPER, class_table
from redact.named_ids import may_hold_named_id
from redact.shapes import STREET_ENDS


class Needs(NamedTuple):
    """The searches that a text needs; a named tuple, because one is made per text."""

    secrets: bool = True
    """A token, a private key or a password in a connection string."""
    assigned: bool = True
    """`password: ...`."""
    phones: bool = True
    candidates: bool = True
    """Numbers with a checksum and net addresses."""
    addresses: bool = True
    named_ids: bool = True
    """`anna_meier_42`."""


EVERYTHING: Final = Needs()
"""What an unfiltered search assumes."""

_FOREIGN: Final = re.compile(r"[^\x00-\x7f]")
_DOTS: Final = re.compile(r"\.\d{1,3}\.\d{1,3}\.")
_COLONS: Final = re.compile(r":[0-9a-fA-F]{1,4}:[0-9a-fA-F]{1,4}:")
_STREETS: Final = tuple(f"{end} " for end in STREET_ENDS)


# Marks are `o` digit, `A` upper case, `a` lower case, `s` separator, `p` plus, `c` comma, `x` beyond ASCII.
_CLASSES: Final = class_table(b"x", o=DIGITS, A=UPPER, a=LOWER, s=" .-_", p="+", c=",")


def needs_of(text: str) -> Needs:
    """Return the searches that could find something in a text."""
    if text.isascii():
        raw = text.encode("ascii")
    else:
        if any(letter.isdigit() for letter in _FOREIGN.findall(text)):
            return EVERYTHING  # digits of other scripts are digits to every search
        raw = text.encode("utf-8", "surrogatepass")
    classes = raw.translate(_CLASSES)
    digits = b"o" in classes
    return Needs(
        secrets=_may_hold_secret(text),
        assigned=digits and _assigns(text),
        phones=b"po" in classes or b"ooosoooo" in classes,
        candidates=digits and _may_check(text, classes),
        addresses=digits and _may_be_address(text, classes),
        named_ids=digits and may_hold_named_id(raw),
    )


def _may_hold_secret(text: str) -> bool:
    # Spelt out: a generator over the same words takes twice as long, and this is asked of every text.
    return (
        "://" in text
        or "k-" in text
        or "k_" in text
        or "eyJ" in text
        or "earer" in text
        or "-----BEGIN" in text
        or "AKIA" in text
        or "AIza" in text
        or "ghp_" in text
        or "gho_" in text
        or "ghu_" in text
        or "ghs_" in text
        or "ghr_" in text
        or "github_pat" in text
        or "xox" in text
        or "lsv2" in text
        or "hf_" in text
    )


def _assigns(text: str) -> bool:
    plain = text.lower() if text.isascii() else text.casefold()
    return (
        "passw" in plain
        or "passphrase" in plain
        or "pwd" in plain
        or "token" in plain
        or "secret" in plain
        or "api" in plain
    )


def _may_check(text: str, classes: bytes) -> bool:
    if b"ooosoosoooo" in classes:
        return True
    fused = classes.translate(None, b"s")
    if b"o" * 13 in fused or (b"AAoo" in fused and _is_long_code(fused)):
        return True
    if text.count(".") >= 3 and _DOTS.search(text):
        return True
    return text.count(":") >= 3 and _COLONS.search(text) is not None


def _is_long_code(fused: bytes) -> bool:
    return b"A" * 12 in fused.replace(b"o", b"A")


def _may_be_address(text: str, classes: bytes) -> bool:
    # A number, a letter or comma perhaps, then a capital; letters beyond ASCII may be capitals.
    return _NUMBERED.search(classes) is not None or (
        b"aso" in classes and any(end in text for end in _STREETS)
    )


_NUMBERED: Final = re.compile(rb"o[aA]?c?s[Ax]")
