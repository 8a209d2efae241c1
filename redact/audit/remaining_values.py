"""What stays of an episode past the gate: values of arguments and results that nothing changed, by key and by what they look like.

Comes in: an episode on both sides of the gate. Goes out: counts by kind and key. Personal or not is not judged once more: numbers of
orders stay by rule, and whoever signs for the data has to know it. Messages have no keys: they are for people to read.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from ingest.records.episode import Episode
from redact.bounds import DEPTH, LONG_NUMBER, SHORT
from redact.readers.documents import plain_key
from redact.readers.leaves import documents_in
from redact.records.clean_episode import CleanEpisode
from redact.values.dates import read_date
from redact.values.shapes import digit_count

NUMBER: Final = "number of a record"
DAY: Final = "day or time"
PAGE: Final = "address of a page"
TEXT: Final = "free text"
WORDS: Final = "words"
AMOUNT: Final = "amount or count"
_DATED: Final = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d.*)?|\d\d:\d\d(?::\d\d)?")
_MEASURED: Final = re.compile(r"[$€£]?-?\d[\d.,]*(?: ?[^\W\d_]{1,4}|%)?")


class RemainingKind(NamedTuple):
    """One value that stays."""

    kind: str
    key: str
    value: str


def staying(raw: Episode, clean: CleanEpisode) -> Counter[tuple[str, str]]:
    """Count what stays of an episode by kind and key."""
    return Counter((one.kind, one.key) for one in kept_in(raw, clean))


def kept_in(raw: Episode, clean: CleanEpisode) -> Iterator[RemainingKind]:
    """Yield the values that stay."""
    for before, after in zip(raw.steps, clean.steps, strict=False):
        if before.role == "tool" and before.content and after.content:
            yield from _remaining_in(before.content, after.content, before.tool_name or "")
        for call, other in zip(before.tool_calls, after.tool_calls, strict=False):
            yield from _remaining_in(call.arguments, other.arguments, call.name)


def _remaining_in(before: str, after: str, tool: str) -> Iterator[RemainingKind]:
    ours, theirs = documents_in(before), documents_in(after)
    if len(ours) == len(theirs):
        for one, other in zip(ours, theirs, strict=True):
            yield from _walk(one, other, tool, 0)


def _walk(before: object, after: object, path: str, depth: int) -> Iterator[RemainingKind]:
    if depth > DEPTH or type(before) is not type(after):
        return
    if isinstance(before, dict) and isinstance(after, dict):
        for key in before.keys() & after.keys():
            below = f"{path}.{plain_key(str(key))}"
            yield from _walk(before[key], after[key], below, depth + 1)
    elif isinstance(before, list) and isinstance(after, list):
        for one, other in zip(before, after, strict=False):
            yield from _walk(one, other, path, depth + 1)
    elif before == after and isinstance(before, str | int | float) and before not in (True, False):
        value = str(before)
        if value.strip():
            yield RemainingKind(_kind(value, is_text=isinstance(before, str)), path, value)


@lru_cache(maxsize=65_536)
def _kind(value: str, *, is_text: bool) -> str:
    if _DATED.fullmatch(value) or (is_text and digit_count(value) and read_date(value)):
        return DAY
    if "://" in value:
        return PAGE
    words = len(value.split())
    if words >= LONG_NUMBER:
        return TEXT
    if digit_count(value) >= SHORT and not (_MEASURED.fullmatch(value) and "." in value):
        return NUMBER if is_text or len(value) > LONG_NUMBER else AMOUNT
    return WORDS if not _MEASURED.fullmatch(value) else AMOUNT
