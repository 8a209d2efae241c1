"""The leaves of documents with what their keys mean: personal values under known keys, and leaves no key explains.

In: the text of an argument, a result or a message, with the tool's name. Out: lists of `FoundValue` and `Unexplained`, in
the order in which the values stand. Judges one leaf at a time; what a text shows without keys is `redact.recognizers.analyzer`'.

Objects with the same keys at the same place are judged by one plan, made once: most records of an app share a handful
of shapes, and the lexicon is asked per shape instead of per leaf.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from redact.bounds import (
    BESIDE,
    CODE_LENGTH,
    DEPTH,
    LONGEST_VALUE,
    PARTS,
    PARTS_REMEMBERED,
    REMEMBERED,
    SHORT,
)
from redact.fold import without_escapes
from redact.kinds import KINDS, NOT_PERSONAL
from redact.lists.dictionary import ENGLISH
from redact.lists.gazetteer import nobodys_words
from redact.lists.lexicon import COORDINATE, DATA, PUBLIC, Lexicon
from redact.lists.word_lists import PARTICLES
from redact.readers.fields import is_marked, words_of
from redact.readers.json_tables import described_rows, may_be_rows, plain_rows
from redact.readers.labelled_rows import may_be_labelled, read_labelled_rows
from redact.readers.leaves import documents_in, hides_document, unquoted
from redact.readers.printed_objects import printed_in
from redact.readers.tables import records_in
from redact.readers.yaml_blocks import block_in
from redact.values.free_ids import FREE, is_capital_code
from redact.values.numbers import LONG, number_kind
from redact.values.shapes import can_be, digit_count, is_phone

_LISTS: Final = (list, tuple, set)
_NUMBERS: Final = (int, float)


class FoundValue(NamedTuple):
    """One personal value where it stands; a named tuple, because a frozen dataclass costs three times as much to make."""

    kind: str
    value: str
    """As written."""
    key: str
    """The key it stood under, empty for values found by shape."""


class Unexplained(NamedTuple):
    """One leaf under a key that no rule knows, or that a rule calls a record's key."""

    path: str
    """Tool and keys, without places in lists: what evidence is counted by."""
    value: str
    kind: str
    """`record`, `public`, `text`, or where no rule knows the key `?`, of a long number `#`."""
    free: bool = False
    """It stands in text that is no JSON."""


class _Slot:
    """What is known of a key of an object before its value is seen; asked of the lexicon when a scalar needs it."""

    __slots__ = (
        "_kind", "_lexicon", "above", "beside", "known", "name", "numbers", "own", "path", "plans",
    )  # fmt: skip

    def __init__(
        self, lexicon: Lexicon, name: str, above: tuple[str, ...], beside: tuple[str, ...]
    ) -> None:
        self._lexicon = lexicon
        self._kind: str | None = _UNASKED
        self.name = name
        self.above = above
        self.beside = beside
        self.path = ".".join((*above, plain_key(name)))
        self.own: str | None = None
        """The kind of the key itself where it is data: `{"card_4421": {...}}`."""
        self.known: dict[str, FoundValue | Unexplained] = {}
        """What texts under the key were found to be: the same ones stand in many documents."""
        self.numbers = True
        """Any number under the key may be personal, not only a long one."""
        self.plans: dict[tuple[object, ...], _Plan] = {}
        """The plans of objects under the key by their keys; what stands above them is always the same."""

    @property
    def ruled(self) -> bool:
        """Whether a line of the policy says what the key holds."""
        return self._lexicon.is_ruled(self.name, self.above)

    @property
    def kind(self) -> str | None:
        """What the lexicon says of a scalar under the key."""
        if self._kind is _UNASKED:
            beside = self._lexicon.kinds_beside(self.name, self.beside)
            self._kind = self._lexicon.kind_of(self.name, self.above, beside)
        return self._kind

    @property
    def is_of_a_place(self) -> bool:
        """Whether the key says that its numbers are a place on the map, and nobody's."""
        return self.kind == PUBLIC and self._lexicon.phrase_kind(self.name) == COORDINATE


