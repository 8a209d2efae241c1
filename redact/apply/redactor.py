"""Replaces what is personal in the texts of one episode, and keeps the account of it.

In: an app's gate, the episode's own values, its texts. Out: clean texts and a note per removal. Texts are edited in
place, never parsed and written again: JSON keeps its bytes. Decides nothing about keys: that is `redact.decisions.rules`'s.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import Final
from unicodedata import combining
from urllib.parse import quote, unquote

from redact.apply.app_gate import AppGate, KnownText
from redact.apply.context import Standing
from redact.apply.episode_memory import Cleaned, Memory, Note
from redact.apply.matcher import Match, Matcher, resolve, searched
from redact.bounds import STEM
from redact.fold import escaped_letters, fold_value, readable
from redact.kinds import KINDS
from redact.operators.surrogates import recase
from redact.readers.base64_runs import hidden_texts
from redact.values.dates import read_date, short_spellings, spellings


class Desk:
    """Scrubs the texts of one episode; an equal text is scrubbed once."""

    def __init__(
        self,
        gate: AppGate,
        values: Mapping[str, str],
        personal_keys: frozenset[str],
        *,
        near: int,
    ) -> None:
        self._gate = gate
        self._near = near
        self._standing = Standing(gate.vocabulary, personal_keys, gate.names)
        # One person's next request has the same values and many of the same texts.
        asked = (tuple(values.items()), personal_keys, near if gate.shift.days else 0)
        memory = gate.memories.get(asked)
        if memory is None:
            memory = Memory(searched(_with_spellings(values)))
            gate.memories.keep(asked, memory)
        self._memory = memory
        self._own = memory.own
        self._done = memory.done
        self.same: Final[set[str]] = memory.same
        """Texts in which nothing stands that could be replaced."""
        self._names = {
            value[:STEM]
            for value, kind in values.items()
            if KINDS[kind].family == "name" and len(value) >= STEM and value.isalpha()
        }
        self.notes: list[Note] = []

    @property
    def documents(self) -> AbstractSet[str]:
        """Results that are everybody's."""
        return self._gate.documents

    @property
    def kinds(self) -> Mapping[str, str]:
        """The values that are looked for, with their kinds."""
        return self._memory.kinds

    def unseen(self, texts: Iterable[str]) -> list[str]:
        """Return the texts that were not searched for these values."""
        own, same = self._own, self.same
        return [text for text in texts if text not in same and text not in own]

    def take(
        self,
        texts: Collection[str],
        searched_in: Mapping[str, tuple[KnownText, list[Match]]],
        silent: frozenset[str],
    ) -> None:
        """Keep where the episode's own values stand in its texts, of all that was found there (`search`)."""
        own, same, kind_of = self._own, self.same, self._memory.kinds.get
        unmoved = not self._gate.shift.days
        if unmoved:
            same |= silent.intersection(texts)
        for text in texts:
            if text in same or text in own:
                continue
            known, matches = searched_in[text]
            mine = _NO_MATCHES
            if matches:
                mine = [
                    match for match in matches if match.local and kind_of(match.value) == match.kind
                ]
            own[text] = mine
            if unmoved and not (mine or known.matches or known.hides_text):
                same.add(text)

    def text(self, text: str, path: str, part: str = "") -> str:
        """Return the text without what is known to be personal; it stands at a part of the path."""
        if not text or text in self.same:
            return text
        done = self._done.get(text)
        if done is None:
            done = self._done[text] = self._cleaned(text)
        if done.removed:
            where = path + part
            self.notes += [Note(kind, where, length) for kind, length in done.removed]
        return done.text

    def optional(self, text: str | None, path: str, part: str = "") -> str | None:
        """Return an optional text scrubbed."""
        return None if text is None else self.text(text, path, part)

    def joint(
        self, call_id: str | None, path: str, part: str = "", *, prefix: str = "call_"
    ) -> str | None:
        """Return an id that only joins, as a call to its result; one with the beginning of a name in it is another as a whole.

        What joins means nothing else: `call_hchatterj43_2` is made of a surname that was cut.
        """
        if call_id is None or not self._names:
            return self.optional(call_id, path, part)
        clean = self.text(call_id, path, part)
        folded = fold_value(clean)
        for name in self._names:
            if name in folded:
                break
        else:
            return clean
        self.notes.append(Note("handle", path + part, len(call_id)))
        keyed = self._gate.vault.key_of(self._gate.app)
        return prefix + keyed.digest(prefix, call_id, size=8).hex()

    def public_text(self, text: str, path: str) -> str:
        """Return a text that all episodes share, without what is personal in the whole app."""
        known = self._gate.known_text(text)
        if not known.matches and not self._gate.shift.days:
            return text
        done = self._replaced(text, self._standing.personal(text, resolve(known.matches)))
        self.notes += (Note(kind, path, length) for kind, length in done.removed)
        return done.text

    def name(self, name: str, path: str, part: str = "") -> str:
        """Return the name of a tool or an agent: one of everybody's reads alike for everybody."""
        if name in self._gate.names:
            return self.public_text(name, path + part)
        return self.text(name, path, part)

    def moment(self, at: int | None) -> int | None:
        """Return an optional moment moved by the app's shift."""
        return None if at is None else self._gate.shift.moment(at)

    def _matches(self, text: str, known: KnownText) -> list[Match]:
        own = self._own.get(text)
        if own is None:
            own = self._memory.matcher.matches(known.folded, text)
        return [*known.matches, *own] if own else known.matches

    def _cleaned(self, text: str) -> Cleaned:
        known = self._gate.known_text(text)
        matches = self._matches(text, known)
        if matches:
            clean = self._replaced(text, self._standing.personal(text, resolve(matches)))
        elif self._gate.shift.days:
            clean = Cleaned(self._dated(text))
        else:
            clean = Cleaned(text)
        return self._decoded(clean) if known.hides_text else clean

    def _decoded(self, clean: Cleaned) -> Cleaned:
        """Return the text with what is personal inside its base64 runs replaced, encoded as it was."""
        text = clean.text
        removed = list(clean.removed)
        out: list[str] = []
        done = 0
        for run in hidden_texts(text):
            inner = self._cleaned(run.text) if run.text else Cleaned(run.text)
            removed += inner.removed
            if inner.text != run.text:
                out += (text[done : run.start], run.encode(inner.text))
                done = run.end
        return Cleaned("".join([*out, text[done:]]), tuple(removed))

    def _replaced(self, text: str, matches: list[Match]) -> Cleaned:
        if not matches:
            return Cleaned(self._dated(text))
        out: list[str] = []
        removed: list[tuple[str, int]] = []
        done = 0
        moves = self._gate.shift.days
        for match in matches:
            start, end, _, kind, _ = match
            while text[end : end + 1] > _LATIN and combining(text[end]):
                end += 1  # a mark that folding drops belongs to the letter before it
            before = text[done:start]
            if moves:
                before = self._dated(before)
            out += (before, self._surrogate(text[start:end], match))
            done = end
            removed.append((kind, end - start))
        out.append(self._dated(text[done:]))
        return Cleaned("".join(out), tuple(removed))

    def _dated(self, kept: str) -> str:
        """Return what is kept of a text with its dates moved; surrogates are not dates, whatever they look like."""
        return self._gate.shift.text(kept, self._near)

    def _surrogate(self, mention: str, match: Match) -> str:
        draw = self._gate.surrogate
        if mention.isascii() and "\\" not in mention and "%" not in mention:
            return draw(match.kind, mention)
        plain = readable(_unescaped(mention))
        if fold_value(plain) != " ".join(match.value.split()):
            plain = recase(plain, match.value)
        moved = draw(match.kind, plain)
        if match.kind == "withheld":
            return moved
        if "\\" in mention:
            return json.dumps(moved)[1:-1]
        return quote(moved, safe="") if "%" in mention else moved


