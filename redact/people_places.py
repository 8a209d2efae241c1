"""Places without a telling key whose values are people known from elsewhere in the app.

In: what was learnt of an app. Out: the places of its evidence that hold people, and as what. A bare list of users, or
the column of a table, has no key that a lexicon could know; its values were learnt under keys that do. Without this a
user's name would be replaced in the episodes that have such a key and stay in the others: a leak, and the same call with
two answers.
"""

from __future__ import annotations

from collections import Counter

from redact.findings import is_composite
from redact.fold import fold_value
from redact.gazetteer import ORDINARY
from redact.kinds import KINDS
from redact.learnt import AppLearnt
from redact.place import Place

UNKNOWN = "?"
_KNOWN = 2
"""So many different people, and half of the values, show that a place is about people; one may be a coincidence."""


def people_places(app: AppLearnt) -> dict[str, str]:
    """Return the evidence keys of these places, each with the kind that most of its people were learnt as."""
    people = _single_words(app)
    if not people:
        return {}
    found: dict[str, str] = {}
    for key, seen in app.evidence.items():
        if Place.of(key).kind != UNKNOWN:
            continue
        kinds = Counter(kind for value in seen if (kind := people.get(fold_value(value))))
        if kinds.total() >= _KNOWN and kinds.total() * 2 >= len(seen):
            found[key] = max(kinds, key=lambda kind: (kinds[kind], -KINDS[kind].rank))
    return found


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