_UNASKED: Final = "\x00"
_WHOLE: Final = frozenset('{["')
_INSIDE: Final = re.compile(r"[\[{].*[\]}]", re.DOTALL)
"""From the first bracket to the last."""


@dataclass(frozen=True, slots=True)
class _Plan:
    """The slots of the objects of one shape."""

    above: tuple[str, ...]
    slots: tuple[_Slot, ...]
    codes: tuple[Unexplained, ...] = ()
    """The keys that look like identifiers and that no word explains: `{"WRN417": ["See you."]}`."""


class Documents:
    """Reads documents with one lexicon."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._plans: dict[tuple[tuple[str, ...], str, tuple[str, ...]], _Plan] = {}
        self._tops: dict[str, _Slot] = {}
        self.remembered = 0
        """Texts that the plans' slots remember."""

    def read(
        self,
        text: str,
        tool: str,
        found: list[FoundValue],
        unexplained: list[Unexplained],
        *,
        fields: bool = True,
    ) -> bool:
        """Add what the documents of a text reveal to both lists; say whether all of the text is JSON.

        `fields`: texts under keys are read by their fields too.
        """
        documents = documents_in(text)
        whole = bool(documents) and text.lstrip()[:1] in _WHOLE
        if not tool and not documents:
            return False
        block = None if whole else block_in(text)
        if block is not None:
            documents, whole = [block], True
        above = (tool,) if tool else ()
        top = self._tops.get(tool)
        if top is None:
            if len(self._tops) >= REMEMBERED:
                self._tops.clear()
            top = self._tops[tool] = _Slot(self._lexicon, "", above, ())
        reader = _Reader(self, found, unexplained, fields=fields)
        for document in documents:
            reader.walk(document, top, above, 0)
        if tool and not whole:
            printed = not documents or bool(printed_in(text)[0])  # `[7]` in an object is not all
            around = without_escapes(text if printed else _INSIDE.sub("  ", text))
            reader.free = True
            for document in records_in(around, fields=True):
                reader.walk(document, top, above, 0)
        return whole

    def plan(self, above: tuple[str, ...], key: str, names: tuple[str, ...]) -> _Plan:
        """Return the plan of the objects with these keys under `key`."""
        if not key.isalpha() and plain_key(key) == DATA and not any(map(_is_data, names)):
            key = DATA  # objects under keys that are data are alike: a catalogue has one for each of its items
        asked = (above, key, names)
        plan = self._plans.get(asked)
        if plan is None:
            if len(self._plans) >= REMEMBERED or self.remembered >= PARTS_REMEMBERED:
                self._plans.clear()
                self._tops.clear()
                self.remembered = 0
            plan = self._plans[asked] = self._make_plan(above, key, names)
        return plan

    def record_of_rows(self, rows: Collection[object]) -> dict[str, list[object]] | None:
        """Return the object that rows of labels and values stand for."""
        return read_labelled_rows(list(rows), self._lexicon)

    def _make_plan(self, above: tuple[str, ...], key: str, names: tuple[str, ...]) -> _Plan:
        inner = (*above, plain_key(key)) if key else above
        # An object with data for keys says nothing about its neighbours.
        beside = names if len(names) <= BESIDE else ()
        slots = tuple(_Slot(self._lexicon, name, inner, beside) for name in names)
        for slot in slots:
            slot.own = self._own_kind(slot.name, key, above)
        told = [Unexplained(FREE, name, "?", free=True) for name in names if is_capital_code(name)]
        return _Plan(inner, slots, tuple(told))

    def _own_kind(self, name: str, key: str, above: tuple[str, ...]) -> str | None:
        if not _is_data(name):
            return None
        if "@" in name and can_be("email", name):
            return "email"
        if digit_count(name) < SHORT or not key:
            return None
        kind = self._lexicon.kind_of("id", (*above, key), frozenset())
        return kind if kind in KINDS and can_be(kind, name) else None


