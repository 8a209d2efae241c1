"""Judges the keys that no rule knows by the values seen under them, over the whole app.

In: the evidence that `redact.apply.learn` gathered (path to values to subjects). Out: a `Verdict` per path, and the values that
the verdicts make personal. Fails closed: text that differs from person to person is withheld, and the report says which
policy line would let it pass.

Identifiers become opaque surrogates, which costs no meaning; numbers, dates, choices and what several subjects share are
kept; name-like values are names where a gazetteer knows them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from string import punctuation
from typing import Final

from redact.bounds import SEVERAL, STEM
from redact.decisions.field_forms import is_day
from redact.decisions.free_text import (
    Tokens,
    own_parts,
    template_of,
    tokens_of,
    values_of_tokens,
)
from redact.decisions.profile import JUDGED, App, Profile
from redact.decisions.rules import decide, decide_alone
from redact.decisions.verdicts import (
    IN_TEXT,
    KEPT,
    NAME,
    OF_EVERYBODY,
    OLD_DAY,
    OPAQUE,
    OWN_WORDS,
    STREET,
    UNKNOWN_NAME,
    UNKNOWN_WORD,
    WITHHOLD,
    Verdict,
    kept_places,
    kept_values,
    made_personal,
)
from redact.evidence.app_values import AppLearnt, evidence_value, keep_kind
from redact.evidence.catalogues import NO_LISTS, Catalogues, catalogues_of
from redact.evidence.definitions import public_choices
from redact.evidence.language import language_of, with_dictionaries, words_kept, words_of_many
from redact.evidence.own_words import personal_parts
from redact.evidence.people_places import choices, people_places
from redact.evidence.public_values import public_values, recorded_values, seen_at
from redact.fold import fold_value
from redact.kinds import KINDS
from redact.lists.dictionary import languages_spoken, words_of
from redact.names.unknown_names import unexplained_in
from redact.readers.place import (
    RESULT,
    UNKNOWN,
    UNKNOWN_NAMES,
    Place,
    is_free,
    is_within,
    object_of,
)
from redact.values.forms import is_mark
from redact.values.free_ids import FREE
from redact.values.shapes import digit_count
from redact.values.value_sets import are_old, name_one_each

_WORDED: Final = frozenset({NAME, STREET, "first_name", "last_name"})
_WORDS: Final = frozenset({NAME, WITHHOLD})
_OF_TOKENS: Final = f"|{FREE}"
_OF_NAMES: Final = f"|{UNKNOWN_NAMES}"


@dataclass(frozen=True, slots=True, kw_only=True)
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
    """The folded words of the app's language and of what stays."""
    large: frozenset[str] = frozenset()
    """Those that explain a capital: a run of others in prose is somebody's name."""
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
        if verdict.action == OPAQUE and value in self.public and not digit_count(value):
            return True  # one document that k people have: `valuation.pdf`
        return verdict.action in {OPAQUE, NAME} and value in self.recorded

    def verdict_of(self, key: str, value: str) -> Verdict:
        """Return the verdict over the place of that key; one that learning never saw is judged by this value alone."""
        if key.endswith(_OF_TOKENS):
            return self._of_token(value)
        if key.endswith(_OF_NAMES):
            return UNKNOWN_NAME if " " in value else UNKNOWN_WORD
        if key in self.places:
            return self.verdicts.get(key, KEPT)
        place = Place.from_key(key)
        if place.kind not in JUDGED:
            return KEPT
        return decide_alone(
            Profile(
                place=place,
                seen={evidence_value(value): [0]},
                public=self.public,
                latest=self.latest,
                k=SEVERAL,
            )
        )

    def _of_token(self, token: str) -> Verdict:
        if token in self.tokens.personal:
            return KEPT  # one of `values`, which are replaced wherever they stand
        if is_day(token):
            return OLD_DAY if are_old([token], self.latest) else KEPT
        return IN_TEXT if self.tokens.are_personal(token) else KEPT


def judge(app: AppLearnt, *, k: int) -> Judgement:
    """Return the verdicts over the app's unknown keys, and what follows from them for its values and words.

    The gate, the leak check and the plan of a build ask for the same record one after another: the latest are remembered.
    """
    for known, at, judgement in _LATEST:
        if known is app and at == k:
            return judgement
    judgement = _make_judgement(app, k)
    _LATEST.append((app, k, judgement))
    return judgement


_LATEST: Final[deque[tuple[AppLearnt, int, Judgement]]] = deque(maxlen=4)


