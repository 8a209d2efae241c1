"""The check that an attempt answers with the right facts: what it says after its last call, and before it without a question, contradicts nothing.

In: the facts that resolved attempts tell at an end, and the view of one attempt. Out: whether such a message tells
others in their place: another amount, date, id or address where theirs is not told, and whether it denies something. Who tells the right price before
a change, and another one when it is done, has told a wrong one. Not here: whether the right ones are told at all (`told_values`).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Final

from ..task.attempt import Json
from ..values.denials import denied_clauses
from ..values.facts import ID, Fact, places_in
from ..values.grouping import by_key
from ..values.normal import as_list
from .texts import content_words, stem
from .view import View, objects_of, texts_of

LONG: Final = 5
"""Letters of a word that says what a clause is about: `with` and `your` stand in any."""
SHARED: Final = 2
"""Words that a denial shares with what is told as it is, before it is about the same: one may stand anywhere."""
_NUMBER: Final = re.compile(r"\d{2,}")
_ID: Final = re.compile(r"[^\W\d_]+[-_/]?\d[\w\-/]*")
"""One name, however many numbers it has."""

Form = tuple[str, str]
"""A fact's kind; of an id its form as well, since `PY-811` stands for no `M-04`."""


def closing_facts(args: Mapping[str, Json], view: View, _check_id: str) -> tuple[float | None, str]:
    """Whether no answer tells other facts in place of `facts`; what the user said may be repeated."""
    known: dict[Form, set[Json]] = defaultdict(set)
    for fact in objects_of(args, "facts"):
        form = form_of(str(fact.get("kind")), str(fact.get("value")))
        known[form].update(
            r for r in as_list(fact.get("readings")) if isinstance(r, str | int | float)
        )
    on_the_way = (_by_form(view.facts[at]) for at in view.answers_on_the_way)
    for told_by_form in (*on_the_way, _told_last(view)):
        for form, told in told_by_form.items():
            if form in known and not any(_is_known(fact, known[form], view) for fact in told):
                return 0.0, f"another {form[0]} is told in its place: {told[0].text}"
    return 1.0, "what is told contradicts nothing"


def closing_words(args: Mapping[str, Json], view: View, _check_id: str) -> tuple[float | None, str]:
    """Whether no answer names one of `others` where none of `right` stands: another person, product or code."""
    if any(is_named(name, view.stated) for name in texts_of(args, "right")):
        return 1.0, "the answers name the right one"
    for other in texts_of(args, "others"):
        if is_named(other, view.stated):
            return 0.0, f"the answers name another one: {other}"
    return 1.0, "the answers name no other one"


def denies_nothing(
    args: Mapping[str, Json], view: View, _check_id: str
) -> tuple[float | None, str]:
    """Whether no answer says that something is not so, of which `words` are told as it is: `not` makes what is right wrong."""
    words = parts_said(" ".join(texts_of(args, "words")))
    for clause in denied_clauses(view.stated):
        if len(words & parts_said(clause)) >= SHARED:
            return 0.0, "an answer denies what resolved attempts tell"
    return 1.0, "the answers deny nothing"


def parts_said(clause: str) -> frozenset[str]:
    """The beginnings of the longer words of a clause, its numbers, and its ids."""
    ids = _ID.findall(clause.casefold())
    rest = _ID.sub(" ", clause)
    long = (word for word in content_words(rest) if len(word) >= LONG)
    return frozenset({*map(stem, long), *_NUMBER.findall(rest), *ids})


def is_named(name: str, text: str) -> bool:
    """Whether a text holds a name, spelt like this and by itself."""
    around = (text[max(at - 1, 0) : at] + text[end : end + 1] for at, end in places_in(name, text))
    return any(not any(map(str.isalnum, beside)) for beside in around)


def form_of(kind: str, text: str) -> Form:
    """What a fact may stand in the place of."""
    if kind != ID:
        return kind, ""
    return kind, re.sub(r"\d", "0", re.sub(r"[^\W\d_]", "a", text))


def _by_form(facts: Iterable[Fact]) -> Mapping[Form, list[Fact]]:
    """The specific facts of one message."""
    return by_key((form_of(fact.kind, fact.text), fact) for fact in facts if fact.specific)


def _told_last(view: View) -> Mapping[Form, list[Fact]]:
    """The specific facts that were told after the last call, each form's of the last message that has some."""
    found: dict[Form, list[Fact]] = {}
    for facts in view.facts[view.closing_from :]:
        found |= _by_form(facts)
    return found


def _is_known(fact: Fact, known: set[Json], view: View) -> bool:
    return not known.isdisjoint(fact.readings) or not view.user_readings.isdisjoint(fact.readings)
