"""Whether a word that is a learnt name means the person where it stands: "Brown" the customer, "brown" the shirt.

In: a text, the matches in it and what the app's public vocabulary is. Out: the matches to replace. Errs towards
replacing; a word that is also ordinary or public stays only where nothing near it speaks of a person.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from unicodedata import normalize

from redact.apply.matcher import Match
from redact.bounds import BEFORE, NEAR, NEARLY_ALL, SHORT, STEM
from redact.decisions.judgement import Judgement
from redact.decisions.verdicts import NAME
from redact.evidence.app_values import AppLearnt
from redact.evidence.definitions import public_choices
from redact.fold import fold_value
from redact.kinds import KINDS
from redact.lists.dictionary import ENGLISH, words_of
from redact.lists.gazetteer import ORDINARY
from redact.lists.lexicon import word_group
from redact.lists.word_lists import word_list
from redact.names.without_capitals import follows_a_surname
from redact.readers.place import RESULT, Place, is_free
from redact.recognizers.composites import is_composite
from redact.values.months import month_number
from redact.values.scripts import is_unspaced

_CALLING: Final = frozenset[str]().union(
    *map(word_list, ("titles", "greetings", "closings", "name_told"))
)
"""Words before what people are called."""
_CALLS_SOMEBODY: Final = re.compile(
    rf"(?:^|[^\w])(?:{'|'.join(re.escape(one).replace('_', ' ') for one in sorted(_CALLING, key=len, reverse=True))})"
    r"[\s,.:!\u2013-]{1,3}$",
    re.IGNORECASE,
)
_SIGNED: Final = re.compile(r"(?:^|[\n/\u2013-])[ ]?$")
_CALLED_FIRST: Final = re.compile(r"\A[\s*_]*(?:[^\W\d_]+ )?\Z")
_COMMA: Final = re.compile(r"[*_]*[,!]")
"""What stands behind a name that a text begins with: `*Bill*, your leave`, `Done Bill!`."""
_CALLED_AT_END: Final = re.compile(r",[ ]$")
_SAID: Final = re.compile(r"[.!?)]{0,3}\s*$")
"""What may stand behind a name that ends a text: `See you, Per!`, or a signature."""
_INITIAL: Final = re.compile(r"(?<![^\W_])[^\W\d_a-z]\.[ \u00a0]?$")
"""Before a surname that is an ordinary word: `G. Price`."""
_INSIDE: Final = re.compile(r"(?<![^\W_])[a-z]+[ ]$")
_GOES_ON: Final = re.compile(r"['\u2019]s\b|[ ][a-z]|[,;.?!](?:\s|$)|$")
_KEY_BEFORE: Final = re.compile(
    r"\"([^\"\\]{1,48})\\*\"\s*:\s*(?:\[\s*)?\\*\"$|'([^'\\]{1,48})'\s*:\s*'$"
)
_LABEL_BEFORE: Final = re.compile(
    r"(?:^|[\n,;({|]|\\n)[ \t]*(?:- )?([^\n:=,;({|]{1,48}?)[ \t]*[:=][ \t]*['\"]?$"
)
"""`First Name: ` of a labelled line and of YAML, `first_name='` of a printed object."""
_VALUE_END: Final = re.compile(r"['\"\n\r,;)}|]|\\|$")
_KEY_OPENED: Final = re.compile(r"[{,]\s*\\*\"[\w.-]*$")
_KEY_AFTER: Final = re.compile(r"[\w.-]*\\*\"\s*:")
_GAP: Final = re.compile(r"(?:%[0-9a-fA-F]{2}|[\W_]){0,3}")
_JOINTS: Final = frozenset("-_.+")
_QUOTES: Final = frozenset("\"'\\")
_LINE: Final = re.compile(r"[\n]|\\n")
_TOKEN: Final = re.compile(r"[^\W_]+")
_IDS: Final = frozenset({"person_id", "payment_id", "opaque_id"})
_INSIDE_SENTENCE: Final = re.compile(r"(?<![^\W_])([^\W_]+)[,.]? $")
_SENTENCE_GOES_ON: Final = re.compile(r"[ ][^\W_(]|[,;.?!](?:\s|$)|$")
_TELLS_AN_ID: Final = frozenset(
    {"am", "are", "as", "called", "for", "is", "login", "named", "under", "was"}
).union(*(map(word_group, ("person", "account", "payment", "id", "name"))))
"""Behind these an id is one: `my number is 12`, `user worlds`."""
_CALLED: Final = frozenset(
    name for name, kind in KINDS.items() if kind.family in {"name", "street", "place"}
)
"""The kinds whose values can also be words."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """An app's public words: values that so many subjects share, and what tool definitions enumerate."""

    forms: frozenset[str]
    """Values and their words, in the case in which they are public."""

    def holds(self, mention: str) -> bool:
        """Say whether a mention could be the public word: "MIA" the airport is not "Mia"."""
        forms = self.forms
        return mention in forms or mention.lower() in forms or mention.title() in forms


