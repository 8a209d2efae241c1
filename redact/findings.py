"""What one text reveals: the personal values under its keys and in its shapes, and the leaves no key explains.

In: the text of a message, an argument or a result, with the tool's name. Out: `Findings`, cached per distinct text,
because prompts, catalogues and repeated history make most of the bytes. Knows one text only: subjects, counting over
the app and what is done with a value are `redact.learn`'s.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final

from redact.fold import fold_value
from redact.gazetteer import is_name
from redact.kinds import KINDS, NOT_PERSONAL
from redact.leaves import Leaf, leaves
from redact.lexicon import DATA, Lexicon, load_lexicon
from redact.patterns import patterns_in
from redact.policy import Policy
from redact.prose_names import names_in
from redact.shapes import addresses_in, can_be, digit_count, emails_in, letter_count, named_ids_in
from redact.surrogates import ID_WORDS, PARTICLES, STREET_WORDS

_ATOM: Final = re.compile(r"[^\W\d_]+")
_KEY_SIZE: Final = 64
_CROWD: Final = 60
_REMEMBERED: Final = 32_000_000
"""Characters of text a reader remembers what they reveal."""


@dataclass(frozen=True, slots=True)
class Found:
    """One personal value where it stands."""

    kind: str
    value: str
    """As written."""
    key: str
    """The key it stood under, empty for values found by shape."""


@dataclass(frozen=True, slots=True)
class Unexplained:
    """One leaf under a key that no rule knows, or that a rule calls a record's key."""

    path: str
    """Tool and keys, without places in lists: what evidence is counted by."""
    value: str
    kind: str
    """`record`, `public`, `text`, or `?` where no rule knows the key."""


@dataclass(frozen=True, slots=True)
class Findings:
    """What one text reveals."""

    found: tuple[Found, ...] = ()
    unexplained: tuple[Unexplained, ...] = ()


class Finder:
    """Reads texts for what they reveal, each distinct text once."""

    def __init__(self, lexicon: Lexicon, *, prose_names: bool = True) -> None:
        self._lexicon = lexicon
        self._prose_names = prose_names
        self._held = 0
        self._known: dict[tuple[str, bool, str], Findings] = {}

    def in_document(self, text: str, tool: str) -> Findings:
        """Return what an argument or result text reveals."""
        return self._remembered(text, tool, prose=False)

    def in_prose(self, text: str) -> Findings:
        """Return what a message's text reveals by shape and context, and by structure where it quotes JSON."""
        return self._remembered(text, "", prose=True)

    def _remembered(self, text: str, tool: str, *, prose: bool) -> Findings:
        memory = (tool, prose, text)
        found = self._known.get(memory)
        if found is None:
            if self._held > _REMEMBERED:
                self._known.clear()
                self._held = 0
            self._held += len(text)
            found = self._known[memory] = self._read(text, tool, prose=prose)
        return found

    def _read(self, text: str, tool: str, *, prose: bool) -> Findings:
        found: list[Found] = []
        unexplained: list[Unexplained] = []
        above = (tool,) if tool else ()
        for leaf in leaves(text):
            self._judge(leaf, above, found, unexplained)
        found.extend(_whole_names(found))
        found.extend(_by_shape(text))
        if self._prose_names:
            spoken = [text] if prose else [leaf.value for leaf in unexplained if _is_spoken(leaf)]
            found.extend(Found(kind, name, "") for part in spoken for kind, name in names_in(part))
        return Findings(tuple(dict.fromkeys(found)), tuple(unexplained))

    def _judge(
        self, leaf: Leaf, tool: tuple[str, ...], found: list[Found], unexplained: list[Unexplained]
    ) -> None:
        above = tool + tuple(_plain_key(key) for key in leaf.above)
        if leaf.is_key:
            kind = self._key_kind(leaf, above)
            if kind:
                found.append(Found(kind, str(leaf.value), leaf.key))
            return
        kind = self._lexicon.kind_of(leaf.key, above, self._beside(leaf))
        value = str(leaf.value)
        if kind in KINDS and can_be(kind, value):
            found.append(Found(refined(kind, value), value, leaf.key))
        elif kind == "postcode" and can_be("city", value):
            found.append(
                Found("city", value, leaf.key)
            )  # a town given where the code was asked for
        elif isinstance(leaf.value, str) and leaf.value:
            path = ".".join((*above, _plain_key(leaf.key)))
            unexplained.append(Unexplained(path, value, kind if kind in NOT_PERSONAL else "?"))

    def _key_kind(self, leaf: Leaf, above: tuple[str, ...]) -> str | None:
        """Return the kind of a key that is itself data: `{"payment_methods": {"card_4421": ...}}`."""
        name = str(leaf.value)
        if "@" in name and can_be("email", name):
            return "email"
        if digit_count(name) < 3 or not leaf.key:
            return None
        kind = self._lexicon.kind_of("id", (*above, leaf.key), frozenset())
        return kind if kind in KINDS and can_be(kind, name) else None

    def _beside(self, leaf: Leaf) -> frozenset[str]:
        if (
            len(leaf.beside) > _CROWD
        ):  # an object with data for keys says nothing about its neighbours
            return frozenset()
        return self._lexicon.kinds_beside(leaf.key, leaf.beside)


