"""The leak check: searches what came out for what must not be there. An independent code path.

In: texts past the gate and what was learnt. Out: `Leak`s (kind, place and length, never text). Shares no matching code
with the scrubber: it looks values up by hashed tokens instead of an automaton, decodes JSON, URL and base64 spellings by
itself (`redact.audit.spellings`), and knows nothing of keys or surrogates. It finds app-wide values (direct identifiers, multi-word names); single
words are searched only when the caller says which episode a text derives from, and one that is ordinary or public
counts only beside another word of the same subject. What does not count is told with its reason.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Final, NamedTuple

from redact.audit.spellings import ALIKE, folded, readings, spread_letters, unescape_text
from redact.bounds import LONGEST_TABLE, PARTS_REMEMBERED, REMEMBERED, SHORT, STEM
from redact.decisions.judgement import personal_everywhere
from redact.evidence.app_values import Learnt
from redact.evidence.people_places import choices, without_choices
from redact.lists.dictionary import ENGLISH, words_of
from redact.lists.word_lists import word_list

_TOKEN: Final = re.compile(r"[^\W_]+")
_GAPS: Final = re.compile(r"[\W_]+")
_SPACES: Final = {code: " " for code in range(128) if not chr(code).isalnum()}
_ORDINARY: Final = word_list("ordinary")
_COMMON: Final = _ORDINARY | word_list("street") | word_list("id") | word_list("particles")
_OF_WORDS: Final = frozenset({"full_name", "first_name", "last_name", "street", "city"})
_KEY_END: Final = re.compile(r'"\s*:')
_QUOTES: Final = frozenset("\"'\\")


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
    beside: bool = False
    """Another word of the same subject stands next to it."""
    waiver: str = ""
    """Why it does not count: `ordinary` or `public` for a word that stands apart from every other word of its subject, and
    `public` for a passage that many subjects have alike."""


class LeakSearch:
    """The search of one home's texts, made once for many; each distinct text is searched once for app-wide values."""

    def __init__(
        self,
        learnt: Learnt,
        *,
        k: int = 5,
        is_public: Callable[[str], bool] | None = None,
        shared: Iterable[str] = (),
    ) -> None:
        """`shared` are texts that k subjects or more have alike, such as tool definitions: they are about nobody."""
        self._learnt = learnt
        self._public = _Public(is_public, _Passages(shared))
        self._table = _Table(self._public)
        for app in learnt.apps.values():
            self._table.add(personal_everywhere(app, k=k), direct=True)
        self._choices = _choices(learnt, k)
        self._own: dict[str, _Table] = {}
        self._clear: set[str] = set()
        self._silent: set[int] = set()
        """Hashes of an episode and a text that holds none of its values: what the gate searched is searched again once it is stored."""
        self._readings: dict[str, list[_Reading]] = {}
        self._held = 0

    def find(self, where: str, text: str, *, episodes: Collection[str] = ()) -> list[Leak]:
        """Return what of the learnt values stands in a text that derives from these raw episodes, waived ones included."""
        leaks: list[Leak] = []
        if text not in self._clear:
            leaks += self._table.search(where, text, self._read(text) if episodes else None)
            if not leaks and len(self._clear) < REMEMBERED:
                self._clear.add(text)
        for raw in episodes:
            asked = hash((raw, text))
            if asked in self._silent:
                continue
            if raw not in self._own:
                self._own[raw] = _local(self._learnt, raw, self._choices, self._public)
            own = list(self._own[raw].search(where, text, self._read(text)))
            leaks += own
            if not own and len(self._silent) < PARTS_REMEMBERED:
                self._silent.add(asked)
        return leaks

    def _read(self, text: str) -> list[_Reading]:
        """Return how a text reads; episodes share prompts and definitions, and folding costs more than looking up."""
        read = self._readings.get(text)
        if read is None:
            if self._held > LONGEST_TABLE:
                self._readings.clear()
                self._held = 0
            self._held += len(text)
            read = self._readings[text] = list(_read(text))
        return read


