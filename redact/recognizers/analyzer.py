"""What one text reveals: the personal values under its keys and in its shapes, and the leaves no key explains.

In: the text of a message, an argument or a result, with the tool's name. Out: `Findings`, cached per distinct text,
because prompts, catalogues and repeated history make most of the bytes. Knows one text only: subjects, counting over
the app and what is done with a value are `redact.apply.learn`'s.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final

from redact.bounds import LONGEST_VALUE, NEAR, SEVERAL
from redact.fold import without_escapes
from redact.lists.lexicon import Lexicon
from redact.names.abbreviations import numbered_words
from redact.names.prose_names import names_in, names_shown, names_somebody, runs_in
from redact.names.unknown_names import unknown_runs
from redact.names.without_capitals import possible_names
from redact.readers.base64_runs import has_hidden_text, hidden_texts
from redact.readers.documents import Documents, FoundValue, Unexplained
from redact.readers.place import (
    MESSAGE,
    RESULT,
    UNKNOWN_NAMES,
    keyed_place,
)
from redact.recognizers.accounts import mentioned_in
from redact.recognizers.prefilter import EVERYTHING, Needs, needs_of
from redact.recognizers.short_codes import codes_told
from redact.recognizers.spoken_forms import emails_said, numbers_said
from redact.values.forms import drawn_in
from redact.values.free_ids import FREE, free_days, free_ids
from redact.values.segments import is_sentence

_REMEMBERED: Final = 32_000_000
"""Characters of text a reader remembers what they reveal."""


@dataclass(frozen=True, eq=False, slots=True)
class Findings:
    """What one text reveals; equal only to itself, so that what follows from it can be remembered by it."""

    values: dict[FoundValue, None]
    """The personal values, each once."""
    sightings: tuple[tuple[str, Unexplained], ...] = ()
    """The distinct leaves no rule explains, each with the key of its `Place`; messages have none."""
    flagged: tuple[FoundValue, ...] = ()
    """Names in prose that the policy flags instead of removing them."""
    numbered: tuple[str, ...] = ()
    """Words with a number behind them: user names, where the episode's names are in them."""
    codes: tuple[str, ...] = ()
    """Short numbers behind a word, which the rest of the episode may explain."""