class _Reader:
    """Walks the documents of one text."""

    def __init__(
        self,
        documents: Documents,
        found: list[FoundValue],
        unexplained: list[Unexplained],
        *,
        fields: bool,
    ) -> None:
        self._fields = fields
        self._documents = documents
        self._found = found
        self._unexplained = unexplained
        self.free = False
        """What is walked over stood in text that is no JSON."""

    def walk(self, value: object, slot: _Slot, above: tuple[str, ...], depth: int) -> None:
        """Add the leaves of one value that stands under a slot's key."""
        if depth > DEPTH:
            return
        if isinstance(value, str):
            self._text(value, slot, above, depth)
        elif isinstance(value, dict):
            self._object(value, slot, above, depth)
        elif isinstance(value, _LISTS):
            record = self._documents.record_of_rows(value) if may_be_labelled(value) else None
            if record is not None:
                self.walk(record, slot, above, depth + 1)
                return
            rows = plain_rows(list(value)) if may_be_rows(value) else None
            for part in value if rows is None else rows:
                self.walk(part, slot, above, depth + 1)
        elif isinstance(value, _NUMBERS) and not isinstance(value, bool):
            self._number(value, slot)

    def _number(self, value: float, slot: _Slot) -> None:
        kind = slot.kind
        if kind in KINDS:
            self._leaf(str(value), slot, is_text=False)
            return
        slot.numbers = slot.is_of_a_place
        if kind == PUBLIC and slot.is_of_a_place:
            self._unexplained.append(Unexplained(slot.path, str(value), kind, self.free))
        elif numbered := number_kind(value, slot.name):
            known = kind if kind in NOT_PERSONAL else numbered
            self._unexplained.append(Unexplained(slot.path, str(value), known, self.free))

    def _object(
        self, value: dict[object, object], slot: _Slot, above: tuple[str, ...], depth: int
    ) -> None:
        plan = slot.plans.get(tuple(value)) or self._planned(value, slot, above)
        deeper = depth < DEPTH
        free = self.free
        self._unexplained += plan.codes
        for below, part in zip(plan.slots, value.values(), strict=True):
            # Most leaves end here; each call that is spared is a tenth of what reading a document costs.
            if isinstance(part, str):
                known = below.known.get(part) if deeper else None
                if isinstance(known, FoundValue):
                    self._found.append(known)
                elif known is not None and not free:
                    self._unexplained.append(known)
                elif deeper:
                    self._text(part, below, plan.above, depth + 1)
            elif isinstance(part, _NUMBERS):
                long = below.numbers or part >= LONG
                if long and deeper and part is not True and part is not False:
                    self._number(part, below)
            elif part is not None:
                # Keys that are no text, as Python's own notation has them, are nobody's ids.
                if below.own and isinstance(part, dict | list) and value.get(below.name) is part:
                    self._found.append(FoundValue(below.own, below.name, slot.name))
                self._container(part, below, plan.above, depth, beside=value)

    def _planned(self, value: dict[object, object], slot: _Slot, above: tuple[str, ...]) -> _Plan:
        names = tuple(value)
        plan = self._documents.plan(above, slot.name, tuple(map(str, names)))
        if all(isinstance(name, str) for name in names):  # 1 and True are one key, and two names
            slot.plans[names] = plan
        return plan

    def _container(
        self,
        part: object,
        below: _Slot,
        above: tuple[str, ...],
        depth: int,
        *,
        beside: dict[object, object],
    ) -> None:
        """Add the leaves of an object or a list that stands in an object."""
        if isinstance(part, dict):
            if depth < DEPTH:
                self._object(part, below, above, depth + 1)
            return
        rows = (
            described_rows(part, beside) if isinstance(part, list) and may_be_rows(part) else None
        )
        self.walk(part if rows is None else rows, below, above, depth + 1)

    def _text(self, value: str, slot: _Slot, above: tuple[str, ...], depth: int) -> None:
        if not self.free and "\n" in value and (block := block_in(value)) is not None:
            self.walk(block, slot, above, depth + 1)
            return
        if value[:1] in ("{", "[") or '{"' in value:
            inner = documents_in(value)
            if inner:
                for document in inner:
                    self.walk(document, slot, above, depth + 1)
                return
        if "\n" in value and slot.kind == "street" and ":" not in value:
            self._leaf(value.partition("\n")[0], slot, is_text=True)  # the lines of an address
        # `[section]` opens settings, `[info]` a line of a log: a bracket is no promise of JSON.
        if self._is_fielded(value) and (inner := records_in(value, fields=self._fields)):
            was, self.free = self.free, self._fields
            for document in inner:
                self.walk(document, slot, above, depth + 1)
            self.free = was
            return
        self._leaf(value, slot, is_text=True)

    def _is_fielded(self, value: str) -> bool:
        """Say whether a text under a key has parts of its own: lines, markup, fields between marks."""
        if "\n" in value or "</" in value:
            return not self.free
        return self._fields and not self.free and is_marked(value)

    def _leaf(self, value: str, slot: _Slot, *, is_text: bool) -> None:
        kind = slot.kind
        if kind in KINDS and not slot.ruled and is_description(value):
            kind = "text"
        if value[-1:] == '"':
            value = unquoted(value)
        if kind in KINDS:
            fitting = _fitting(kind, value)
            if fitting:
                found = FoundValue(fitting, value, slot.name)
                self._found.append(found)
                if is_text:
                    slot.known[value] = found
                    self._documents.remembered += 1
                return
        if self.free and " " in value and is_text:
            known = kind if kind in NOT_PERSONAL else "?"
            for below, piece in words_of(value, ""):
                path = f"{slot.path}.{below}" if below else slot.path
                self._unexplained.append(Unexplained(path, piece, known, free=True))
        elif is_text and value and not (len(value) >= CODE_LENGTH and hides_document(value)):
            known = kind if kind in NOT_PERSONAL else "?"
            unexplained = Unexplained(slot.path, value, known, self.free)
            self._unexplained.append(unexplained)
            if not self.free and not is_marked(
                value
            ):  # the same text may stand in JSON and in text of another form
                slot.known[value] = unexplained
                self._documents.remembered += 1