def search(gate: AppGate, asked: Sequence[tuple[Desk, Collection[str]]]) -> None:
    """Search the texts of several episodes for the values of all of them in one walk, before they are asked for one by one."""
    new: dict[str, None] = {}
    for desk, said in asked:
        new.update(dict.fromkeys(desk.unseen(said)))
    texts = list(new)
    kinds = {id(desk.kinds): desk.kinds for desk, _ in asked}.values()
    fresh = gate.unknown(texts)
    if sum(map(len, fresh)) > _BUILT * len(gate.everywhere):
        found = gate.searched_with(Matcher(*kinds, everywhere=gate.everywhere), texts, fresh)
        every = gate.known_of(texts)
    else:
        every = gate.known_of(texts)
        found = Matcher(*kinds).matches_of([known.folded for known in every], texts)
    gate.memories.count(texts)
    searched_in = dict(zip(texts, zip(every, found, strict=True), strict=True))
    silent = frozenset(
        [
            text
            for text, (known, matches) in searched_in.items()
            if not (matches or known.matches or known.hides_text)
        ]
    )
    for desk, said in asked:
        desk.take(said, searched_in, silent)


_BUILT: Final = 100
"""To build a value into an automaton costs as much as to walk over so many characters: then one walk is for the app's values too."""
_LATIN: Final = "\u02ff"
"""Marks that combine come behind it."""
_NO_MATCHES: list[Match] = []


_BROKEN: Final = re.compile(r"\\\n *(?:\\(?= ))?")
_LETTER: Final = re.compile(r"(?<!\\)(?:(?:\\+x[0-9a-fA-F]{2})+|\\+U000[01][0-9a-fA-F]{4})")


def _unescaped(mention: str) -> str:
    """Return what a mention escaped as in JSON, YAML or an URL says, however often it was escaped."""
    plain = _LETTER.sub(lambda run: escaped_letters(run[0]), _BROKEN.sub("", mention))
    for _ in range(3):
        if "\\" not in plain:
            break
        try:
            plain = str(json.loads(f'"{plain}"'))
        except ValueError:
            break
    return unquote(plain) if "%" in plain else plain


def _with_spellings(values: Mapping[str, str]) -> dict[str, str]:
    out = dict(values)
    for value, kind in values.items():
        if kind == "birth_date":
            out.update(_other_spellings(value))
    return out


@lru_cache(maxsize=20_000)
def _other_spellings(birth: str) -> dict[str, str]:
    """Return the ways a birth date may be written besides, with its kind."""
    day = read_date(birth)
    known = [] if day is None else [*spellings(day), *short_spellings(day)]
    return dict.fromkeys(known, "birth_date")
