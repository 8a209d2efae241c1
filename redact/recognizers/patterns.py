"""Patterns and checksums: card numbers, account numbers, social security numbers, net addresses, and secrets.

In: a text. Out: (kind, value) pairs. Presidio judges the first four, model-free and only on the few characters that could
be one (its import costs 2.1 s and its whole default set runs at 0.1 MB/s; candidates are rare, so most texts never
reach it). Secrets have their own patterns. Phone numbers are found only where they are written as such: bare digits are
far more often product ids.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from redact.bounds import CODE_LENGTH
from redact.recognizers.presidio_engine import checksums
from redact.values.shapes import is_nobodys_address

if TYPE_CHECKING:
    from presidio_analyzer import AnalyzerEngine

_ENTITIES: Final = {
    "CREDIT_CARD": "card_number",
    "US_SSN": "ssn",
    "IBAN_CODE": "iban",
    "IP_ADDRESS": "ip",
}
_CANDIDATE: Final = re.compile(
    r"(?<![\w.-])(?:\d(?:[ -]?\d){12,18}|\d{3}[- .]\d{2}[- .]\d{4}|[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?"
    r"|(?:\d{1,3}\.){3}\d{1,3}|(?:[0-9a-fA-F]{1,4}:){3,7}(?::?[0-9a-fA-F]{1,4})+)(?![\w-]|\.\d)"
)
_PHONE: Final = re.compile(
    r"(?<![\w+.-])(?:(?:\+?1[ .-]?)?(?:\([2-9]\d{2}\) ?|[2-9]\d{2}[ .-])[2-9]\d{2}[ .-]\d{4}"
    r"|\+[1-9]\d{0,2}(?:[ ./()-]{0,2}\d){7,12}|0 ?\([1-9]\d{1,3}\) ?\d{3}(?:[ -]?\d{2,4}){1,2})(?![\w-]|\.\d)"
)
_BRITISH: Final = re.compile(
    r"(?<![\w.-])(?:[A-Z]{1,2}\d[A-Z\d]? \d(?![GMTK]B)[ABD-HJLNP-UW-Z]{2}|([A-Z]{2}\d\d [A-HJ-PR-Z]{3}|[A-Z]{2}(?: \d\d){3} [A-D]))(?![\w-])"
)
"""A postcode, or a number plate, whose two groups hold letters and digits: `LS9 1DX`, `YA55 BMY`; a memory of `8GB` is none. Or an insured's number."""
_SECRETS: Final = (
    (
        "-----BEGIN",
        re.compile(
            r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)",
            re.DOTALL,
        ),
    ),
    ("://", re.compile(r"(?<=://)[^\s:/@\"']{1,80}:[^\s/@\"']{1,120}(?=@)")),
    ("eyJ", re.compile(r"\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{4,}")),
    ("sk", re.compile(r"\b(?:sk|pk|rk)[-_](?:[a-z]+[-_]){0,2}[A-Za-z0-9_-]{16,}")),
    ("AKIA", re.compile(r"\bAKIA[0-9A-Z]{16}\b")),
    ("AIza", re.compile(r"\bAIza[\w-]{30,}")),
    ("gh", re.compile(r"\bgh[pousr]_[A-Za-z0-9]{30,}")),
    ("github_pat", re.compile(r"\bgithub_pat_\w{20,}")),
    ("xox", re.compile(r"\bxox[abeprs]-[\w-]{10,}")),
    ("lsv2", re.compile(r"\blsv2_\w{2}_[0-9a-f_]{20,}")),
    (
        "",
        re.compile(
            r"\b(?:sq0[a-z]{3}-|shp[a-z]{2}_|glpat-|glsa_|dop_v1_|hv[sb]\.|xai-|gsk_|npm_|pypi-|lin_api_|ntn_|figd_|SG\.|tvly-|pcsk_|r8_|dapi|sbp_"
            r"|NRAK-|ATATT|whsec_|dp\.pt\.|fo1_)[\w.-]{19,}\w"
        ),
    ),
    ("asic", re.compile(r"(?<=[Bb]asic )(?=[A-Za-z+/]*[0-9=])[A-Za-z0-9+/]{12,}={0,2}")),
    ("hooks.slack", re.compile(r"(?<=hooks\.slack\.com/services/)[\w/]{20,}")),
    ("earer", re.compile(r"(?<=[Bb]earer )[\w.~+/-]{16,}=*")),
    ("hf_", re.compile(r"\bhf_[A-Za-z0-9]{20,}")),
)
"""A word that must be there, none where there are several, and the pattern."""
_ASSIGNED: Final = re.compile(
    r"(?i)\b(?:password|passwort|kennwort|wi-?fi pass|passwd|pwd|passphrase|api[ _-]?key|secret[ _-]?key|client[ _-]?secret|(?:[a-z]+[_-]?)?token|account[ _-]?key|signature|\bsig)"
    r"(?:\"?\s*[:=]\s*\"?| (?:is:? |of )?)['\u2018\u201c]?([^\s\"',;\u2019\u201d]{6,120})"
)


def phones_in(text: str) -> Iterator[str]:
    """Yield the telephone numbers that are written as such."""
    return (found[0] for found in _PHONE.finditer(text))


def checked_in(text: str) -> Iterator[tuple[str, str]]:
    """Yield the numbers of cards, accounts and people whose checksum is right, and net addresses."""
    for found in _CANDIDATE.finditer(text):
        kind = _recognised(found[0])
        if kind:
            yield kind, found[0]


def british_codes_in(text: str) -> Iterator[tuple[str, str]]:
    """Yield postcodes and number plates of Britain, which have no other thing's form."""
    for found in _BRITISH.finditer(text):
        yield "document_id" if found[1] else "postcode", found[0]


def secrets_in(text: str) -> Iterator[str]:
    """Yield keys, tokens and passwords in connection strings."""
    for word, pattern in _SECRETS:
        if word in text:
            for found in pattern.finditer(text):
                yield from _lines_of_key(found[0]) if word == "-----BEGIN" else (found[0],)


def assigned_in(text: str) -> Iterator[str]:
    """Yield what stands behind a word for a password or a key, where a digit is in it."""
    for found in _ASSIGNED.finditer(text):
        if any(letter.isdigit() for letter in found[1]):
            # The stop of a sentence is no part of it: the same password in a call has none.
            yield found[1].rstrip(".")


def _lines_of_key(key: str) -> Iterator[str]:
    """Yield a private key, and each of its lines: JSON writes what is between them in another way."""
    yield key
    yield from (
        line for line in _BREAK.split(key) if len(line) >= CODE_LENGTH and "-----" not in line
    )


_BREAK: Final = re.compile(r"(?:(?<!\\)\\+[nr]|\s)+")


@lru_cache(maxsize=20_000)
def _recognised(candidate: str) -> str | None:
    results = _analyzer().analyze(candidate, language="en", entities=list(_ENTITIES))
    whole = [result for result in results if result.end - result.start >= len(candidate) - 2]
    best = max(whole, key=lambda result: (result.score, result.entity_type), default=None)
    if best is None or (best.entity_type == "US_SSN" and best.score < 0.5):
        return None
    kind = _ENTITIES[best.entity_type]
    return None if kind == "ip" and is_nobodys_address(candidate) else kind


@lru_cache(maxsize=1)
def _analyzer() -> AnalyzerEngine:
    return checksums()
