"""Judges the keys that no rule knows by the values seen under them, over the whole app.

In: the evidence that `redact.learn` gathered (path to values to subjects). Out: a `Verdict` per path, and the values that
the verdicts make personal. Fails closed: text that differs from person to person is withheld, and the report says which
policy line would let it pass.

Identifiers become opaque surrogates, which costs no meaning; numbers, dates, choices and what several subjects share are
kept; name-like values are names where a gazetteer knows them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from redact.asked_numbers import asked_numbers
from redact.catalogues import NO_LISTS, Catalogues, attributes, catalogues_of
from redact.definitions import public_choices
from redact.fold import fold_value
from redact.forms import commonest, is_code, is_mark
from redact.free_ids import FREE
from redact.free_judge import (
    Tokens,
    are_numbered,
    are_own,
    beside_names,
    enough_of,
    is_day,
    is_free,
    is_letters_between,
    is_line,
    is_plate,
    least_of,
    named_elsewhere,
    own_parts,
    template_of,
    tokens_of,
    values_of_tokens,
)
from redact.handles import handle_places
from redact.language import language_of, words_kept, words_of_many
from redact.learnt import AppLearnt, evidence_value, keep_kind
from redact.numbers import NUMBERED, are_days, shape_of_numbers
from redact.people_places import UNKNOWN, choices, people_places
from redact.person_keys import person_keys
from redact.place import ARGUMENT, RESULT, Place, is_within, last_key, object_of
from redact.public_values import public_values, recorded_values, seen_at
from redact.record_values import personal_records
from redact.shared_names import shared_names
from redact.unknown_names import UNKNOWN_NAMES, unexplained_in
from redact.value_sets import (
    UNLABELLED,
    are_amounts,
    are_names,
    are_old,
    are_pairs_of_no_day,
    are_places,
    are_round,
    is_key,
    name_one_each,
    span_lives,
)
from redact.verdicts import (
    ASKED_FOR,
    BIRTHS,
    CITY,
    CODE,
    CODED,
    IDENTIFIERS,
    IN_TEXT,
    KEEP,
    KEPT,
    NAME,
    NAMELIKE,
    OF_EVERYBODY,
    OF_PEOPLE,
    OPAQUE,
    OWN_RECORD,
    OWN_WORDS,
    PHONES,
    STREET,
    STREETS,
    TEXTS,
    UNKNOWN_NAME,
    UNKNOWN_WORD,
    WITHHOLD,
    Verdict,
    kept_values,
    made_personal,
)

_SHARED_ENOUGH: Final = 0.3
"""A key is a catalogue's when at least this share of its values was seen with several subjects."""
_WORDED: Final = frozenset({NAME, STREET, "first_name", "last_name"})
_WORDS: Final = frozenset({NAME, WITHHOLD})
_MARKS: Final = frozenset({"identifier", "phone", "street"})
_CODES: Final = 3
"""So many different short digit strings in personal records are codes, not quantities."""
_FEW: Final = 2
"""Fewer subjects than this say nothing about whether values differ from person to person."""
_OF_TOKENS: Final = f"|{FREE}"
_OF_NAMES: Final = f"|{UNKNOWN_NAMES}"
_THIN: Final = 5
"""With fewer subjects nothing shows that a value is nobody's: what could be a person's is taken for one's."""
_SOME: Final = 10
"""With fewer subjects a catalogue must show in more of its values: two of six people live in one town."""
_SHARED_BY_FEW: Final = 0.6


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
    recorded: frozenset[str] = frozenset()
    """Values that are enumerated or a mere record's key: one of them is not a person's anywhere."""
    latest: int = 0
    """When the app's last episode started."""
    choices: frozenset[str] = frozenset()
    """Folded words that name nobody, whatever key they stand under."""
    people: frozenset[str] = frozenset()
    """Places without a telling key that hold people known from elsewhere."""
    words: frozenset[str] = frozenset()
    """The folded words of the app's language and of what stays: a run of others in prose is somebody's name."""
    unknown: frozenset[str] = frozenset()
    """Of the runs in prose that were seen, what is none of these words: a single one goes from its own episodes."""
    tokens: Tokens = field(default_factory=Tokens)
    """What is known of tokens in text of unknown form."""
    lists: Catalogues = NO_LISTS
    """What the app shows to everybody."""
    templates: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """By place of names and addresses in such text: the words that most of its values have."""

    def spares(self, verdict: Verdict, value: str) -> bool:
        """Say whether a value under a judged key stays, because it is a record's key or a catalogue's thing elsewhere."""
        if (verdict.action in _WORDS or is_mark(value)) and self.lists.hold(value):
            return True
        return verdict.action in {OPAQUE, NAME} and value in self.recorded

    def of(self, key: str, value: str) -> Verdict:
        """Return the verdict over the place of that key; one that learning never saw is judged by this value alone."""
        if key.endswith(_OF_TOKENS):
            return self._of_token(value)
        if key.endswith(_OF_NAMES):
            return UNKNOWN_NAME if " " in value else UNKNOWN_WORD
        if key in self.places:
            return self.verdicts.get(key, KEPT)
        place = Place.of(key)
        if place.kind not in _JUDGED:
            return self.verdicts.get(key, KEPT)
        return _judge(place, {evidence_value(value): [0]}, self.public, self.latest, _FEW)

    def _of_token(self, token: str) -> Verdict:
        if token in self.tokens.personal:
            return KEPT  # one of `values`, which are replaced wherever they stand
        if is_day(token):
            return BIRTHS if are_old([token], self.latest) else KEPT
        return IN_TEXT if self.tokens.are_personal(token) else KEPT


