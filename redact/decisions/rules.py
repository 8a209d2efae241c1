"""The rules over places that no key explains, in one table: the first that speaks of a place decides, and its name is the reason.

In: an app's places with their profiles, and what was decided of others. Out: verdicts by place. A new rule is a new line here. A rule asks one
place's profile (`when`), or looks at all places that are still open beside those that are decided (`among`). Behind the table one verdict is
taken back: identifiers that are made of nothing but what stays elsewhere stay, too (`_made_of_what_stays`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from redact.bounds import SEVERAL, VARIED
from redact.decisions.choices import shown_alike
from redact.decisions.field_forms import are_numbered, is_line
from redact.decisions.keys_of_people import (
    asked_numbers,
    drawn_records,
    person_keys,
    rooms_of_people,
)
from redact.decisions.profile import DAY, LINE, PLATE, WORDS, App, Profile
from redact.decisions.shared_names import beside_names, named_elsewhere, shared_names
from redact.decisions.verdicts import (
    BIRTH,
    CITY,
    CODE,
    IDENTIFIERS,
    KEEP,
    KEPT,
    NAME,
    NAMELIKE,
    OF_EVERYBODY,
    OLD_DAY,
    OPAQUE,
    OWN_WORDS,
    PHONE,
    STREETS,
    TEXTS,
    Verdict,
    kept_places,
)
from redact.evidence.derived_values import is_made_of
from redact.readers.place import UNKNOWN, last_key
from redact.values.forms import commonest, is_code, is_mark
from redact.values.value_sets import (
    UNLABELLED,
    are_amounts,
    are_names,
    are_old,
    are_pairs_of_no_day,
    are_places,
)


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of the table: what is decided, and of which places."""

    verdict: Verdict
    """Its reason is the rule's name; its action is empty where the app says of each place which kind of people it holds."""
    when: Callable[[Profile], bool] | None = None
    """Of which place it speaks by that place's own profile."""
    among: Callable[[App], Iterable[str]] | None = None
    """Of which it speaks by what other places show: of those that are still open, and of those whose kind a key tells where the app as a
    whole says otherwise (`app.people`, `app.catalogues`)."""

    def __post_init__(self) -> None:
        if (self.when is None) == (self.among is None):
            raise ValueError(f"a rule asks `when` or `among`, and one of them: {self.verdict}")

    def places(self, app: App) -> list[str]:
        """Return the open places that the rule speaks of."""
        if self.when is not None:
            return [key for key, one in app.open() if self.when(one)]
        # Listed before anything is decided: what the rule says of one place must not hang on another's turn.
        listed = self.among(app) if self.among is not None else ()
        return [key for key in listed if key not in app.decided]


def decide(app: App) -> dict[str, Verdict]:
    """Return the verdicts over an app's places; what no rule speaks of stays."""
    for rule in RULES:
        for key in rule.places(app):
            verdict = rule.verdict
            app.decided[key] = (
                verdict if verdict.action else replace(verdict, action=app.people[key])
            )
    verdicts = {key: verdict for key, verdict in app.decided.items() if verdict.action != KEEP}
    for key in _made_of_what_stays(app, verdicts):
        del verdicts[key]
    return verdicts


def _made_of_what_stays(app: App, verdicts: Mapping[str, Verdict]) -> list[str]:
    """Return the places of identifiers that tell nothing but what stays at other places, which the table cannot know before its end."""
    asked = [
        key for key, one in verdicts.items() if one is IDENTIFIERS and not app.places[key].free
    ]
    kept = kept_places(app.evidence, verdicts) if asked else []
    return [key for key in asked if is_made_of(app.evidence[key], kept)]


def decide_alone(profile: Profile) -> Verdict:
    """Return what is decided of a place by its own profile, as of one that learning never saw."""
    return next((rule.verdict for rule in RULES if rule.when and rule.when(profile)), KEPT)


def _are_old_days(place: Profile) -> bool:
    return place.shape == DAY and are_old(place.values, place.latest, since=UNLABELLED)


def _are_births(place: Profile) -> bool:
    return place.shape == "moment" and place.place.personal and place.are_lives


def _are_people(place: Profile) -> bool:
    """Say whether half of the values are listed names; what k people share is a choice, unless every value is a name of two words."""
    if place.shape in {"", WORDS} or not place.is_labelled or place.shape_of_all != "names":
        return False
    return are_names(place.values, each=place.is_closed)


def _are_towns(place: Profile) -> bool:
    return (
        place.shape == "names"
        and place.is_labelled
        and place.place.personal
        and are_places(place.own_values)
    )


