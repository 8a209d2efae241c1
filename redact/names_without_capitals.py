"""Names in Arabic and Japanese prose, which mark no name by a capital letter.

In: the text of a message. Out: (kind, name) pairs: two listed names in a row, or what stands beside a cue ("my name is",
"my wife", -san) as far as the lists know it. Errs towards precision, like `redact.prose_names`, which calls it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from redact.fold import fold_value
from redact.gazetteer import is_name
from redact.word_lists import word_list

_ARABIC: Final = re.compile("[\u0621-\u064a]+(?: [\u0621-\u064a]+)*")
_JAPANESE: Final = re.compile("[\u4e00-\u9fff\u3005]{2,10}")
_TOLD_ARABIC: Final = word_list("name_told_arabic")
_RELATED_ARABIC: Final = word_list("name_related_arabic")
_TOLD_JAPANESE: Final = tuple(sorted(word_list("name_told_japanese")))
_ENDING_JAPANESE: Final = tuple(sorted(word_list("name_ending_japanese")))
_LONGEST: Final = 5
"""Characters of the longest cue in Japanese."""


def names_without_capitals(text: str) -> Iterator[tuple[str, str]]:
    """Yield (kind, name) of the people whom Arabic and Japanese words of a text name."""
    for run in _ARABIC.finditer(text):
        yield from _in_arabic(run[0].split(" "))
    for run in _JAPANESE.finditer(text):
        yield from _in_japanese(
            run[0], text[: run.start()][-_LONGEST:], text[run.end() :][:_LONGEST]
        )


def _in_arabic(words: list[str]) -> Iterator[tuple[str, str]]:
    taken = -1
    for place, word in enumerate(words):
        before = words[place - 1] if place else ""
        if place <= taken or word in _TOLD_ARABIC | _RELATED_ARABIC:
            continue
        told, listed = before in _TOLD_ARABIC, _listed(word)
        if not told and not listed:
            continue
        after = words[place + 1] if place + 1 < len(words) else ""
        cued = told or before in _RELATED_ARABIC
        if after and (_listed(after) or (cued and after.startswith("ال"))):
            taken = place + 1
            yield "full_name", f"{word} {after}"
        elif told or (listed and cued):
            yield "first_name", word


def _in_japanese(run: str, before: str, after: str) -> Iterator[tuple[str, str]]:
    cued = before.endswith(_TOLD_JAPANESE) or after.startswith(_ENDING_JAPANESE)
    for start in range(len(run) - 1):
        rest = run[start:]
        for cut in range(2, min(4, len(rest)) + 1):
            family, given = rest[:cut], rest[cut:]
            if not _listed(family):
                continue
            if given and len(given) <= 3 and (cued or _listed(given)):
                yield "full_name", rest
                return
            if not given and cued:
                yield "last_name", family
                return


def _listed(word: str) -> bool:
    return len(word) > 1 and is_name(fold_value(word))
