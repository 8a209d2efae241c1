"""Points in time: whatever a source writes becomes nanoseconds since the epoch.

Comes in: ISO 8601 text and numbers of unknown unit. Goes out: integers, or None where the text is no time.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from typing import Final

_SECOND: Final = 1_000_000_000
_DOTTED: Final = re.compile(r"^(\d{1,2})\.(\d{1,2})\.(\d{4})(?:,? (?=\d))?")
"""Day, month and year as much of Europe writes them; with slashes nobody knows which of the two is the month."""
_FRACTION: Final = re.compile(r"^(.*?\d{2}:\d{2}:\d{2})[.,](\d{1,12})(.*)$")

# A number's unit is read off its size: every real time of a production trace lies between 1973 and 5138.
_UNITS: Final = ((10**11, _SECOND), (10**14, 1_000_000), (10**17, 1_000), (2**63, 1))


def from_number(value: float) -> int | None:
    """Nanoseconds from a count of seconds, milli-, micro- or nanoseconds; None for zero, negative or absurd ones."""
    if not 0 < value < 2**63:  # also false for NaN
        return None
    for bound, factor in _UNITS:
        if value < bound:
            scaled = value * factor
            return _within_64_bits(int(scaled) if isinstance(value, int) else round(scaled))
    return None


def from_text(text: str) -> int | None:
    """Nanoseconds from ISO 8601 (no zone means UTC) or from a number written as text."""
    text = text.strip()
    if not text:
        return None
    if text.replace(".", "", 1).isdigit() and len(text) != 8 and text.isascii():
        return from_number(float(text) if "." in text else int(text[:20]))
    if dotted := _DOTTED.match(text):
        day, month, year = (int(one) for one in dotted.groups())
        text = f"{year}-{month:02}-{day:02} {text[dotted.end() :]}".strip()
    nanos = 0
    text = text.removesuffix(" UTC")  # as data warehouses export it
    match = _FRACTION.match(text)
    if match:
        nanos = int(match.group(2)[:9].ljust(9, "0"))
        text = match.group(1) + match.group(3)
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
    try:
        return _within_64_bits(int(moment.timestamp()) * _SECOND + nanos)
    except (OverflowError, ValueError):
        return None


def from_any(value: object) -> int | None:
    """Nanoseconds from text, a number, a `datetime` or a `date`; None for anything else."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        return from_number(value)
    if isinstance(value, str):
        return from_text(value)
    if isinstance(value, datetime):
        moment = value if value.tzinfo else value.replace(tzinfo=UTC)
        return _within_64_bits(int(moment.timestamp()) * _SECOND + moment.microsecond * 1000)
    if isinstance(value, date):
        return from_text(value.isoformat())
    return None


def _within_64_bits(nanoseconds: int) -> int | None:
    """What fits a column of 64 bits, up to the year 2262; a later time is a mistake of whoever wrote it."""
    return nanoseconds if abs(nanoseconds) < 2**63 else None


def to_text(nanoseconds: int) -> str:
    """ISO 8601 in UTC, with as many digits after the second as it takes."""
    seconds, nanos = divmod(nanoseconds, _SECOND)
    text = datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    return f"{text}.{nanos:09d}".rstrip("0") + "Z" if nanos else f"{text}Z"


def day_of(nanoseconds: int) -> str:
    """The UTC day in ISO format, the name of a partition."""
    return datetime.fromtimestamp(nanoseconds // _SECOND, UTC).strftime("%Y-%m-%d")
