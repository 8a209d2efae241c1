"""The recognizers of personal data that shows by its form, in the order in which they are asked: one row each, with its cue beside it.

In: a text. Out: (kind, value) pairs. A new kind of personal data is a row here and one in `redact.kinds`; one that stands under
keys has its form in `redact.values.shapes`, too. One of Presidio's plugs in by configuration (`redact.recognizers.presidio_engine`). Not here: names in prose (`redact.names`), values under keys (`redact.readers`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from redact.bounds import SHORT
from redact.fold import fold_value
from redact.lists.gazetteer import is_name
from redact.lists.word_lists import ID_WORDS
from redact.names.mail_names import names_beside
from redact.recognizers.accounts import STARTS, accounts_in
from redact.recognizers.addresses_without_blanks import addresses_without_blanks
from redact.recognizers.births import CUES, births_in
from redact.recognizers.patterns import (
    assigned_in,
    british_codes_in,
    checked_in,
    phones_in,
    secrets_in,
)
from redact.values.shapes import STREET_ENDS, addresses_in, emails_in, lines_by_kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Recognizer:
    """One way in which personal data shows by its form."""

    cue: str
    """What a text without any such value cannot hold, as RE2 reads it in bytes; `¤` stands for the bytes beyond ASCII."""
    find: Callable[[str], Iterable[tuple[str, str]]]
    """Yields the kind and the value of each."""


def foreign(text: str) -> str:
    """Return a pattern in which letters beyond ASCII are any two bytes beyond it."""
    return _FOREIGN.sub("[¤][¤]", text)


_FOREIGN: Final = re.compile(r"[^\x00-\x7f]")
SPACES: Final = r"\s\x0b\x1c-\x1f¤"
_ENDS: Final = "|".join(STREET_ENDS)
UNCAPITALISED: Final = r"[\xd8\xd9\xe4-\xe9]|\xe3\x80\x85"
"""Letters of scripts whose names begin with no capital."""
NAMED_ID: Final = re.compile(
    r"(?<![^\W_])([^\W\d_]{2,})([._-])([^\W\d_]{2,})(?:[._-]?(\d{1,8}))(?![^\W_])"
)
"""Two words and a number: `anna_meier_42`, `anna.meier-7`."""


def _of_kind(
    kind: str, find: Callable[[str], Iterable[str]]
) -> Callable[[str], Iterator[tuple[str, str]]]:
    """Return a search that says of each value that it is of a kind."""

    def kinds(text: str) -> Iterator[tuple[str, str]]:
        return ((kind, value) for value in find(text))

    return kinds


def _addressed(text: str) -> Iterator[tuple[str, str]]:
    """Yield e-mail addresses, and the names beside them of which they are made."""
    for value in dict.fromkeys(emails_in(text)):
        yield "email", value
        yield from (("full_name", name) for name in names_beside(text, value))


def _ids_of_names(text: str) -> Iterator[tuple[str, str]]:
    """Yield identifiers that are made of somebody's names."""
    for value, first, second in named_ids_in(text):
        if _names_somebody(first, second):
            yield "person_id", value