class _Passages:
    """Texts that are about nobody, by their words: whether a mention stands in one is asked with the words around it."""

    def __init__(self, texts: Iterable[str]) -> None:
        told = (" ".join(_GAPS.sub(" ", folded(text)).split()) for text in texts)
        self._words = " | ".join(f" {words} " for words in sorted(set(told)))

    def hold(self, tokens: list[str], start: int, end: int) -> bool:
        """Say whether the mention stands there among the same words, at least one on either side."""
        if not self._words.strip() or start < 1 or end >= len(tokens):
            return False
        around = tokens[max(0, start - SHORT) : end + SHORT]
        return f" {' '.join(around)} " in self._words


class _Public(NamedTuple):
    """What is about nobody."""

    is_word: Callable[[str], bool] | None = None
    passages: _Passages | None = None


def _choices(learnt: Learnt, k: int) -> dict[str, frozenset[str]]:
    return {name: choices(app, k=k) for name, app in learnt.apps.items()}


def _local(
    learnt: Learnt, raw: str, nobodys: Mapping[str, frozenset[str]], public: _Public | None = None
) -> _Table:
    own = _Table(public)
    for name, app in learnt.apps.items():
        words = without_choices(app.local.get(raw, {}), nobodys[name])
        own.add({word: kind for word, kind in words.items() if len(word) >= STEM}, direct=False)
    return own


@dataclass(frozen=True, slots=True)
class _Wanted:
    tokens: tuple[str, ...]
    pivot: int
    """The place of the token by which the value is looked up: its least common one."""
    kind: str
    direct: bool


class _SearchedText(NamedTuple):
    """A text's tokens, where they stand, and where values were found among them."""

    plain: str
    raw: str
    """The text before it was folded; empty for other encodings."""
    tokens: list[str]
    places: dict[int, re.Match[str]]
    """The first and last tokens of hits."""
    hits: list[tuple[int, _Wanted]]


_Reading = tuple[str, str, list[str], frozenset[str]]
"""An encoding, the text as it reads in it, and its tokens, in order and each once."""


def _read(text: str) -> Iterator[_Reading]:
    """Yield how a text reads in each encoding that it may have."""
    for encoding, plain in readings(text):
        spaced = plain.translate(_SPACES) if plain.isascii() else _GAPS.sub(" ", plain)
        tokens = spaced.split()
        yield encoding, plain, tokens, frozenset(tokens)


