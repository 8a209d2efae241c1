"""Judges the keys that no rule knows by the values seen under them, over the whole app.

In: the evidence that `redact.apply.learn` gathered (path to values to subjects). Out: a `Verdict` per path, and the values that
the verdicts make personal. Fails closed: text that differs from person to person is withheld, and the report says which
policy line would let it pass.

Identifiers become opaque surrogates, which costs no meaning; numbers, dates, choices and what several subjects share are
kept; name-like values are names where a gazetteer knows them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from redact.decisions.free_text import (
    Tokens,
    beside_names,
    is_day,
    is_free,
    named_elsewhere,
    own_parts,
    template_of,
    tokens_of,
    values_of_tokens,
)
from redact.decisions.person_keys import person_keys
from redact.decisions.person_numbers import asked_numbers
from redact.decisions.places import judge_place
from redact.decisions.verdicts import (
    ASKED_FOR,
    BIRTHS,
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
    STREET,
    UNKNOWN_NAME,
    UNKNOWN_WORD,
    WITHHOLD,
    Verdict,
    kept_values,
    made_personal,
)
from redact.evidence.app_values import AppLearnt, evidence_value, keep_kind
from redact.evidence.catalogues import NO_LISTS, Catalogues, attributes, catalogues_of
from redact.evidence.choices import choices_in_words
from redact.evidence.definitions import public_choices
from redact.evidence.forms import commonest, is_mark
from redact.evidence.key_values import places_of_words, shown_alike
from redact.evidence.language import language_of, with_dictionaries, words_kept, words_of_many
from redact.evidence.own_words import personal_parts
from redact.evidence.people_places import UNKNOWN, choices, people_places
from redact.evidence.place import RESULT, Place, is_within, last_key, object_of
from redact.evidence.public_values import public_values, recorded_values, seen_at
from redact.evidence.record_values import personal_records
from redact.evidence.shared_names import shared_names
from redact.evidence.value_sets import are_old, name_one_each
from redact.names.handles import handle_places
from redact.names.unknown_names import UNKNOWN_NAMES, unexplained_in
from redact.values.fold import fold_value
from redact.values.free_ids import FREE
from redact.values.numbers import NUMBERED

_WORDED: Final = frozenset({NAME, STREET, "first_name", "last_name"})
_WORDS: Final = frozenset({NAME, WITHHOLD})
_LEAST_USERS: Final = 2
_OF_TOKENS: Final = f"|{FREE}"
_OF_NAMES: Final = f"|{UNKNOWN_NAMES}"


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
    language: frozenset[str] = frozenset()
    """The folded words that the app's assistant, prompts, definitions and keys hold, and those of a dictionary."""

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
        return judge_place(
            place, {evidence_value(value): [0]}, self.public, self.latest, _LEAST_USERS
        )

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
    people = people_places(app, nobodys, k=k)
    places = _places(app)
    public = public_values(app, k, people, places)
    own = language_of(app, k=k)
    plain = with_dictionaries(own, app.small)
    lists = catalogues_of(app.evidence, plain, own)
    verdicts = {key: Verdict(kind, OF_PEOPLE) for key, kind in people.items()}
    asked = app.evidence.keys() - people.keys() - lists.places
    for key in filter(asked.__contains__, app.evidence):
        place = places[key]
        if place.kind in _JUDGED:
            seen = seen_at(app.evidence, place, app.evidence[key])
            verdicts[key] = judge_place(place, seen, public, app.latest, k)
    verdicts = {key: verdict for key, verdict in verdicts.items() if verdict.action != KEEP}
    withheld = {key for key, found in verdicts.items() if found is NAMELIKE}
    worded = {key: places[key] for key in places_of_words(app.evidence, verdicts)}
    alike = shown_alike(app, worded, public, plain, k=k)
    for key in attributes(app.evidence, withheld).union(alike):
        del verdicts[key]
    verdicts.update(dict.fromkeys(asked_numbers(app.evidence, places, k=k), IDENTIFIERS))
    of_records = personal_records(app.evidence, places, k=k)
    verdicts.update((key, Verdict(kind, OWN_RECORD)) for key, kind in of_records)
    judged = verdicts.keys() | lists.places
    verdicts.update(dict.fromkeys(shared_names(app.evidence, judged, own), OF_EVERYBODY))
    named = {key for key, one in verdicts.items() if one.action == NAME and places[key].free}
    named.update([*named_elsewhere(app.evidence, named), *beside_names(app.evidence, named)])
    verdicts.update(dict.fromkeys(named - verdicts.keys(), OWN_WORDS))
    verdicts.update(dict.fromkeys(handle_places(app.evidence, named, k=k), ASKED_FOR))
    _alike(app, verdicts)
    for key in person_keys(app.evidence, places, public, k=k).difference(verdicts):
        verdicts[key] = ASKED_FOR
    recorded = recorded_values(app, k) | choices_in_words(app.evidence, verdicts, k=k)
    templates = _templates(app, verdicts, k)
    tokens = tokens_of(counted, kept_values(app.evidence, verdicts, recorded), k=k)
    values = values_of_tokens(tokens, plain)
    for name in lists.names:
        keep_kind(values, fold_value(name), NAME)
    for key, verdict in verdicts.items():
        template = templates.get(key, frozenset())
        parts = [part for value in app.evidence[key] for part in own_parts(value, template)]
        if verdict.action == NAME:
            parts = _named(parts, verdict, lists, plain)
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
        plain,
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


def _named(
    parts: list[str], verdict: Verdict, lists: Catalogues, language: Collection[str]
) -> list[str]:
    """Return what of values that are people's names names them: of text of unknown form the words that are nobody else's."""
    own = [part for part in parts if not lists.hold(part)]
    if verdict is not OWN_WORDS:
        return own
    return [one.value for part in own for one in personal_parts(part, language, of_people=True)]


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