def vocabulary_of(
    app: AppLearnt, *, k: int, words: Collection[str], judgement: Judgement
) -> Vocabulary:
    """Return the public words of an app; `words` are those that the policy declares public.

    What is judged to be people's names is nobody's word, however many people bear it.
    """
    forms: set[str] = set(words)
    shared = dict.fromkeys(public_choices(app, k=k), 0)
    named = _named_in_free_text(app, judgement)
    borne = _borne(app, judgement)
    for key, values in app.evidence.items():
        if is_free(key):
            continue
        verdict = judgement.verdicts.get(key)
        place = Place.from_key(key)
        judged = verdict is not None and (verdict.action == NAME or place.free)
        if key in judgement.people or judged:
            continue
        nobodys = place.origin == RESULT and not place.personal
        for value, subjects in values.items():
            if place.origin != RESULT and value in named:
                continue  # what is asked for by name
            if len(subjects) >= k or (nobodys and value.islower()):
                shared[value] = max(shared.get(value, 0), len(subjects))
    people = {
        word
        for key in judgement.templates
        for value in app.evidence.get(key, ())
        for word in _TOKEN.findall(value)
    } | named
    for value, count in shared.items():
        words_of = _words_of(value, judgement.unknown)
        alone = len(words_of) == 1
        if count >= k:  # a surname that k customers bear stands in k queries
            words_of = [word for word in words_of if not _is_borne(word, count, borne)]
        if words_of:
            forms.add(value)
        forms.update(word for word in words_of if alone or word not in people)
    return Vocabulary(frozenset(forms))


def _words_of(value: str, unknown: Collection[str]) -> list[str]:
    """Return the words of a value; of a sentence those that are somebody's name in prose are none of the app's."""
    words = _TOKEN.findall(value)
    if len(words) == 1:
        return words
    return [word for word in words if fold_value(word) not in unknown]


def _borne(app: AppLearnt, judgement: Judgement) -> Counter[str]:
    """Return in how many episodes a word is somebody's name, by a key that says so or by a verdict."""
    names = {name for name, kind in KINDS.items() if kind.family == "name"}
    borne = Counter(
        word for local in app.local.values() for word, kind in local.items() if kind in names
    )
    for key, verdict in judgement.verdicts.items():
        if verdict.action in names:
            for value, subjects in app.evidence.get(key, {}).items():
                for word in set(_TOKEN.findall(fold_value(value))):
                    borne[word] += len(subjects)
    return borne


def _is_borne(word: str, subjects: int, borne: Mapping[str, int]) -> bool:
    """Say whether nearly everybody who saw a word saw it as somebody's name; a short code in capitals is none ("MIA")."""
    if word.isupper() and len(word) <= STEM:
        return False
    folded = fold_value(word)
    return folded not in ORDINARY and borne[folded] >= NEARLY_ALL * subjects