def named_ids_in(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield (identifier, first word, second word) of what looks like `anna_meier_42`."""
    for found in NAMED_ID.finditer(text):
        if not _is_mark(found[1], found[3]):
            yield found[0], found[1], found[3]


def _is_mark(first: str, second: str) -> bool:
    """Say whether the first of two words is an acronym and the second is none, as in `CRISPR-Cas9`: nobody writes half of a name so."""
    return len(first) >= SHORT and first.isupper() and not second.isupper()


@lru_cache(maxsize=65_536)
def _names_somebody(first: str, second: str) -> bool:
    words = (fold_value(first), fold_value(second))
    return not any(word in ID_WORDS for word in words) and any(is_name(word) for word in words)


# The counts of the searches' own patterns are lowered to what a search cannot do
# without: the automaton is small, and a character beyond ASCII is several bytes.
RECOGNIZERS: Final[tuple[Recognizer, ...]] = (
    Recognizer(cue=r"(?:@|%(?:25)?40|\\u0040)[\w¤-]+\.[\w¤-]", find=_addressed),
    Recognizer(
        cue=r"-----BEGIN [A-Z ]*PRIVATE KEY-----|://[^ \t\r\n:/@\"']+:[^ \t\r\n/@\"']+@|eyJ[\w¤-]{8,}\.[\w¤-]{8,}\.[\w¤-]{4}"
        r"|[spr]k[-_][A-Za-z0-9_-]{16}|AKIA[0-9A-Z]{16}|AIza[\w¤-]{30}|gh[pousr]_[A-Za-z0-9]{30}|github_pat_[\w¤]{20}"
        r"|xox[abeprs]-[\w¤-]{10}|lsv2_[\w¤]{2,}_[0-9a-f_]{20}|[Bb]earer [\w¤.~+/-]{16}|hf_[A-Za-z0-9]{20}"
        r"|sq0[a-z]{3}-|shp[a-z]{2}_|glpat-|glsa_|dop_v1_|hv[sb]\.[\w¤]|xai-|gsk_|npm_|pypi-|lin_api_|ntn_|figd_|SG\.[\w¤]|tvly-|pcsk_|r8_|dapi[0-9a-f]{8}"
        r"|sbp_|NRAK-|ATATT|whsec_|dp\.pt\.|fo1_|[Bb]asic [A-Za-z0-9+/]{12}|hooks\.slack\.com/",
        find=_of_kind("secret", secrets_in),
    ),
    Recognizer(
        # Besides, the letters that a search without regard to case takes for s, k and i.
        cue=r"(?i:password|passwort|kennwort|wi-?fi pass|passwd|pwd|passphrase|api[ _-]?key|secret[ _-]?key|client[ _-]?secret|token|account[ _-]?key|signature|sig)"
        rf"(?:\"?[{SPACES}]*[:=][{SPACES}]*\"?| (?:(?i:is):? |(?i:of) )?)['¤]*[^ \t\r\n\"',;]{{4}}"
        r"|\xc5\xbf|\xe2\x84\xaa|\xc4[\xb0\xb1]",
        find=_of_kind("secret", assigned_in),
    ),
    Recognizer(
        cue=r"(?:\([2-9]\d\d\) ?|[2-9]\d\d[ .-])[2-9]\d\d[ .-]\d{4}|\+[1-9]\d{0,2}(?:[ ./()-]{0,2}\d){7}|0 ?\([1-9]\d",
        find=_of_kind("phone", phones_in),
    ),
    Recognizer(
        cue=r"\d(?:[ -]?\d){12}|\d{3}[- .]\d\d[- .]\d{4}|[A-Z]{2}\d\d(?: ?[A-Z0-9]{4}){2}|(?:\d{1,3}\.){3}\d"
        r"|(?:[0-9a-fA-F]{1,4}:){3}:?[0-9a-fA-F]",
        find=checked_in,
    ),
    Recognizer(
        cue=r"[A-Z]\d[A-Z\d]? \d[A-Z]{2}|[A-Z]\d\d [A-Z]{3}|[A-Z] \d\d \d\d \d\d [A-D]",
        find=british_codes_in,
    ),
    Recognizer(
        cue=r"(?:^|[^\w.,$#-])\d{1,5}[a-zA-Z]?,? [A-Z¤][A-Za-z¤]*\.? ?[A-Z¤]|(?:"
        + _ENDS
        + r") \d|(?:, |\n)(?:\d{4,5}|\d\d-\d{3}|\d{3} \d\d) [A-Z¤]",
        find=addresses_in,
    ),
    Recognizer(
        cue=r"\d(?: ?(?:bis|ter|[A-D]))?,? (?:[Rr]ue|[Aa]venue|[Bb]oulevard|[Pp]lace|[Ii]mpasse|[Aa]ll\xc3\xa9e|[Cc]hemin|[Qq]uai|[Cc]ours) "
        r"|(?:Calle|C/|Avenida|Avda\.?|Plaza|Paseo|Via|Viale|Piazza|Corso|Vicolo|Largo|Rua|Travessa|ul\.|ulica|al\.|os\.|pl\.) ",
        find=lines_by_kind,
    ),
    Recognizer(cue=UNCAPITALISED, find=_of_kind("street", addresses_without_blanks)),
    Recognizer(
        cue="|".join(foreign(re.escape(cue)) for cue in CUES),
        find=_of_kind("birth_date", births_in),
    ),
    Recognizer(cue="|".join(map(re.escape, STARTS)), find=_of_kind("handle", accounts_in)),
    Recognizer(cue=r"[A-Za-z¤]{2}[._-][A-Za-z¤]{2,}[._-]?\d", find=_ids_of_names),
)
