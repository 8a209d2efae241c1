"""Which of the slow searches a text can possibly need, by one walk of an automaton over its bytes.

In: a text. Out: `Needs`, one flag per search. Exact in one direction: a search that would find something is never
switched off (a property test runs both ways); most texts need none of them. Finds nothing itself.

RE2 looks for what every search asks for at once, in 1.3 µs a text; asking one by one took ten times as long. It is the only
file that imports re2. Its patterns read UTF-8 as bytes: `¤` stands for the bytes beyond ASCII, which may be letters.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from typing import Final

import re2

from redact.names.prose_names import KIN, TOLD_LAST
from redact.recognizers.accounts import STARTS
from redact.recognizers.births import CUES
from redact.recognizers.spoken_forms import NUMERALS
from redact.values.shapes import STREET_ENDS


@dataclass(frozen=True, slots=True)
class Needs:
    """The searches that a text needs; few combinations occur, so that one is made for each of them."""

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
    emails: bool = True
    births: bool = True
    """A word that introduces a date of birth."""
    accounts: bool = True
    """A home folder, a directory's entry, a command's option."""
    told: bool = True
    """A capital after a word that introduces people."""
    uncapitalised: bool = True
    """Letters of a script whose names begin with no capital."""
    tokens: bool = True
    """Three digits near each other."""
    days: bool = True
    """A year beside a mark, or before a month in digits."""
    numbered: bool = True
    """A letter with a digit behind it."""
    kinds_first: bool = True
    """A kind of street before its name."""
    codes: bool = True
    """Four digits behind a word."""
    said: bool = True
    """An e-mail address or a number in words."""
    drawn: bool = True
    """Perhaps a key or a token, in which digits are few."""
    digits: bool = True
    """Perhaps digits of other scripts."""
    shapes: bool = field(init=False)
    """Whether any personal value can show by its shape."""
    nothing: bool = field(init=False)
    """Whether a message needs no search at all but for listed names."""

    def __post_init__(self) -> None:
        shapes = (
            self.secrets
            or self.assigned
            or self.phones
            or self.candidates
            or self.addresses
            or self.kinds_first
            or self.named_ids
            or self.emails
            or self.births
            or self.accounts
            or self.uncapitalised
        )
        object.__setattr__(self, "shapes", shapes)
        else_needed = self.tokens or self.drawn or self.days or self.numbered or self.said
        named = self.told or self.uncapitalised
        object.__setattr__(self, "nothing", not (shapes or else_needed or named))


EVERYTHING: Final = Needs()
"""What an unfiltered search assumes."""

_FOREIGN: Final = re.compile(r"[^\x00-\x7f]")
_SPACES: Final = r"\s\x0b\x1c-\x1f¤"
_TOLD: Final = "|".join(re.escape(word) for word in sorted(TOLD_LAST | KIN) if word.isascii())
_NUMERALS: Final = "|".join(_FOREIGN.sub("[¤][¤]", word) for word in NUMERALS)
_ENDS: Final = "|".join(STREET_ENDS)
_SIGN: Final = r"(?:[^0-9\x80-\xff]|[\xc0-\xff][\x80-\xbf]*)"
"""One character that is no digit."""
# The counts of the searches' own patterns are lowered to what a search cannot do
# without: the automaton is small, and a character beyond ASCII is several bytes.
_PATTERNS: Final[Mapping[str, str]] = {
    "secrets": r"-----BEGIN [A-Z ]*PRIVATE KEY-----|://[^ \t\r\n:/@\"']+:[^ \t\r\n/@\"']+@|eyJ[\w¤-]{8,}\.[\w¤-]{8,}\.[\w¤-]{4}"
    r"|[spr]k[-_][A-Za-z0-9_-]{16}|AKIA[0-9A-Z]{16}|AIza[\w¤-]{30}|gh[pousr]_[A-Za-z0-9]{30}|github_pat_[\w¤]{20}"
    r"|xox[abeprs]-[\w¤-]{10}|lsv2_[\w¤]{2,}_[0-9a-f_]{20}|[Bb]earer [\w¤.~+/-]{16}|hf_[A-Za-z0-9]{20}"
    r"|sq0[a-z]{3}-|shp[a-z]{2}_|glpat-|glsa_|dop_v1_|hv[sb]\.[\w¤]|xai-|gsk_|npm_|pypi-|lin_api_|ntn_|figd_|SG\.[\w¤]|tvly-|pcsk_|r8_|dapi[0-9a-f]{8}"
    r"|sbp_|NRAK-|ATATT|whsec_|dp\.pt\.|fo1_|[Bb]asic [A-Za-z0-9+/]{12}|hooks\.slack\.com/",
    "assigned": r"(?i:password|passwort|kennwort|wi-?fi pass|passwd|pwd|passphrase|api[ _-]?key|secret[ _-]?key|client[ _-]?secret|token|account[ _-]?key|signature|sig)"
    rf"(?:\"?[{_SPACES}]*[:=][{_SPACES}]*\"?| (?:(?i:is):? |(?i:of) )?)['¤]*[^ \t\r\n\"',;]{{4}}",
    "phones": r"(?:\([2-9]\d\d\) ?|[2-9]\d\d[ .-])[2-9]\d\d[ .-]\d{4}|\+[1-9]\d{0,2}(?:[ ./()-]{0,2}\d){7}",
    "candidates": r"\d(?:[ -]?\d){12}|\d{3}[- .]\d\d[- .]\d{4}|[A-Z]{2}\d\d(?: ?[A-Z0-9]{4}){2}|(?:\d{1,3}\.){3}\d"
    r"|(?:[0-9a-fA-F]{1,4}:){3}:?[0-9a-fA-F]",
    "addresses": r"(?:^|[^\w.,$#-])\d{1,5}[a-zA-Z]?,? [A-Z¤][A-Za-z¤]*\.? ?[A-Z¤]|(?:"
    + _ENDS
    + r") \d|, \d{4,5} [A-Z¤]",
    "named_ids": r"[A-Za-z¤]{2}[._-][A-Za-z¤]{2,}[._-]?\d",
    "emails": r"(?:@|%(?:25)?40|\\u0040)[\w¤-]+\.[\w¤-]",
    "births": "|".join(_FOREIGN.sub("[¤][¤]", re.escape(cue)) for cue in CUES),
    "accounts": "|".join(map(re.escape, STARTS)),
    # A word is read in a window of fourteen characters: what begins before it is cut, and may be a longer word's end. A word with
    # a letter beyond ASCII may be any of them.
    "told": rf"(?:^|[{_SPACES},:.])(?i:{_TOLD})[,:.]*[{_SPACES}]*[A-Z¤]|(?i:{_TOLD})[{_SPACES},:.]{{4,}}[A-Z¤]"
    rf"|(?:[¤][A-Za-z]+|[\xc2-\xdf][¤])[{_SPACES},:.]*[A-Z¤]",
    "uncapitalised": r"[\xd8\xd9\xe4-\xe9]|\xe3\x80\x85",
    "tokens": rf"\d{_SIGN}{{0,2}}\d{_SIGN}{{0,2}}\d",
    "drawn": r"[A-Za-z]\d{1,2}[A-Za-z]",
    "days": r"[ ./,-](?:19|20)\d\d|(?:19|20)\d\d(?:[-/.]|, |[01])\d",
    "numbered": "[A-Za-z][0-9]",  # five letters would be more states than the search costs
    "kinds_first": r"\d(?: ?(?:bis|ter|[A-D]))?,? (?:[Rr]ue|[Aa]venue|[Bb]oulevard|[Pp]lace|[Ii]mpasse|[Aa]ll\xc3\xa9e|[Cc]hemin|[Qq]uai|[Cc]ours) "
    r"|(?:Calle|C/|Avenida|Avda\.?|Plaza|Paseo|Via|Viale|Piazza|Corso|Rua|Travessa|ul\.|ulica) ",
    "codes": r"[A-Za-z¤][ :#*=]{1,3}[0-9]{4}|[\xe3-\xe9][\x80-\xbf][\x80-\xbf][0-9]{4}",
    "said": r"(?i: dot |[(\[](?:dot|at)[)\]])| @ |"
    rf"(?i:{_NUMERALS})[ ,.-]{{1,3}}(?i:{_NUMERALS})[ ,.-]",
    # All but Latin, Greek, Cyrillic and Hebrew letters, the euro and the common punctuation.
    "digits": r"[\xc2\xd8-\xdf\xe0\xe1\xe3-\xff]|\xe2(?:[^\x80\x82]|\x82[^\xac])",
}


def needs_of(text: str) -> Needs:
    """Return the searches that could find something in a text."""
    if text.isascii():
        return _needs(tuple(_looks().Match(text.encode("ascii")) or ()))
    needs = _needs(tuple(_looks().Match(text.encode("utf-8", "surrogatepass")) or ()))
    if needs.digits and any(letter.isdigit() for letter in _FOREIGN.findall(text)):
        return EVERYTHING  # digits of other scripts are digits to every search
    if not needs.assigned and _EQUAL_TO_OURS.search(text):
        return replace(needs, assigned=True)
    return needs


_EQUAL_TO_OURS: Final = re.compile("[\u017f\u212a\u0130\u0131]")
"""Letters that a search without regard to case takes for s, k and i."""


@lru_cache(maxsize=4_096)
def _needs(seen: tuple[int, ...]) -> Needs:
    return Needs(*(place in seen for place in range(len(_NAMES))))


_NAMES: Final = tuple(search.name for search in fields(Needs) if search.init)


@lru_cache(maxsize=1)
def _looks() -> re2.Set:
    """Return all patterns as one automaton."""
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.never_capture = True
    options.max_mem = 64 * 2**20  # an automaton without memory would see nothing and not say so
    looks = re2.Set.SearchSet(options)
    for name in _NAMES:
        looks.Add(_PATTERNS[name].replace("¤", r"\x80-\xff").encode())
    looks.Compile()
    return looks
