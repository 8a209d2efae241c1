"""Birth dates that a text tells in words: "born 1988-06-08", "DOB: 8 June 1988", "geb. 08.06.1988".

In: a text. Out: the dates as they stand there. A date alone is nobody's: what says whose it is, is the words before it. Not
here: dates under a key (`documents`), what a date is (`dates`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from redact.values.dates import read_date

_CUES: Final = (
    "born", "date of birth", "birth date", "birthdate", "birthday", "dob", "d.o.b.", "geboren", "geb.", "geburtsdatum",
    "naissance", "née", "né", "né(e)", "nacido", "nacida", "nacimiento", "nato", "nata", "nascita", "nascido", "nascida",
    "nascimento", "nasci", "nasceu", "nació", "geboortedatum", "født", "fødselsdato", "född", "födelsedatum", "urodzony", "urodzona", "urodzenia",
    "ur.", "syntynyt", "syntymäaika",
)  # fmt: skip
# Spelt out, not asked for without regard to case: then some letters beyond ASCII would be among them.
CUES: Final = tuple(
    sorted({form for c in _CUES for form in (c, c.capitalize(), c.upper(), c.title())})
)
"""Every cue as it may be spelt: a text without any tells no birth date."""
_BETWEEN: Final = r"(?:(?:on|is|was|am|den|le|el|il|em|op|the)[ :]{1,3})?"
_BIRTH: Final = re.compile(
    rf"(?<![^\W_])(?:{'|'.join(map(re.escape, sorted(CUES, key=len, reverse=True)))})(?![^\W_])"
    rf"[\"'*)]{{0,3}}[ :=(*\"']{{0,4}}{_BETWEEN}"
    r"(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{4}"
    r"|\d{1,2}(?:st|nd|rd|th)?\.?(?: de)? [^\W\d_]{3,12}\.?,?(?: de)? \d{4}|[^\W\d_]{3,12}\.? \d{1,2}(?:st|nd|rd|th)?,? \d{4})(?!\d)"
)


def births_in(text: str) -> Iterator[str]:
    """Yield the dates that the words before them call somebody's birth."""
    for found in _BIRTH.finditer(text):
        if read_date(found[1]) is not None:
            yield found[1]