def _named_in_free_text(app: AppLearnt, judgement: Judgement) -> set[str]:
    """Return single words that are whole values where text of unknown form holds people."""
    names = {name for name, kind in KINDS.items() if kind.family == "name"}
    return {
        value
        for key, values in app.evidence.items()
        if Place.from_key(key).free
        and key in judgement.verdicts
        and judgement.verdicts[key].action in names
        for value in values
        if _TOKEN.fullmatch(value)
    }


@dataclass(frozen=True, slots=True)
class Standing:
    """What decides over the matches of one episode."""

    vocabulary: Vocabulary
    personal_keys: frozenset[str]
    """The keys under which this episode's personal values were found."""
    names: frozenset[str] = frozenset()
    """What everybody's tools, arguments and agents are called."""

    def personal(self, text: str, matches: Sequence[Match]) -> list[Match]:
        """Return the matches that mean the person."""
        if self.names:
            matches = [match for match in matches if not self._is_argument(text, match)]
        plain = [not self._doubtful(text, match) for match in matches]
        if all(plain):
            return list(matches)
        return [
            match
            for place, match in enumerate(matches)
            if plain[place] or self._supported(text, matches, plain, place)
        ]

    def _is_argument(self, text: str, match: Match) -> bool:
        """Say whether a word is, or stands in, a key that is one of everybody's arguments."""
        if not match.local:
            return False
        end = _KEY_AFTER.match(text, match.end)
        if end is None:
            return False
        opened = _KEY_OPENED.search(text, max(0, match.start - BEFORE), match.start)
        if opened is None:
            return False
        return text[opened.start() : end.end()].strip('{,: \t\n\\"') in self.names

    def _doubtful(self, text: str, match: Match) -> bool:
        if match.kind in _IDS:
            doubtful = match.local and _is_said(text, match)
        elif match.kind not in _CALLED:
            doubtful = match.kind == "withheld" and _in_key(text, match)
        else:
            doubtful = self._may_be_word(text, match)
        return doubtful

    def _may_be_word(self, text: str, match: Match) -> bool:
        """Say whether a mention of a name, a street or a town may be another word."""
        mention = text[match.start : match.end]
        words = match.value.split()
        if not match.local:
            said = match.kind == "full_name" and not mention[:1].isupper()
            ordinary = said and all(word in ORDINARY for word in words)
            return ordinary and (self.vocabulary.holds(mention) or not _is_quoted(text, match))
        if len(words) > 1 and is_composite(match.kind, match.value):
            return False
        if is_unspaced(match.value[0]):  # two letters are a whole name there, and none is a capital
            one = len(normalize("NFC", match.value)) == 1 and not _is_quoted(text, match)
            doubtful = one or self.vocabulary.holds(mention)
            return doubtful and not follows_a_surname(text, match.end)
        short = len(match.value) < 3 or (match.kind == "street" and len(words) == 1)
        if short and not mention[:1].isupper():
            return True
        return match.value in ORDINARY or self.vocabulary.holds(mention)

    def _supported(
        self, text: str, matches: Sequence[Match], plain: Sequence[bool], place: int
    ) -> bool:
        match = matches[place]
        capital = text[match.start].isupper()
        if match.kind == "withheld":
            return False
        if self._under_personal_key(text, match):
            return True
        if capital and (_is_called(text, match) or self._is_capital_alone(text, match)):
            return True
        for other in (place - 1, place + 1):
            if not 0 <= other < len(matches) or not self._are_neighbours(
                text, match, matches[other]
            ):
                continue
            if plain[other] or (capital and text[matches[other].start].isupper()):
                return True
            if self._are_one_word(text, match, matches[other]) or self._quoted(
                text, match, matches[other]
            ):
                return True
        # Who writes "my name is lily lee" means a person; "dear may" alone may be the month.
        clear = capital or " " in match.value
        return clear and bool(
            _CALLS_SOMEBODY.search(text[max(0, match.start - NEAR) : match.start])
        )

    def _is_capital_alone(self, text: str, match: Match) -> bool:
        """Say whether a person's word has the one capital inside a sentence, as no word but a name has there: `a seat for Mason with`."""
        if KINDS[match.kind].family != "name" or month_number(match.value):
            return False
        before = text[max(0, match.start - NEAR) : match.start]
        inside = _INSIDE.search(before) and _GOES_ON.match(text, match.end)
        return inside is not None and not self.vocabulary.holds(text[match.start : match.end])

    def _are_neighbours(self, text: str, match: Match, other: Match) -> bool:
        first, second = (match, other) if match.start < other.start else (other, match)
        gap = text[first.end : second.start]
        return _GAP.fullmatch(gap) is not None and not _LINE.search(gap) and '"' not in gap

    def _quoted(self, text: str, match: Match, other: Match) -> bool:
        """Say whether two words of a person are all that stands between two quotes, in whatever letters: `name = 'hope price'`."""
        first, second = (match, other) if match.start < other.start else (other, match)
        both = text[first.start : second.end]
        whole = match._replace(start=first.start, end=second.end)
        if text[first.end : second.start].strip(" ") or _KEY_AFTER.match(text, second.end):
            return False  # `"first_name":` in the records of Ms First Name
        return (
            first.value != second.value
            and _is_quoted(text, whole)
            and not self.vocabulary.holds(both)
        )

    def _are_one_word(self, text: str, match: Match, other: Match) -> bool:
        """Say whether two words of a person are one word, as in names of pages and files: `hope-price` is nobody's hope."""
        first, second = (match, other) if match.start < other.start else (other, match)
        if first.value == second.value or text[first.end : second.start] not in _JOINTS:
            return False
        return (
            _KEY_AFTER.match(text, second.end) is None
        )  # `"first_name":` in the records of Ms First Name

    def _under_personal_key(self, text: str, match: Match) -> bool:
        if _VALUE_END.match(text, match.end) is None:
            return False
        before = text[max(0, match.start - BEFORE) : match.start]
        found = _KEY_BEFORE.search(before)
        if found is not None:
            return (found[1] or found[2]) in self.personal_keys
        label = _LABEL_BEFORE.search(before)
        return label is not None and label[1] in self.personal_keys


