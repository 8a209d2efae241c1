"""Judges the keys that no rule knows by the values seen under them, over the whole app.

In: the evidence that `redact.learn` gathered (path to values to subjects). Out: a `Verdict` per path, and the values that
the verdicts make personal. Fails closed: text that differs from person to person is withheld, and the report says which
policy line would let it pass.

Identifiers become opaque surrogates, which costs no meaning; numbers, dates, choices and what several subjects share are
kept; name-like values are names where a gazetteer knows them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from redact.dates import read_date
from redact.findings import is_composite
from redact.fold import fold_value
from redact.gazetteer import ORDINARY, is_name
from redact.learnt import AppLearnt, evidence_value, keep_kind
from redact.shapes import is_street
from redact.surrogates import PARTICLES
from redact.word_lists import word_list

KEEP: Final = "keep"
OPAQUE: Final = "opaque_id"
NAME: Final = "full_name"
STREET: Final = "street"
CODE: Final = "code"
CITY: Final = "city"
BIRTH: Final = "birth_date"
WITHHOLD: Final = "withhold"

ARGUMENT: Final = "argument"
RESULT: Final = "result"
UNKNOWN: Final = "?"

_NUMBER: Final = re.compile(r"[\s\d.,:;%$€£¥+\-*/()=<>^x°#T]*(?:[A-Za-z]{0,3})?")
PLACES: Final = word_list("places")
_URL: Final = re.compile(r"[a-z][a-z+.-]{1,12}://\S+$")
_MOMENT: Final = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}.{0,30}|\d{1,2}:\d{2}.{0,20}")
_IDENTIFIER: Final = re.compile(r"#?[\w.:@/+-]{4,200}")
_CHOICE: Final = re.compile(
    r"[a-z0-9]+(?:[_/ -][a-z0-9()%.]+){0,5}|[A-Z0-9]{1,4}|[A-Z]+(?:_[A-Z0-9]+)+"
)
_SHARED_ENOUGH: Final = 0.3
"""A key is a catalogue's when at least this share of its values was seen with several subjects."""
_CODES: Final = 3
"""So many different short digit strings in personal records are codes, not quantities."""
_DAY: Final = 18
"""A day without a time of day is at most so long."""
_LIVES: Final = 15 * 365
"""Days between the first and the last: orders, visits and contracts of one app rarely span as much."""
_LONG: Final = 5
"""So many digits with a letter are an identifier, not a number with its unit."""
_POSTAL: Final = re.compile(
    r"[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|\d{4} ?[A-Z]{2}|[A-Z]\d[A-Z] ?\d[A-Z]\d|\d{5}-\d{4}"
)
_FEW: Final = 2
"""Fewer subjects than this say nothing about whether values differ from person to person."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a value nobody explained was seen: what evidence is counted by."""

    origin: str
    """`argument` or `result`."""
    kind: str
    """What the lexicon says: `record`, `public`, `text`, or `?`."""
    personal: bool
    """The document holds personal values besides."""
    path: str

    def key(self) -> str:
        """Return the place as a key of the evidence table."""
        return "|".join((self.origin, self.kind, "p" if self.personal else "n", self.path))

    @staticmethod
    def of(key: str) -> Place:
        """Return the place of a key of the evidence table."""
        origin, kind, personal, path = key.split("|", 3)
        return Place(origin, kind, personal == "p", path)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is done with the values under one path, and why."""

    action: str
    """`keep`, `withhold`, or the kind of personal value they are."""
    reason: str


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdicts over an app's unknown keys."""

    verdicts: Mapping[str, Verdict]
    """By the place's key."""
    values: Mapping[str, str]
    """Folded value to kind: what the verdicts make personal in the whole app."""

    places: frozenset[str]
    """Every place that learning saw, judged worth a verdict or not."""
    public: frozenset[str]
    """Values that are nobody's."""

    def of(self, place: Place, value: str) -> Verdict:
        """Return the verdict over a value's place; one that learning never saw is judged by this value alone."""
        key = place.key()
        if key in self.places or place.kind != UNKNOWN:
            return self.verdicts.get(key, _KEPT)
        return _judge(place, {evidence_value(value): [0]}, self.public)


_KEPT: Final = Verdict(KEEP, "")


def judge(app: AppLearnt, *, k: int) -> Judgement:
    """Return the verdicts over the app's unknown keys."""
    public = _public_values(app, k)
    recorded = _recorded_values(app)
    verdicts: dict[str, Verdict] = {}
    values: dict[str, str] = {}
    for key, seen in app.evidence.items():
        place = Place.of(key)
        if place.kind != UNKNOWN:
            continue
        verdict = _judge(place, seen, public)
        if verdict.action == KEEP:
            continue
        verdicts[key] = verdict
        if verdict.action != WITHHOLD:
            # An identifier that several people share is still one: half a key's values cannot be other than the rest.
            spared = recorded if verdict.action in {OPAQUE, NAME} else public
            for part in (part for value in seen if value not in spared for part in _parts(value)):
                if is_composite(verdict.action, fold_value(part)):
                    keep_kind(values, fold_value(part), verdict.action)
    return Judgement(verdicts, values, frozenset(app.evidence), public)


def personal_everywhere(app: AppLearnt, *, k: int) -> dict[str, str]:
    """Return every value that is personal in the whole app: what was learnt under keys, and what verdicts add."""
    values = dict(app.values)
    for value, kind in judge(app, k=k).values.items():
        keep_kind(values, value, kind)
    return values