_JUDGED: Final = frozenset({UNKNOWN, NUMBERED})


def judge(app: AppLearnt, *, k: int) -> Judgement:
    """Return the verdicts over the app's unknown keys."""
    counted = app.evidence
    app = replace(app, evidence={key: seen for key, seen in counted.items() if not is_free(key)})
    nobodys = choices(app, k=k)
    people = people_places(app, nobodys)
    places = _places(app)
    public = public_values(app, k, people, places)
    plain = language_of(app, k=k)
    lists = catalogues_of(app.evidence, plain)
    verdicts = {key: Verdict(kind, OF_PEOPLE) for key, kind in people.items()}
    asked = app.evidence.keys() - people.keys() - lists.places
    for key in filter(asked.__contains__, app.evidence):
        place = places[key]
        if place.kind in _JUDGED:
            seen = seen_at(app.evidence, place, app.evidence[key])
            verdicts[key] = _judge(place, seen, public, app.latest, k)
    verdicts = {key: verdict for key, verdict in verdicts.items() if verdict.action != KEEP}
    withheld = {key for key, found in verdicts.items() if found is NAMELIKE}
    for key in attributes(app.evidence, withheld):
        del verdicts[key]
    verdicts.update(dict.fromkeys(asked_numbers(app.evidence, places, k=k), IDENTIFIERS))
    of_records = personal_records(app.evidence, places, k=k)
    verdicts.update((key, Verdict(kind, OWN_RECORD)) for key, kind in of_records)
    judged = verdicts.keys() | lists.places
    verdicts.update(dict.fromkeys(shared_names(app.evidence, judged, plain), OF_EVERYBODY))
    named = {key for key, one in verdicts.items() if one.action == NAME and places[key].free}
    named.update([*named_elsewhere(app.evidence, named), *beside_names(app.evidence, named)])
    verdicts.update(dict.fromkeys(named - verdicts.keys(), OWN_WORDS))
    verdicts.update(dict.fromkeys(handle_places(app.evidence, named, k=k), ASKED_FOR))
    _alike(app, verdicts)
    for key in person_keys(app.evidence, places, public, k=k).difference(verdicts):
        verdicts[key] = ASKED_FOR
    recorded = recorded_values(app, k)
    templates = _templates(app, verdicts, k)
    tokens = tokens_of(counted, kept_values(app.evidence, verdicts, recorded), k=k)
    values = values_of_tokens(tokens, plain)
    for name in lists.names:
        keep_kind(values, fold_value(name), NAME)
    for key, verdict in verdicts.items():
        template = templates.get(key, frozenset())
        parts = [part for value in app.evidence[key] for part in own_parts(value, template)]
        if verdict.action == NAME:
            parts = [part for part in parts if not lists.hold(part)]
        free = places[key].free  # who comes back under k requests is not everybody
        for value in made_personal(parts, verdict, recorded if free else public, recorded):
            keep_kind(values, value, verdict.action)
    words = plain | words_kept(app, verdicts, public_choices(app, k=k), k=k, lists=lists.places)
    told = [seen for key, seen in counted.items() if key.endswith(_OF_NAMES)]
    words |= words_of_many(told, words, k=k)
    unknown = {part for seen in told for run in seen for part in unexplained_in(run, words)}
    for name in filter(_is_parted, unknown):
        keep_kind(values, fold_value(name), NAME)
    return Judgement(
        verdicts,
        values,
        frozenset(counted),
        public,
        recorded,
        app.latest,
        nobodys,
        frozenset(people),
        words,
        frozenset(map(fold_value, unknown)),
        tokens,
        lists,
        templates,
    )