def _is_said(text: str, match: Match) -> bool:
    """Say whether an id that is a plain word or a small number stands as one of a sentence: `3 worlds are left`, and not `user 12`."""
    value = match.value
    small = value.isdecimal() and len(value) <= SHORT
    if not (small or (value in words_of(ENGLISH) and text[match.start : match.end].islower())):
        return False
    before = text[max(0, match.start - NEAR) : match.start]
    inside = _INSIDE_SENTENCE.search(before)
    if inside is None or _SENTENCE_GOES_ON.match(text, match.end) is None:
        return False
    return inside[1].casefold() not in _TELLS_AN_ID


def _is_quoted(text: str, match: Match) -> bool:
    """Say whether a mention is all that stands between two quotes: a value, and no words of a sentence."""
    return (
        text[match.start - 1 : match.start] in _QUOTES
        and text[match.end : match.end + 1] in _QUOTES
    )


def _is_called(text: str, match: Match) -> bool:
    """Say whether an initial stands before a word, or a text ends in calling somebody by it or is signed with it."""
    before = text[max(0, match.start - STEM) : match.start]
    if _INITIAL.search(before):
        return True
    if KINDS[match.kind].family != "name" or not match.local:
        return False
    if _CALLED_FIRST.search(text, 0, match.start) and _COMMA.match(text, match.end):
        return True
    if not before or not _SAID.match(text, match.end):
        return False
    if _CALLED_AT_END.search(
        before
    ):  # a word of a full name is learnt as a surname, whichever of them it is
        return True
    return match.kind == "first_name" and _SIGNED.search(before) is not None


def _in_key(text: str, match: Match) -> bool:
    """Say whether a word without blanks stands in a JSON key, which names a field and nobody."""
    if " " in match.value or _KEY_AFTER.match(text, match.end) is None:
        return False
    return _KEY_OPENED.search(text, max(0, match.start - BEFORE), match.start) is not None