_QUOTING: Final = "\"'\\ "
_TYPE: Final = r"(?:string|str|integer|int|number|float|boolean|bool|array|object|list|dict|date|datetime|enum|any)"
_DESCRIBED: Final = re.compile(
    rf"{_TYPE}\s*(?:[,(\[]\s*(?:required|optional)\b)|\((?:(?:required|optional)[,\s]+)?{_TYPE}\)"
    rf"|(?:required|optional)\s*,\s*{_TYPE}\b|(?-i:string|integer|number|boolean|object|array)\Z",
    re.IGNORECASE,
)
"""How a definition begins that says what stands under a key: `string (required) - the full name of the customer`, `(optional, string)`."""


@lru_cache(maxsize=65_536)
def is_description(value: str) -> bool:
    """Say whether a value says what stands under its key, by its type or in a sentence, and is none of it."""
    if _DESCRIBED.match(value.lstrip(_QUOTING)):
        return True
    small = [word for word in value.split() if word.islower() and word not in PARTICLES]
    return len(small) >= PARTS and sum(map(_is_plain, small)) >= PARTS


def _is_plain(word: str) -> bool:
    return word in nobodys_words(ENGLISH)


@lru_cache(maxsize=65_536)
def _fitting(kind: str, value: str) -> str | None:
    """Return the kind that a value under a key of a kind is, None when it cannot be one."""
    if can_be(kind, value):
        return refined(kind, value)
    if kind == "postcode" and can_be("city", value):
        return "city"  # a town given where the code was asked for
    return None


def refined(kind: str, value: str) -> str:
    """Return the kind a value's shape makes of its key's kind."""
    if kind in {"person_id", "handle", "payment_id"} and "@" in value:
        return "email"
    if kind == "card_number" and digit_count(value) < 12:
        return "card_tail"  # masked: "**** **** **** 7447"
    if kind in {"person_id", "handle"} and value.startswith("+") and is_phone(value):
        return "phone"  # its surrogate is of a range that rings nobody
    if kind in {"person_id", "handle"} and not digit_count(value) and " " in value:
        return "full_name"
    return kind


def plain_key(key: str) -> str:
    """Return the key for a path; a key that is data becomes `*`, so that no value enters the evidence."""
    return DATA if len(key) > LONGEST_VALUE or _is_data(key) else key


@lru_cache(maxsize=65_536)
def _is_data(key: str) -> bool:
    return "@" in key or digit_count(key) >= SHORT