class _Table:
    """Values by their least common token; where that token stands, the others must stand around it."""

    def __init__(self, public: _Public | None = None) -> None:
        self._public = public or _Public()
        self._by_pivot: dict[str, list[_Wanted]] = {}

    def add(self, values: Mapping[str, str], *, direct: bool) -> None:
        for value, kind in values.items():
            tokens = tuple(_TOKEN.findall(spread_letters(value.translate(ALIKE))))
            telling = [token for token in tokens if token not in _COMMON]
            if not tokens or (not telling and len(tokens) > 1 and kind == "street"):
                continue  # "Suite 171" is anybody's
            if kind == "street" and sum(not token.isdecimal() for token in telling) == 0:
                continue
            if kind == "street" and len(tokens) == 1:
                continue  # "maple" is a street and a wood
            pivot = max(range(len(tokens)), key=lambda place: _rarity(tokens[place]))
            wanted = _Wanted(tokens, pivot, kind, direct)
            self._by_pivot.setdefault(tokens[pivot], []).append(wanted)

    def search(
        self, where: str, text: str, read: Iterable[_Reading] | None = None
    ) -> Iterator[Leak]:
        """`read`: how the text reads, where that is known already."""
        for encoding, plain, tokens, words in _read(text) if read is None else read:
            if self._by_pivot.keys().isdisjoint(words):
                continue
            hits = list(self._hits(tokens))
            if hits:
                ends = {n for at, one in hits for n in (at, at + len(one.tokens) - 1)}
                known = enumerate(islice(_TOKEN.finditer(plain), max(ends) + 1))
                places = {n: token for n, token in known if n in ends}
                raw = unescape_text(text) if encoding == "plain" else ""
                yield from self._leaks(
                    where, encoding, _SearchedText(plain, raw, tokens, places, hits)
                )

    def _hits(self, tokens: list[str]) -> Iterator[tuple[int, _Wanted]]:
        """Yield where a value's tokens stand one after the other."""
        by_pivot = self._by_pivot
        for place, token in enumerate(tokens):
            if token not in by_pivot:
                continue
            for wanted in by_pivot[token]:
                start = place - wanted.pivot
                end = start + len(wanted.tokens)
                if start < 0 or tuple(tokens[start:end]) != wanted.tokens:
                    continue
                yield start, wanted

    def _leaks(self, where: str, encoding: str, seen: _SearchedText) -> Iterator[Leak]:
        plain, raw, tokens, places, hits = seen
        for start, wanted in hits:
            offset = places[start].start()
            end = places[start + len(wanted.tokens) - 1].end()
            close = end - offset <= sum(map(len, wanted.tokens)) + 3 * len(wanted.tokens)
            if close and not _is_torn(wanted.kind, plain[offset:end]):
                beside = len(wanted.tokens) > 1 or self._has_pivot_beside(tokens, start)
                yield Leak(
                    kind=wanted.kind,
                    where=where,
                    offset=offset,
                    length=end - offset,
                    encoding=encoding,
                    direct=wanted.direct,
                    beside=beside,
                    waiver="ordinary"
                    if (_is_key(plain, offset, end) and _COMMON.issuperset(wanted.tokens))
                    or (
                        (_ORDINARY.issuperset(wanted.tokens) or _is_word_and_id(wanted))
                        and self._is_said(plain, raw, offset, end)
                    )
                    else self._waiver(tokens, start, wanted, beside=beside),
                )

    def _waiver(self, tokens: list[str], start: int, wanted: _Wanted, *, beside: bool) -> str:
        """Return why a hit does not count: "order" is a leak of Mr Order only beside another word of his."""
        if not beside and tokens[start] in _ORDINARY:
            return "ordinary"
        if wanted.direct:
            return ""
        word, passages = self._public
        end = start + len(wanted.tokens)
        if passages is not None and passages.hold(tokens, start, end):
            return "public"
        return "public" if not beside and word is not None and word(tokens[start]) else ""

    def _is_said(self, plain: str, raw: str, start: int, end: int) -> bool:
        """Say whether ordinary words stand as in any sentence, or are a value that is everybody's: "you may order a shirt" is not Ms May Order."""
        mention = raw[start:end] if len(raw) == len(plain) else ""
        if not mention.islower() or not all(
            letter.isalpha() or letter == " " for letter in mention
        ):
            return False
        quoted = raw[start - 1 : start] in _QUOTES and raw[end : end + 1] in _QUOTES
        return not quoted or (self._public.is_word is not None and self._public.is_word(mention))

    def _has_pivot_beside(self, found: list[str], place: int) -> bool:
        near = found[max(0, place - 1) : place] + found[place + 1 : place + 2]
        return any(token in self._by_pivot for token in near)


def _is_word_and_id(wanted: _Wanted) -> bool:
    """Say whether an id of one episode is a word of the language, which a sentence may hold for itself."""
    return (
        not wanted.direct
        and wanted.kind in _IDS
        and len(wanted.tokens) == 1
        and wanted.tokens[0] in words_of(ENGLISH)
    )


_IDS: Final = frozenset({"person_id", "payment_id", "opaque_id"})


def _is_key(plain: str, start: int, end: int) -> bool:
    """Say whether a mention is all of a JSON key: `"first_name":` in the records of a person called First Name."""
    return plain[start - 1 : start] == '"' and _KEY_END.match(plain, end) is not None


def _is_torn(kind: str, mention: str) -> bool:
    """Say whether the words stand in two JSON strings, or in a key and its value: `"user":0` is not the id user-0.

    A name or an address may be spread over the strings of a list; an identifier is one string or none.
    """
    if '"' not in mention:
        return False
    return kind not in _OF_WORDS or _KEY_END.search(mention) is not None


def _rarity(token: str) -> tuple[bool, bool, int]:
    return token not in _COMMON, not token.isdecimal() or len(token) > 4, len(token)
