"""The leak check: searches what came out for what must not be there. An independent code path.

In: texts past the gate and what was learnt. Out: `Leak`s (kind, place and length, never text). Shares no matching code
with the scrubber: it looks values up by hashed tokens instead of an automaton, decodes JSON, URL and base64 spellings by
itself, and knows nothing of keys, vocabularies or surrogates. It finds app-wide values (direct identifiers, multi-word
names); single words are searched only when the caller says which episode a text derives from.
"""

from __future__ import annotations

import base64
import binascii
import html
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote

from redact.learnt import Learnt
from redact.word_lists import word_list

_TOKEN: Final = re.compile(r"[^\W_]+")
_BASE64: Final = re.compile(r"[A-Za-z0-9+/_-]{12,}={0,2}")
_ESCAPE: Final = re.compile(r"\\+u([0-9a-fA-F]{4})")
_ORDINARY: Final = word_list("ordinary")
_SINGLE: Final = 4
"""Single words shorter than this are not searched: two letters stand everywhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Leak:
    """One place past the gate where a learnt value still stands."""

    kind: str
    where: str
    """What the caller called the text."""
    offset: int
    length: int
    encoding: str
    """`plain`, or how it was written: `escaped`, `url`, `html`, `base64`."""
    direct: bool
    """Names one person by itself: it blocks."""


def find_leaks(
    texts: Iterable[tuple[str, str]],
    *,
    learnt: Learnt,
    episodes: Mapping[str, str] | None = None,
) -> list[Leak]:
    """Return every learnt value in the named texts; `episodes` maps a text's name to the raw episode it derives from."""
    table = _Table()
    for app in learnt.apps.values():
        table.add(app.values, direct=True)
    leaks: list[Leak] = []
    for where, text in texts:
        leaks += table.search(where, text)
        raw = (episodes or {}).get(where)
        if raw is not None:
            leaks += _local(where, text, learnt, raw)
    return leaks


def _local(where: str, text: str, learnt: Learnt, raw: str) -> Iterator[Leak]:
    own = _Table()
    for app in learnt.apps.values():
        words = app.local.get(raw, {})
        own.add({word: kind for word, kind in words.items() if len(word) >= _SINGLE}, direct=False)
    yield from own.search(where, text)


class _Table:
    """Values by their tokens: the first token finds the candidates, the rest must follow."""

    def __init__(self) -> None:
        self._by_first: dict[str, list[tuple[tuple[str, ...], str, bool]]] = {}

    def add(self, values: Mapping[str, str], *, direct: bool) -> None:
        for value, kind in values.items():
            tokens = tuple(_TOKEN.findall(value))
            if tokens:
                self._by_first.setdefault(tokens[0], []).append((tokens, kind, direct))

    def search(self, where: str, text: str) -> Iterator[Leak]:
        for encoding, plain in _readings(text):
            yield from self._search_plain(where, plain, encoding)

    def _search_plain(self, where: str, text: str, encoding: str) -> Iterator[Leak]:
        found = _TOKEN.findall(text)
        first = self._by_first
        hits = [place for place, token in enumerate(found) if token in first]
        if not hits:
            return
        spans = [token.start() for token in _TOKEN.finditer(text)]
        for place in hits:
            for tokens, kind, direct in first[found[place]]:
                if tuple(found[place : place + len(tokens)]) == tokens:
                    if (
                        tokens[0] in _ORDINARY
                        and len(tokens) == 1
                        and not self._beside(found, place)
                    ):
                        continue  # "order" is a leak of Mr Order only beside another of his words
                    last = place + len(tokens) - 1
                    length = spans[last] + len(found[last]) - spans[place]
                    if length <= len("".join(tokens)) + 3 * len(tokens):
                        yield Leak(
                            kind=kind,
                            where=where,
                            offset=spans[place],
                            length=length,
                            encoding=encoding,
                            direct=direct,
                        )

    def _beside(self, found: list[str], place: int) -> bool:
        near = found[max(0, place - 1) : place] + found[place + 1 : place + 2]
        return any(token in self._by_first for token in near)


def _readings(text: str) -> Iterator[tuple[str, str]]:
    """Yield the text in each of the spellings in which a value could hide in it, folded."""
    plain = text
    if "\\" in text:
        plain = re.sub(r"\\+[nrtbf]", "  ", _ESCAPE.sub(lambda code: chr(int(code[1], 16)), text))
    yield "plain", _folded(plain)
    if re.search(r"%[0-9A-Fa-f]{2}", text):
        yield "url", _folded(unquote(text.replace("+", " ")))
    if "&" in text and ";" in text:
        unescaped = html.unescape(text)
        if unescaped != text:
            yield "html", _folded(unescaped)
    for run in _BASE64.finditer(text):
        decoded = _decoded(run[0])
        if decoded:
            yield "base64", _folded(decoded)


def _folded(text: str) -> str:
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFKD", text).casefold()
    return "".join(letter for letter in plain if unicodedata.category(letter) not in {"Mn", "Cf"})


def _decoded(run: str) -> str | None:
    """Return what a base64 run says, None when it says nothing readable."""
    body = run.rstrip("=").replace("-", "+").replace("_", "/")
    body = body[: len(body) - (1 if len(body) % 4 == 1 else 0)]
    try:
        text = base64.b64decode(body + "=" * (-len(body) % 4), validate=True).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return None
    return text if text.isprintable() or "\n" in text else None
