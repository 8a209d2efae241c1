"""The words of an app's own language: what a capitalised word is, if it is nobody's name.

In: what was learnt of an app, and its verdicts. Out: folded words. A word that the assistant writes small, that all prompts or definitions
hold or that is part of a key is one of the language; so is what stays in answers.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from collections.abc import Set as AbstractSet
from typing import Final

from redact.bounds import ENOUGH, NEARLY_ALL, PARTS, SEVERAL
from redact.evidence.app_values import AppLearnt
from redact.evidence.subjects import enough_of, subjects_of, subjects_up_to
from redact.fold import fold_value
from redact.lists.dictionary import languages_spoken
from redact.lists.gazetteer import COMMON, ORDINARY, is_joined, is_name, nobodys_words
from redact.lists.word_lists import PARTICLES
from redact.names.unknown_names import is_listed, unexplained_in
from redact.names.without_capitals import people_in
from redact.readers.place import (
    ARGUMENT,
    RESULT,
    Place,
    is_free,
    last_key,
)
from redact.values.free_ids import FREE
from redact.values.segments import is_sentence, path_words, told_words, words_apart


def language_of(app: AppLearnt, *, k: int) -> frozenset[str]:
    """Return the words that an app writes small, and those of its shared prompts and definitions and of its keys."""
    least = max(1, subjects_up_to([app.told], k))
    words = {*app.small, *(word for word, listed in app.told.items() if len(listed) >= least)}
    words.update(path_words(" ".join(_fields_in(app, least))))
    return frozenset(words)


def with_dictionaries(
    language: AbstractSet[str], small: Collection[str], *, large: bool = False
) -> frozenset[str]:
    """Return an app's words with the common words, which nobody bears, of the languages that it speaks by its words in small letters; `large`: words with a capital."""
    spoken = languages_spoken(small)
    return frozenset(language).union(*(nobodys_words(one, large=large) for one in spoken))


def _fields_in(app: AppLearnt, least: int) -> set[str]:
    """Return the paths of an app's keys; what stands before a value in a text is a field where so many subjects saw it, else perhaps a name."""
    fields = set()
    for key, seen in app.evidence.items():
        path = Place.from_key(key).path
        if path not in fields and (
            FREE not in path or len(set().union(*seen.values())) >= max(least, SEVERAL)
        ):
            fields.add(path)
    return fields


def words_kept(
    app: AppLearnt,
    changed: Collection[str],
    choices: Collection[str],
    *,
    k: int,
    lists: Collection[str] = (),
) -> frozenset[str]:
    """Return the words of values that stay; of sentences only the small ones, unless several subjects saw them.

    Of catalogues (`lists`) the words that no list of names has.
    """
    several = enough_of(k, subjects_up_to(app.evidence.values(), 3 * k))
    whole: list[str] = list(choices)
    asked: list[str] = []
    prose: list[str] = []
    for key, seen in app.evidence.items():
        if key in changed or is_free(key):
            continue
        place = Place.from_key(key)
        labelled = not (place.free and last_key(place.path).startswith(FREE))
        if key in lists:
            asked += seen
            continue
        for value, listed in seen.items():
            sentence = value.count(" ") > PARTS or is_sentence(value)
            if len(listed) >= several and not (sentence and place.origin == ARGUMENT):
                whole.append(value)
            elif labelled and not sentence:
                (whole if place.origin == RESULT else asked).append(value)
            elif labelled and place.origin == RESULT:
                prose.append(value)
    words = set(told_words("\n".join(whole)))
    # What a query asks for stays in it, unless it is somebody.
    called = {part for one in asked for person in people_in(one) for part in person.name.split()}
    words.update(
        word for word in told_words("\n".join(asked)) if not is_name(word) and word not in called
    )
    words.update(word for word in " ".join(prose).split() if word.islower() and word.isalpha())
    return frozenset(words)


def words_of_many(
    told: Collection[Mapping[str, list[int]]], words: AbstractSet[str], *, k: int
) -> frozenset[str]:
    """Return the single words in prose that are nobody's name, though no list has them and nothing explains them: acronyms, joined words, or all.

    Where each subject says several of them, the language begins its nouns with capitals, and one shows nothing; nor does one among few.
    That k subjects say a word shows nothing: a nickname has no fewer.
    """
    subjects = subjects_of(told)
    single = {
        word: listed
        for seen in told
        for word, listed in seen.items()
        if " " not in word and not is_listed(word) and unexplained_in(word, words)
    }
    named = {
        word
        for seen in told
        for run in seen
        if " " in run
        for part in unexplained_in(run, words)
        for word in part.split()
    }
    capitals = subjects < k or sum(map(len, single.values())) > PARTS * subjects
    many = {
        word
        for word in single
        if capitals or word[:-1].isupper() or is_joined(fold_value(word), words)
    }
    return frozenset(fold_value(word) for word in many - named)


def words_of_subjects(
    places: Collection[Mapping[str, list[int]]], words: AbstractSet[str], *, k: int
) -> frozenset[str]:
    """Return the folded words of free text that k subjects saw and no list of names has: of the app's language, or written small.

    What nearly all of many subjects saw is the form of such texts, however it is written.
    """
    by_word: dict[str, set[int]] = {}
    for seen in places:
        for value, listed in seen.items():
            for word in set(_LETTERS.findall(words_apart(value))):
                by_word.setdefault(word, set()).update(listed)
    form = NEARLY_ALL * max(subjects_of(places), ENOUGH)
    return frozenset(
        folded
        for word, listed in by_word.items()
        if len(listed) >= k and _is_nobodys(word, folded := fold_value(word))
        if word.islower() or folded in words or folded in ORDINARY or len(listed) >= form
    )


def _is_nobodys(word: str, folded: str) -> bool:
    """Say whether no list of names has a word, or it is written as an ordinary one that some people bear."""
    if folded in PARTICLES or not is_name(folded):
        return True
    return folded in COMMON and (word.islower() or word.isupper())


_LETTERS: Final = re.compile(r"[^\W\d_]+")
