"""What the whole app says of single words: places that hold people, and words under people's keys that are choices.

In: what was learnt of an app. Out: the places of its evidence that hold people, and as what; and the words that stand for
nobody. A bare list of users has no key that a lexicon could know; its values were learnt under keys that do: without this
a user's name would be replaced in the episodes that have such a key and stay in the others, a leak, and the same call with
two answers. And a car's `driver` is `locked` as its other doors are: without this the doors of one car would differ.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import Final

from redact.bounds import PARTS, SEVERAL, STEM
from redact.evidence.app_values import AppLearnt
from redact.evidence.definitions import public_choices
from redact.fold import fold_value
from redact.kinds import KINDS
from redact.lists.gazetteer import ORDINARY, is_name
from redact.readers.place import UNKNOWN, Place
from redact.recognizers.composites import is_composite

_WORD: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def people_places(app: AppLearnt, nobodys: Collection[str], *, k: int) -> dict[str, str]:
    """Return the evidence keys of these places, each with the kind that most of its people were learnt as.

    `nobodys` are the app's `choices`.
    """
    people = _single_words(app)
    if not people:
        return {}
    found: dict[str, str] = {}
    listed = public_choices(app, k=k)
    for key, seen in app.evidence.items():
        if Place.from_key(key).kind != UNKNOWN or listed.issuperset(seen):
            continue  # everybody's definitions say what may stand there: a tier that is called `Jasper`
        known = [word for value in seen if (word := fold_value(value)) in people]
        known = [word for word in known if word not in nobodys]
        kinds = Counter(people[word] for word in known)
        # `m_ana` is no word: nothing else is called so by chance.
        enough = SEVERAL if all(map(str.isalpha, known)) else 1
        if kinds.total() >= enough and kinds.total() * 2 >= len(seen):
            found[key] = max(kinds, key=lambda kind: (kinds[kind], -KINDS[kind].rank))
    return found


def choices(app: AppLearnt, *, k: int) -> frozenset[str]:
    """Return folded words that name nobody: of prompts that k subjects share, or seen by k under other keys and of the app's language.

    The language is that of its keys and tools (`lockStatus` makes `locked` a word of it). Names that some locale lists are
    not among the latter.
    """
    told = {word for word, subjects in app.told.items() if len(subjects) >= k}
    language: set[str] = set()
    shared: set[str] = set()
    for key, seen in app.evidence.items():
        if len({subject for subjects in seen.values() for subject in subjects}) < k:
            continue
        language.update(_words_of(Place.from_key(key).path))
        shared.update(value for value, subjects in seen.items() if len(subjects) >= k)
    written = (
        value for value in shared if value.isalpha() and (value.islower() or value.isupper())
    )
    return frozenset(told).union(
        word for word in map(fold_value, written) if _is_of(word, language) and not is_name(word)
    )


@lru_cache(maxsize=65_536)
def _words_of(path: str) -> tuple[str, ...]:
    return tuple(word.casefold() for word in _WORD.findall(path) if len(word) >= STEM)


def _is_of(word: str, language: Collection[str]) -> bool:
    """Say whether a word is one of the language's, or one of them with a short beginning or ending."""
    return any(
        word[start:stop] in language
        for start in range(min(SEVERAL, len(word)) + 1)
        for stop in range(max(start + STEM, len(word) - PARTS), len(word) + 1)
    )


def without_choices(words: Mapping[str, str], nobodys: Collection[str]) -> dict[str, str]:
    """Return an episode's words less those that are choices; a name that a key calls so stays one."""
    return {
        word: kind
        for word, kind in words.items()
        if word not in nobodys or kind in {"first_name", "last_name"}
    }


def _single_words(app: AppLearnt) -> dict[str, str]:
    """Return the names and handles that are personal within some episode; ordinary words show nothing."""
    words: dict[str, str] = {}
    for local in app.local.values():
        for value, kind in local.items():
            family = KINDS[kind].family
            if (
                family not in {"name", "identifier"}
                or value in ORDINARY
                or is_composite(kind, value)
            ):
                continue
            known = words.get(value)
            if known is None or KINDS[kind].rank < KINDS[known].rank:
                words[value] = kind
    return words