class Finder:
    """Reads texts for what they reveal, each distinct text once."""

    def __init__(
        self,
        lexicon: Lexicon,
        *,
        prose_names: str = "remove",
        people: Callable[[str], Iterator[str]] | None = None,
        others: Callable[[str], Iterator[tuple[str, str]]] | None = None,
        prefiltered: bool = True,
    ) -> None:
        self._people = people
        self._others = others
        self._documents = Documents(lexicon)
        self._prefiltered = prefiltered
        self._prose_names = prose_names
        self._held = 0
        self._known: dict[tuple[str, str], dict[str, Findings]] = {}
        """By tool and origin, and by text."""
        self._placed: dict[tuple[str, str], dict[Unexplained, tuple[str, Unexplained]]] = {}
        """By origin and whose the text is: the leaves with their places."""
        self.found: Final[dict[Hashable, tuple[FoundValue, ...]]] = {}
        """What episodes were found to reveal, by the findings of their texts: kept as long as those are."""

    def in_prose(self, text: str) -> Findings:
        """Return what a message's text reveals by shape and context, and by structure where it quotes JSON."""
        return self.in_text(text, "", MESSAGE)

    def in_text(self, text: str, tool: str, origin: str) -> Findings:
        """Return what a text reveals, each distinct one read once; its origin is a `message`, an `argument` or a `result`."""
        known = self._known.get((tool, origin))
        found = None if known is None else known.get(text)
        return found or self._remembered(text, tool, origin)

    def messages(self) -> dict[str, Findings]:
        """Return what messages reveal that were read before."""
        return self._known.setdefault(("", MESSAGE), {})

    def _remembered(self, text: str, tool: str, origin: str) -> Findings:
        if self._held > _REMEMBERED:
            self._known.clear()
            self._placed.clear()
            self.found.clear()
            self._held = 0
        self._held += len(text)
        known = self._known.setdefault((tool, origin), {})
        found = known[text] = self._read(text, tool, origin)
        return found

    def _read(self, text: str, tool: str, origin: str) -> Findings:
        needs = self._needs(text)
        if needs.is_nothing and origin == MESSAGE and self._is_silent(text):
            return self._unlisted(text)
        found: list[FoundValue] = []
        unexplained: list[Unexplained] = []
        is_json = self._documents.read(text, tool, found, unexplained, fields=origin == RESULT)
        for run in hidden_texts(text) if has_hidden_text(text) else ():
            self._documents.read(run.text, tool or _HIDDEN, found, unexplained)
            found.extend(self._by_shape(run.text, EVERYTHING))
        found.extend(_whole_names(found))
        if needs.recognizers or self._others:
            found.extend(self._by_shape(text, needs))
        if "\\" in text:
            quoted = [leaf.value for leaf in unexplained] if is_json else [text]
            found.extend(self._in_quotes(quoted))
            text = text if is_json else without_escapes(text)
            needs = self._needs(text)
        prose = self._prose(text, origin, unexplained, is_json=is_json)
        if origin == MESSAGE and prose:
            found.extend(_values_said(text, needs))
        named = self._people_of(text, origin, prose, is_json=is_json)
        unexplained += _tokens_of_leaves(unexplained) if is_json else _tokens_of_text(text, needs)
        if "@" in text:
            unexplained += map(_unexplained_token, mentioned_in(text))
        flagged = tuple(dict.fromkeys(named)) if self._prose_names == "flag" else ()
        if not flagged:
            found.extend(named)
        values = dict.fromkeys(found)
        if origin == MESSAGE:
            unexplained = [leaf for leaf in unexplained if leaf.path == FREE]
        numbered = numbered_words(text) if needs.numbered else ()
        runs = self._runs(prose, origin)
        codes = codes_told(text, prose, origin) if needs.codes else ()
        if not (unexplained or runs):
            shown = values or flagged or numbered or codes
            return Findings(values, (), flagged, numbered, codes) if shown else _NOTHING
        # An e-mail address found by shape makes a record personal too: its keys may be in no lexicon.
        sightings = self._sightings(origin, unexplained, personal=bool(values))
        return Findings(values, sightings + runs, flagged, numbered, codes)

    def _prose(
        self, text: str, origin: str, unexplained: Sequence[Unexplained], *, is_json: bool
    ) -> list[str]:
        """Return the sentences of a text in which people may be named."""
        if self._prose_names == "off":
            return []
        return [text] if origin == MESSAGE else _sentences_in(text, unexplained, is_json=is_json)

    def _people_of(
        self, text: str, origin: str, prose: Sequence[str], *, is_json: bool
    ) -> list[FoundValue]:
        """Return the people whom the sentences of a text name."""
        if origin == MESSAGE:
            return [
                found for part in prose for found in self._people_named(part, self._needs(part))
            ]
        return self._people_told(text, prose, is_json=is_json) if prose else []

    def _in_quotes(self, texts: Iterable[str]) -> Iterator[FoundValue]:
        """Yield what texts show once line breaks and letters that they write as escapes are read."""
        for text in texts:
            plain = without_escapes(text)
            if plain != text:
                yield from self._by_shape(plain, self._needs(plain))

    def _unlisted(self, text: str) -> Findings:
        """Return what a silent message reveals: words that may be names of no list."""
        runs = self._runs([text], MESSAGE)
        return Findings({}, runs) if runs else _NOTHING

    def _runs(self, prose: Sequence[str], origin: str) -> tuple[tuple[str, Unexplained], ...]:
        """Return the runs of capitalised words that may be names, each with its place."""
        if not prose or self._prose_names != "remove":
            return ()
        alone, listed = origin != RESULT, origin == MESSAGE
        runs: list[str] = []
        for part in prose:
            runs += unknown_runs(part, runs_in(part), alone=alone, listed=listed)
            runs += possible_names(part)
        return tuple([_run_at(origin, run) for run in runs]) if runs else ()

    def _people_told(self, text: str, spoken: Sequence[str], *, is_json: bool) -> list[FoundValue]:
        """Return the people whom the sentences of an argument or a result name."""
        named = [found for part in spoken for found in self._people_named(part, self._needs(part))]
        if not is_json and _is_spoken(text):
            named += [FoundValue(kind, name, "") for kind, name in names_shown(text)]
        return named

    def _sightings(
        self, origin: str, unexplained: Sequence[Unexplained], *, personal: bool
    ) -> tuple[tuple[str, Unexplained], ...]:
        """Return the distinct leaves, each with its place; the same leaves stand in many documents."""
        leaves = dict.fromkeys(unexplained)
        whose = "p" if personal else "n"
        known = self._placed.setdefault((origin, whose), {})
        placed = list(map(known.get, leaves))
        if not all(placed):
            # Of a list nobody's record is made: what one text holds one or two of is what it is about.
            paths = [leaf.path for leaf in leaves if leaf.free]
            rows = Counter(paths) if paths else {}
            for turn, leaf in enumerate(leaves):
                if placed[turn] is None:
                    path, _, kind, free = leaf
                    own = free and (path == FREE or rows[path] <= SEVERAL)
                    pair = (keyed_place(origin, kind, "f" if own else whose, path), leaf)
                    placed[turn] = pair
                    if not free:  # elsewhere there may be more or fewer of it
                        known[leaf] = pair
        return tuple(filter(None, placed))

    def _is_silent(self, text: str) -> bool:
        """Say whether a message that needs no search holds no document, no listed name and nothing hidden."""
        if (
            self._people
            or self._others
            or "{" in text
            or "[" in text
            or "@" in text
            or _STARTS_JSON(text)
        ):
            return False
        return not (has_hidden_text(text) or (self._prose_names != "off" and names_somebody(text)))

    def _by_shape(self, text: str, needs: Needs) -> Iterator[FoundValue]:
        """Yield what the recognizers find whose cue a text shows, and those that the policy adds."""
        for recognizer in needs.recognizers:
            for kind, value in recognizer.find(text):
                yield FoundValue(kind, value, "")
        for kind, value in self._others(text) if self._others else ():
            yield FoundValue(kind, value, "")

    def _needs(self, text: str) -> Needs:
        return needs_of(text) if self._prefiltered else EVERYTHING

    def _people_named(self, text: str, needs: Needs) -> Iterator[FoundValue]:
        """Yield the people whom a text names, by the word lists and by the policy's model."""
        for kind, name in names_in(text, told=needs.told, uncapitalised=needs.uncapitalised):
            yield FoundValue(kind, name, "")
        for name in self._people(text) if self._people else ():
            yield FoundValue("full_name" if " " in name.strip() else "first_name", name, "")