def _make_judgement(app: AppLearnt, k: int) -> Judgement:
    counted = app.evidence
    app = replace(app, evidence={key: seen for key, seen in counted.items() if not is_free(key)})
    nobodys = choices(app, k=k)
    places = _places(app, people_places(app, nobodys, k=k), k)
    verdicts = decide(places)
    plain, lists, public = places.dictionary, places.catalogues, places.public
    recorded = recorded_values(app, k)
    templates = _templates(app, verdicts, k)
    explained = kept_values(app.evidence, verdicts, recorded)
    tokens = tokens_of(counted, explained, kept_places(app.evidence, verdicts), k=k)
    values = values_of_tokens(tokens, plain)
    for value, kind in _made_personal(places, verdicts, templates, recorded):
        keep_kind(values, value, kind)
    kept = words_kept(app, verdicts, public_choices(app, k=k), k=k, lists=lists.places)
    large = kept | with_dictionaries(places.language, app.small, large=True)
    told = [seen for key, seen in counted.items() if key.endswith(_OF_NAMES)]
    large |= words_of_many(told, large, k=k)
    spoken = frozenset[str]().union(*map(words_of, languages_spoken(app.small)))
    for value, kind in _strange_ids(app, spoken | nobodys | public | recorded):
        keep_kind(values, value, kind)
    unknown = {part for seen in told for run in seen for part in unexplained_in(run, large)}
    for name in unknown:
        if " " in name:
            keep_kind(values, fold_value(name), NAME)
    return Judgement(
        verdicts=verdicts,
        values=values,
        places=frozenset(counted),
        public=public,
        recorded=recorded,
        latest=app.latest,
        choices=nobodys,
        people=frozenset(places.people),
        words=plain | large,
        large=large,
        unknown=frozenset(map(fold_value, unknown)),
        tokens=tokens,
        lists=lists,
        templates=templates,
        language=plain,
    )


def _places(app: AppLearnt, people: Mapping[str, str], k: int) -> App:
    """Return the places of an app with their profiles; what stands in one object with somebody's name is personal too.

    A record without an e-mail address or a known key shows who it is about by its values only.
    """
    places = {key: Place.from_key(key) for key in app.evidence}
    named = {
        object_of(place.path)
        for key, place in places.items()
        if place.kind == UNKNOWN and place.origin == RESULT and name_one_each(app.evidence[key])
    }
    for key, place in places.items():
        if place.origin == RESULT and any(is_within(place.path, path) for path in named):
            places[key] = replace(place, personal=True)
    public = public_values(app, k, people, places)
    own = language_of(app, k=k)
    plain = with_dictionaries(own, app.small)
    profiles = {
        key: Profile(
            place=places[key],
            seen=seen_at(app.evidence, places[key], seen),
            public=public,
            latest=app.latest,
            k=k,
        )
        for key, seen in app.evidence.items()
        if places[key].kind in JUDGED
    }
    return App(
        learnt=app,
        places=places,
        profiles=profiles,
        people=people,
        catalogues=catalogues_of(app.evidence, plain, own),
        public=public,
        language=own,
        dictionary=plain,
        k=k,
    )


def _made_personal(
    places: App,
    verdicts: Mapping[str, Verdict],
    templates: Mapping[str, frozenset[str]],
    recorded: frozenset[str],
) -> Iterator[tuple[str, str]]:
    """Yield the folded values that verdicts and catalogues of people make personal in the whole app, each with its kind."""
    lists = places.catalogues
    yield from ((fold_value(name), NAME) for name in lists.names)
    for key, verdict in verdicts.items():
        template = templates.get(key, frozenset())
        seen = places.learnt.evidence[key]
        parts = [part for value in seen for part in own_parts(value, template)]
        if verdict.action == NAME:
            parts = _naming_parts(parts, verdict, lists, places.dictionary)
        # In text of unknown form who comes back under k requests is not everybody.
        spared = recorded if places.places[key].free else places.public
        for value in made_personal(parts, verdict, spared, recorded):
            yield value, verdict.action


def _strange_ids(app: AppLearnt, words: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield the user names and ids of people that are no `words`: one names its person in other people's conversations, too."""
    for local in app.local.values():
        for value, kind in local.items():
            # `userId: string;` in a program's text is the word, whatever stands at its end
            bare = value.strip(punctuation)
            if KINDS[kind].family == "identifier" and len(bare) >= STEM and bare not in words:
                yield bare, kind


def _templates(
    app: AppLearnt, verdicts: Mapping[str, Verdict], k: int
) -> dict[str, frozenset[str]]:
    """Return the words that most values have, of places of names and addresses in text that is no JSON."""
    return {
        key: template_of(app.evidence[key], k=k)
        for key, verdict in verdicts.items()
        if verdict.action in _WORDED and verdict is not OF_EVERYBODY and Place.from_key(key).free
    }


def _naming_parts(
    parts: list[str], verdict: Verdict, lists: Catalogues, language: Collection[str]
) -> list[str]:
    """Return what of values that are people's names names them: of text of unknown form the words that are nobody else's."""
    own = [part for part in parts if not lists.hold(part)]
    if verdict is not OWN_WORDS:
        return own
    return [one.value for part in own for one in personal_parts(part, language, of_people=True)]


def personal_everywhere(app: AppLearnt, *, k: int) -> dict[str, str]:
    """Return every value that is personal in the whole app: what was learnt under keys, and what verdicts add."""
    values = dict(app.values)
    for value, kind in judge(app, k=k).values.items():
        keep_kind(values, value, kind)
    return values