def _templates(
    app: AppLearnt, verdicts: Mapping[str, Verdict], k: int
) -> dict[str, frozenset[str]]:
    """Return the words that most values have, of places of names and addresses in text that is no JSON."""
    return {
        key: template_of(app.evidence[key], k=k)
        for key, verdict in verdicts.items()
        if verdict.action in _WORDED and verdict is not OF_EVERYBODY and Place.of(key).free
    }


def _is_parted(name: str) -> bool:
    return " " in name


def _places(app: AppLearnt) -> dict[str, Place]:
    """Return every place of the evidence; what stands in one object with somebody's name is personal too.

    A record without an e-mail address or a known key shows who it is about by its values only.
    """
    places = {key: Place.of(key) for key in app.evidence}
    named = {
        object_of(place.path)
        for key, place in places.items()
        if place.kind == UNKNOWN and place.origin == RESULT and name_one_each(app.evidence[key])
    }
    return {
        key: replace(place, personal=True)
        if place.origin == RESULT and any(is_within(place.path, path) for path in named)
        else place
        for key, place in places.items()
    }


def _alike(app: AppLearnt, verdicts: dict[str, Verdict]) -> None:
    """Judge a key that holds identifiers of people in one record to hold them in every record.

    A refund names its owner's account in a record without any other trace of a person.
    """
    telling = {
        last_key(place.path)
        for place in map(Place.of, verdicts)
        if place.personal and verdicts[place.key()].action == OPAQUE
    }
    for key, seen in app.evidence.items():
        place = Place.of(key)
        if key in verdicts or place.kind != UNKNOWN or last_key(place.path) not in telling:
            continue
        if commonest(list(seen)) == "identifier":
            verdicts[key] = IDENTIFIERS


def personal_everywhere(app: AppLearnt, *, k: int) -> dict[str, str]:
    """Return every value that is personal in the whole app: what was learnt under keys, and what verdicts add."""
    values = dict(app.values)
    for value, kind in judge(app, k=k).values.items():
        keep_kind(values, value, kind)
    return values


def _judge(
    place: Place,
    seen: Mapping[str, list[int]],
    public: frozenset[str],
    latest: int,
    k: int,
) -> Verdict:
    if place.kind == NUMBERED:
        return _judge_numbers(place, seen, public, latest, k)
    if place.free and are_own(seen, k=k):
        return OWN_WORDS
    if place.free and are_own(seen, k=k, fits=is_line):
        return STREETS
    if place.free and are_days(list(seen)):
        return BIRTHS if are_old(list(seen), latest, since=UNLABELLED) else KEPT
    # In a record `512GB SSD` is shaped like a plate as well.
    plates = is_plate if place.free else is_letters_between
    if (place.free or place.personal) and are_own(seen, k=k, fits=plates):
        return IDENTIFIERS
    verdict = _judge_shape(place, seen, public, latest, k)
    unnamed = place.free and last_key(place.path).startswith(FREE)
    # A place that no label names holds anything: only what shows by its own shape is taken from it.
    return KEPT if unnamed and verdict.action in {NAME, CITY, CODE, WITHHOLD} else verdict