@lru_cache(maxsize=4)
def _finder(rules: tuple[tuple[str, str], ...], *, prose_names: bool) -> Finder:
    return Finder(load_lexicon(dict(rules)), prose_names=prose_names)


def finder_for(policy: Policy) -> Finder:
    """Return the policy's reader; one per process, so that scrubbing need not read again what learning read."""
    return _finder(tuple(policy.keys.items()), prose_names=policy.prose_names != "keep")


def _whole_names(found: Sequence[Found]) -> list[Found]:
    """Return the full names whose two parts stand side by side: one person's, app-wide where each word is not."""
    whole = []
    taken = -1  # the last place that is part of a name: in a list of people, A's surname stands before B's first name
    for place, (one, two) in enumerate(pairwise(found)):
        if place > taken and {one.kind, two.kind} == {"first_name", "last_name"}:
            first, last = (one, two) if one.kind == "first_name" else (two, one)
            whole.append(Found("full_name", f"{first.value} {last.value}", one.key))
            taken = place + 1
    return whole


def _is_spoken(leaf: Unexplained) -> bool:
    return leaf.kind in {"?", "text"} and len(leaf.value) > 24 and leaf.value.count(" ") > 3


def _plain_key(key: str) -> str:
    """Return the key for a path; a key that is data becomes `*`, so that no value enters the evidence."""
    return DATA if digit_count(key) >= 3 or "@" in key or len(key) > _KEY_SIZE else key


def refined(kind: str, value: str) -> str:
    """Return the kind a value's shape makes of its key's kind."""
    if kind in {"person_id", "handle", "payment_id"} and "@" in value:
        return "email"
    if kind == "card_number" and digit_count(value) < 12:
        return "card_tail"  # masked: "**** **** **** 7447"
    if kind in {"person_id", "handle"} and not digit_count(value) and " " in value:
        return "full_name"
    return kind


def _by_shape(text: str) -> Iterator[Found]:
    for value in emails_in(text):
        yield Found("email", value, "")
    for kind, value in (*patterns_in(text), *addresses_in(text)):
        yield Found(kind, value, "")
    for value, first, second in named_ids_in(text):
        words = (fold_value(first), fold_value(second))
        if any(word in ID_WORDS for word in words):
            continue
        if any(is_name(word) for word in words):
            yield Found("person_id", value, "")


def atoms_of(found: Iterable[Found]) -> dict[str, str]:
    """Return the single words and numbers inside composites that are searched for within the episode."""
    atoms: dict[str, str] = {}
    for item in found:
        for atom in _atoms(item, fold_value(item.value)):
            atoms.setdefault(atom, _ATOM_KIND.get(item.kind, "last_name"))
    return atoms


_ATOM_KIND: Final = {"street": "street", "payment_id": "payment_id"}


def _atoms(item: Found, folded: str) -> list[str]:
    family = KINDS[item.kind].family
    if family == "name":
        return [word for word in _ATOM.findall(folded) if len(word) > 1 and word not in PARTICLES]
    if family == "street":
        return [
            word for word in _ATOM.findall(folded) if len(word) > 3 and word not in STREET_WORDS
        ]
    if item.kind == "payment_id":
        return re.findall(r"\d{5,}", folded)
    if item.kind in {"person_id", "handle", "email"}:
        local = folded.rpartition("@")[0] or folded
        words = _ATOM.findall(local)
        return [word for word in words if len(word) > 2 and word not in ID_WORDS and is_name(word)]
    return []


def is_composite(kind: str, folded: str) -> bool:
    """Say whether a value names one person by itself, so that it is searched for in the whole app."""
    if not KINDS[kind].direct:
        return False
    letters, digits = letter_count(folded), digit_count(folded)
    if kind == "full_name":
        return len([word for word in folded.split() if len(word) > 1]) > 1
    if kind == "street":
        own = [word for word in _ATOM.findall(folded) if len(word) > 2 and word not in STREET_WORDS]
        return digits > 0 and bool(own) and len(folded) >= 8  # "Suite 171" is anybody's
    if kind in {"secret", "email", "iban", "card_number", "ssn", "ip"}:
        return len(folded) >= 6
    if kind == "phone":
        return digits >= 7
    return len(folded) >= 5 and (digits >= 4 or (digits >= 1 and letters >= 2))