def _are_short_codes(place: Profile) -> bool:
    """Say whether digits or letters with digits in people's records differ so much that they count nothing."""
    if place.own_shape != "code" or not (place.is_labelled and place.place.personal):
        return False
    return (len(place.own_values) >= VARIED or place.subjects < VARIED) and not are_amounts(
        place.own_values
    )


def _is_text(place: Profile) -> bool:
    return place.own_shape == "text" and place.is_shown


def _has_lines(place: Profile) -> bool:
    return 2 * sum(map(is_line, place.own_values)) > len(place.own_values)


def _is_told(place: Profile) -> bool:
    """Say whether it is free text of people's own, and no list of a few texts with a number each."""
    by_person = place.place.personal or place.subjects > SEVERAL
    return _is_text(place) and place.is_labelled and by_person and not _has_lines(place)


def _are_marks(place: Profile) -> bool:
    return place.own_shape == "names" and place.is_shown and all(map(is_mark, place.own_values))


def _read_as_names(place: Profile) -> bool:
    return place.own_shape == "names" and place.is_labelled and place.by_person


def _choices(app: App) -> Iterable[str]:
    """Return the places of words that are choices which many had under keys of their name."""
    worded = {
        key: one
        for key, one in app.open()
        if one.shape == WORDS or _are_marks(one) or _read_as_names(one)
    }
    return shown_alike(app, worded, lambda one: decide_alone(one).action == KEEP)


def _same_key(app: App, action: str, shape: str) -> list[str]:
    """Return the places of such values whose key holds people's in another record: a refund that names its owner's account."""
    telling = {
        last_key(app.places[key].path)
        for key, one in app.decided.items()
        if app.places[key].personal and one.action == action
    }
    return [
        key
        for key, place in app.places.items()
        if place.kind == UNKNOWN
        and last_key(place.path) in telling
        and commonest(list(app.evidence[key])) == shape
    ]


RULES: Final[tuple[Rule, ...]] = (
    Rule(
        Verdict("", "holds people that the app names elsewhere"),
        among=lambda app: app.people,
    ),
    Rule(
        Verdict(KEEP, "a catalogue that shows everybody the same"),
        among=lambda app: app.catalogues.places,
    ),
    Rule(Verdict(BIRTH, "looks like birth dates: old days in records of people"), _are_births),
    Rule(OLD_DAY, _are_old_days),
    Rule(STREETS, lambda place: place.shape == LINE),
    Rule(IDENTIFIERS, lambda place: place.shape == PLATE),
    Rule(Verdict(NAME, "looks like names of people"), _are_people),
    Rule(Verdict(CITY, "looks like towns in records of people"), _are_towns),
    Rule(STREETS, lambda place: place.own_shape == "street"),
    Rule(Verdict(PHONE, "looks like phone numbers"), lambda place: place.own_shape == "phone"),
    Rule(IDENTIFIERS, lambda place: place.own_shape == "identifier"),
    Rule(
        IDENTIFIERS,
        lambda place: place.own_shape == "moment" and are_pairs_of_no_day(place.own_values),
    ),
    Rule(
        Verdict(CODE, "looks like short codes and differs from person to person"),
        _are_short_codes,
    ),
    Rule(IDENTIFIERS, lambda place: _is_text(place) and all(map(is_code, place.own_values))),
    Rule(
        STREETS,
        lambda place: _is_text(place) and _has_lines(place) and not are_numbered(place.own_values),
    ),
    Rule(TEXTS, _is_told),
    Rule(Verdict(KEEP, "choices that many were shown"), among=_choices),
    Rule(OWN_WORDS, lambda place: place.shape == WORDS),
    Rule(IDENTIFIERS, _are_marks),
    Rule(NAMELIKE, _read_as_names),
    Rule(
        Verdict(OPAQUE, "numbers by which several tools are asked for one person"),
        among=asked_numbers,
    ),
    Rule(
        Verdict(OPAQUE, "a record's key that was drawn by chance, and each person's own"),
        among=drawn_records,
    ),
    Rule(
        Verdict(CODE, "a room or a seat in somebody's own record"),
        among=rooms_of_people,
    ),
    Rule(
        OF_EVERYBODY,
        among=shared_names,
    ),
    Rule(OWN_WORDS, among=named_elsewhere),
    Rule(OWN_WORDS, among=beside_names),
    Rule(
        Verdict(OPAQUE, "identifiers of people under the same key of other records"),
        among=partial(_same_key, action=OPAQUE, shape="identifier"),
    ),
    Rule(
        Verdict(CODE, "short codes of people under the same key of other records"),
        among=partial(_same_key, action=CODE, shape="code"),
    ),
    Rule(
        Verdict(OPAQUE, "each person's own word, asked of a tool that answers with a record"),
        among=person_keys,
    ),
)
"""In order: the first that speaks of a place decides; `decide` takes back what only its end shows to be nobody's."""