def _judge_numbers(
    place: Place, seen: Mapping[str, list[int]], public: frozenset[str], latest: int, k: int
) -> Verdict:
    own = [value for value in seen if value not in public]
    shape = shape_of_numbers(own, place.path.rpartition(".")[2], latest)
    if shape == "day" and place.personal and (span_lives(own) or are_old(own, latest)):
        return BIRTHS
    subjects = len({subject for listed in seen.values() for subject in listed})
    several = least_of(k, subjects) if place.personal or place.origin == ARGUMENT else _FEW
    shared = subjects >= _FEW and _is_shared(seen, public, _SHARED_ENOUGH, several=several)
    return IDENTIFIERS if shape == "identifier" and not shared else KEPT


def _judge_shape(
    place: Place, seen: Mapping[str, list[int]], public: frozenset[str], latest: int, k: int
) -> Verdict:
    own = [value for value in seen if value not in public]
    shape = commonest(own)
    every = shape if len(own) == len(seen) else commonest(list(seen))
    closed = all(len(listed) >= k for listed in seen.values())
    if every == "names" and are_names(list(seen), each=closed):
        return Verdict(NAME, "looks like names of people")
    if own and shape == "names" and place.personal and are_places(own):
        return Verdict(CITY, "looks like towns in records of people")
    if shape == "moment" and place.personal and (span_lives(own) or are_old(own, latest)):
        return BIRTHS
    subjects = {subject for listed in seen.values() for subject in listed}
    alone = len(subjects) < _FEW
    some = place.personal and shape == "names" and len(subjects) < _SOME
    # Who comes back under another request is two subjects: what marks a person is a catalogue's only where k have it.
    asked = place.personal or place.origin == ARGUMENT
    marked = shape in _MARKS and asked and (place.personal or 2 * sum(map(is_key, own)) > len(own))
    several = least_of(k, len(subjects)) if marked else enough_of(k, len(subjects))
    enough = _SHARED_BY_FEW if some else _SHARED_ENOUGH
    if are_round(own) or (not alone and _is_shared(seen, public, enough, several=several)):
        return KEPT
    return _BY_SHAPE.get(shape) or _unshared(place, shape, own, len(subjects))


_BY_SHAPE: Final = {"street": STREETS, "phone": PHONES, "identifier": IDENTIFIERS}


def _unshared(place: Place, shape: str, own: list[str], subjects: int) -> Verdict:
    """Judge values that no two subjects share by their shape."""
    verdict = KEPT
    shown = place.origin == RESULT
    if shape == "moment" and are_pairs_of_no_day(own):
        verdict = IDENTIFIERS
    elif shape == "code" and place.personal:
        codes = len(own) >= _CODES or (subjects < _THIN and bool(own))
        verdict = CODED if codes and not are_amounts(own) else KEPT
    elif shape == "names":
        own_marks = shown and all(map(is_mark, own))
        withheld = NAMELIKE if place.personal or subjects >= _FEW else KEPT
        verdict = IDENTIFIERS if own_marks else withheld
    elif shape == "text" and shown:
        if all(map(is_code, own)):
            verdict = IDENTIFIERS
        elif 2 * sum(map(is_line, own)) > len(own):
            verdict = KEPT if are_numbered(own) else STREETS
        elif place.personal or subjects > _FEW:
            verdict = TEXTS
    return verdict


def _is_shared(
    seen: Mapping[str, list[int]], public: frozenset[str], enough: float, *, several: int
) -> bool:
    """Say whether a catalogue stands behind the key: many of its values belong to several subjects or to none."""
    shared = sum(len(subjects) >= several or value in public for value, subjects in seen.items())
    return shared >= enough * len(seen)