def _parts(value: str) -> list[str]:
    """Return what of a value is personal: of a URL the parts that look like identifiers, else all of it."""
    if not _URL.match(value):
        return [value]
    parts = re.split(r"[/?&=#;]", value.partition("://")[2])[1:]
    return [
        part for part in parts if sum(map(str.isdigit, part)) >= 3 and _IDENTIFIER.fullmatch(part)
    ]


def _recorded_values(app: AppLearnt) -> frozenset[str]:
    """Return values that are enumerated, or stand under the key of a mere record."""
    recorded = set(app.vocabulary)
    for key, seen in app.evidence.items():
        if Place.of(key).kind in {"record", "public"}:
            recorded.update(seen)
    return frozenset(recorded)


def _public_values(app: AppLearnt, k: int) -> frozenset[str]:
    """Return values that are nobody's: enumerated, shared by k subjects, a record's key, or seen without a person."""
    public = set(app.vocabulary)
    for key, seen in app.evidence.items():
        place = Place.of(key)
        if place.kind in {"record", "public"} or (place.origin == RESULT and not place.personal):
            public.update(seen)
        else:
            public.update(value for value, subjects in seen.items() if len(subjects) >= k)
    return frozenset(public)


def shape_of(value: str) -> str:
    """Return what a value looks like: `number`, `moment`, `choice`, `identifier`, `names` or `text`."""
    text = value.strip()
    digits = sum(map(str.isdigit, text))
    letters = any(map(str.isalpha, text))
    for shape, fits in (
        ("street", is_street(text)),
        ("code", 3 <= digits <= 5 and text.isdigit()),
        ("identifier", digits >= 6 and text.isdigit()),
        ("identifier", _URL.match(text)),
        ("moment", _MOMENT.fullmatch(text)),
        ("code", _POSTAL.fullmatch(text)),
        ("identifier", digits >= _LONG and letters and _IDENTIFIER.fullmatch(text)),
        ("number", not text or (digits and _NUMBER.fullmatch(text))),
        ("identifier", digits and _IDENTIFIER.fullmatch(text)),
        ("choice", _CHOICE.fullmatch(text)),
        ("names", not digits and len(text) <= 60 and _is_name_like(text)),
    ):
        if fits:
            return shape
    return "text"


def _is_name_like(text: str) -> bool:
    """Say whether a text is one to four words that begin as names do; scripts without case pass."""
    words = text.split()
    return len(words) <= 4 and all(
        word[0].isalpha()
        and (not word[0].islower() or word in PARTICLES)
        and not set(word) & set(",;:!?()/")
        for word in words
    )


def _judge(place: Place, seen: Mapping[str, list[int]], public: frozenset[str]) -> Verdict:
    own = [value for value in seen if value not in public]
    shape = _commonest(own)
    every = _commonest(list(seen))
    if every == "names" and _are_names(list(seen)):
        return Verdict(NAME, "looks like names of people")
    if own and shape == "names" and place.personal and _are_places(own):
        return Verdict(CITY, "looks like towns in records of people")
    if shape == "moment" and place.personal and _span_lives(own):
        return Verdict(
            BIRTH, "looks like birth dates: days of several decades in records of people"
        )
    subjects = {subject for listed in seen.values() for subject in listed}
    alone = len(subjects) < _FEW
    if not alone and _is_shared(seen, public):
        return _KEPT
    codes = len(own) >= _CODES
    for seen_as, enough, verdict in (
        ("street", True, _STREETS),
        ("code", place.personal and codes, _CODED),
        ("identifier", True, _IDENTIFIERS),
        ("names", place.personal or not alone, _NAMELIKE),
        ("text", place.origin == RESULT and (place.personal or len(subjects) > _FEW), _TEXTS),
    ):
        if shape == seen_as and enough:
            return verdict
    return _KEPT


_STREETS: Final = Verdict(STREET, "looks like address lines")
_CODED: Final = Verdict(CODE, "looks like short codes and differs from person to person")
_IDENTIFIERS: Final = Verdict(OPAQUE, "looks like an identifier and differs from person to person")
_NAMELIKE: Final = Verdict(WITHHOLD, "looks like names and differs from person to person")
_TEXTS: Final = Verdict(WITHHOLD, "free text that differs from person to person")


def _is_shared(seen: Mapping[str, list[int]], public: frozenset[str]) -> bool:
    """Say whether a catalogue stands behind the key: many of its values belong to several subjects or to none."""
    shared = sum(len(subjects) > 1 or value in public for value, subjects in seen.items())
    return shared >= _SHARED_ENOUGH * len(seen)


def _commonest(values: list[str]) -> str:
    """Return the shape most of the values have; no values look like a choice, which is kept."""
    counts: dict[str, int] = {"choice": 0}
    for value in values:
        shape = "text" if value.startswith("\x00") else shape_of(value)
        counts[shape] = counts.get(shape, 0) + 1
    return max(sorted(counts), key=lambda shape: counts[shape])


def _span_lives(values: list[str]) -> bool:
    """Say whether plain days lie so far apart that they date people's lives and not their orders."""
    days = [day for value in values if len(value) <= _DAY and (day := read_date(value))]
    if len(days) < _CODES or len(days) * 2 < len(values):
        return False
    return (max(days) - min(days)).days > _LIVES


def _are_places(values: list[str]) -> bool:
    placed = sum(any(word in PLACES for word in fold_value(value).split()) for value in values)
    return placed * 2 >= len(values)


def _are_names(values: list[str]) -> bool:
    named = 0
    for value in values:
        words = fold_value(value).split()
        named += any(is_name(word) and word not in ORDINARY | PLACES for word in words)
    return named * 2 >= len(values)