_STARTS_JSON: Final = re.compile(r'\s*["\d]').match
_NOTHING: Final = Findings({})
"""What four texts of ten reveal."""


def _sentences_in(text: str, unexplained: Sequence[Unexplained], *, is_json: bool) -> list[str]:
    """Return the sentences of an argument or a result; what is no JSON is prose too."""
    told = [
        without_escapes(value)
        for leaf in unexplained
        if leaf.kind in _READ_AS_TEXT and (len(value := leaf.value) > NEAR or is_sentence(value))
    ]
    return [part for part in (told if is_json else [*told, text]) if _is_spoken(part)]


@lru_cache(maxsize=20_000)
def _run_at(origin: str, run: str) -> tuple[str, Unexplained]:
    """Return a run of capitalised words with its place."""
    leaf = Unexplained(UNKNOWN_NAMES, run, "?", free=True)
    return keyed_place(origin, "?", "f", UNKNOWN_NAMES), leaf


def _tokens_of_text(text: str, needs: Needs) -> list[Unexplained]:
    """Return the tokens of a text without keys that look like identifiers, and its days."""
    if not (needs.tokens or needs.days or needs.drawn):
        return []
    ids = free_ids(text) if needs.tokens else ()
    drawn = drawn_in(text) if needs.drawn else ()
    days = free_days(text) if needs.days else ()
    return list(map(_unexplained_token, dict.fromkeys((*ids, *drawn, *days))))


def _tokens_of_leaves(unexplained: Sequence[Unexplained]) -> list[Unexplained]:
    """Return such tokens and days in the leaves of a document that no key explains."""
    told: dict[str, None] = {}
    for leaf in unexplained:
        value = leaf.value
        if " " in value or "/" in value or leaf.free or len(value) > LONGEST_VALUE:
            told.update(_tokens_in(value))
    return list(map(_unexplained_token, told))


@lru_cache(maxsize=20_000)
def _tokens_in(value: str) -> dict[str, None]:
    """Return the tokens of a leaf: a catalogue's leaves stand in many documents."""
    value = without_escapes(value)
    return dict.fromkeys((*free_ids(value), *drawn_in(value), *free_days(value)))


def _unexplained_token(token: str) -> Unexplained:
    return Unexplained(FREE, token, "?", free=True)


def _whole_names(found: Sequence[FoundValue]) -> list[FoundValue]:
    """Return the full names whose two parts stand side by side: one person's, app-wide where each word is not."""
    whole = []
    taken = -1  # the last place that is part of a name: in a list of people, A's surname stands before B's first name
    for place, (one, two) in enumerate(pairwise(found)):
        if two.kind == _OTHER_NAME.get(one.kind) and place > taken:
            first, last = (one, two) if one.kind == "first_name" else (two, one)
            whole.append(FoundValue("full_name", f"{first.value} {last.value}", one.key))
            taken = place + 1
    return whole


_OTHER_NAME: Final = {"first_name": "last_name", "last_name": "first_name"}
_READ_AS_TEXT: Final = frozenset({"?", "text"})
_HIDDEN: Final = "base64"
"""The tool under which what a message hides is counted."""


def _is_spoken(value: str) -> bool:
    return (len(value) > NEAR and value.count(" ") > 3) or is_sentence(value)


def _values_said(text: str, needs: Needs) -> Iterator[FoundValue]:
    """Yield the addresses and numbers that somebody says in words."""
    for value in emails_said(text) if needs.said else ():
        yield FoundValue("email", value, "")
    for value in numbers_said(text) if needs.said else ():
        yield FoundValue("phone", value, "")
