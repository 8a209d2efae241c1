"""Checks on what the user was told: facts that resolved attempts state, and words that they share.

In: a check's arguments and the view of one attempt. Only assistant messages without tool calls count: a user never
sees the words beside a call. Not here: which facts matter (synthesis decides that from resolved
attempts), how much may be told (`caps`).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Final

from ..task.attempt import Json
from ..task.verdict import count_text
from ..values.facts import (
    DATE,
    ID,
    LEAST_SPECIFIC,
    NUMBER,
    Fact,
    facts_in,
    folded,
    may_be_one_date,
    readings_of,
    stands_in,
)
from ..values.literals import parse_json
from ..values.mentions import is_name, leaves
from ..values.normal import as_list
from .ground import counts_told
from .view import View, objects_of, texts_of, whole_of, words_in

SHORTEST_TEXT: Final = 4
LONGEST_TEXT: Final = 60
"""Characters of a record's text that is told: shorter ones stand in any words, longer ones are quotations."""
MOST_TEXTS: Final = 2_000
CENT: Final = 0.0051


def told(args: Mapping[str, Json], view: View, _check_id: str) -> tuple[float | None, str]:
    """Whether the user was told a value; with `stands`, the last message that counts the thing has to count it so."""
    value = args.get("value")
    most = whole_of(args, "among")
    if isinstance(args.get("kind"), str):
        told_it = fact_told(args, view, most)
    else:
        told_it = _was_told(value, view, most) or _says_a_form(args, view)
    if told_it and args.get("stands") is True and counts_otherwise(value, view):
        return 0.0, "the last message about it tells another number"
    return (1.0, "the value was told") if told_it else (0.0, "the value was not told")


def counts_otherwise(value: Json, view: View) -> bool:
    """Whether what was counted so (`4 seats`) is counted otherwise in the last message that counts it; larger numbers need a ground."""
    if not isinstance(value, int | float) or not 0 <= value < LEAST_SPECIFIC:
        return False
    told = [list(counts_told(text)) for text in view.said_folded]
    for thing in {thing for counts in told for number, thing in counts if float(number) == value}:
        last = next(c for c in reversed(told) if any(one == thing for _, one in c))
        if not any(float(number) == value for number, one in last if one == thing):
            return True
    return False


def told_some(args: Mapping[str, Json], view: View, _check_id: str) -> tuple[float | None, str]:
    """Whether the user was told enough of what the policy had to find out.

    What counts: the `facts` that resolved attempts told, in any of their forms, and any other specific fact that a tool showed and
    that nobody had said first: other words may tell a right answer by other facts. With `only`, nothing but the facts counts, and a
    text as far as no message says it with other figures (`Room 3`, `Room 5`).
    """
    facts = objects_of(args, "facts")
    least, among = whole_of(args, "least"), whole_of(args, "among")
    needed = 1 if least is None else least
    told_here = [f for f in facts if fact_told(f, view, among)]
    only = args.get("only") is True
    found = sum(not (only and _said_otherwise(fact, view)) for fact in told_here)
    if found < needed and not only:
        found += _others_told(facts, view, among)
    says = f"{count_text(found, 'fact')} told, at least {needed} expected"
    return (1.0 if found >= needed else 0.0), says


def _said_otherwise(fact: Mapping[str, Json], view: View) -> bool:
    """Whether some message says a text with other figures than it has."""
    told = words_in(_spaced(folded(str(fact.get("value")))))
    if fact.get("kind") != "text" or not any(map(str.isdigit, told)):
        return False
    for said in view.said_folded:
        words = words_in(_spaced(said))
        for at in range(len(words) - len(told) + 1):
            here = words[at : at + len(told)]
            if here != told and all(map(_is_same_word, here, told)):
                return True
    return False


def _is_same_word(word: str, other: str) -> bool:
    """Whether two words are equal, or figures both."""
    return word == other or (word.isdigit() and other.isdigit())


def _others_told(facts: list[dict[str, Json]], view: View, among: int | None) -> int:
    """How many specific facts were told, and not listed, that are not among these, that a tool showed and nobody had said first.

    A number that arithmetic gives proves nothing here: of many numbers shown, some give any other.
    """
    left_out = {
        r
        for fact in facts
        for r in as_list(fact.get("readings"))
        if isinstance(r, str | int | float)
    }
    left_out |= view.heard_readings
    told = zip(view.facts, view.new_facts, strict=True)
    few = [facts for facts, new in told if among is None or new <= among]
    told_here = {f.readings for facts in few for f in facts if f.specific}
    others = (readings for readings in told_here if left_out.isdisjoint(readings))
    return sum(not view.shown_readings.isdisjoint(readings) for readings in others)


def texts_told(view: View) -> frozenset[str]:
    """Texts of records that some message says and the user had not, folded: names, states, products."""
    said_here = _spaced("\n".join(view.said_folded))
    if not said_here:
        return frozenset()
    shown = (text for call in view.attempt.calls for text in _texts_in(call.result.content))
    found = dict.fromkeys(_spaced(folded(text)).strip() for text in islice(shown, MOST_TEXTS))
    by_user = _spaced(view.said_by_user)
    return frozenset(
        t
        for t in found
        if SHORTEST_TEXT <= len(t) <= LONGEST_TEXT
        and any(map(str.isalpha, t))
        and stands_in(t, said_here)
        and not stands_in(t, by_user)
    )


def _spaced(text: str) -> str:
    return text.replace("_", " ")


def _texts_in(text: str) -> Iterator[str]:
    """The texts in a result that is JSON."""
    parsed = parse_json(text) if text[:1] in "[{" else None
    values = leaves(parsed.value) if parsed is not None else ()
    return (value for value in values if isinstance(value, str))


def fact_told(fact: Mapping[str, Json], view: View, among: int | None) -> bool:
    """Whether some message tells a fact: by what it means, or in one of the forms written beside it.

    `fact`: `kind`, `readings` (all that it may mean, in normal form) and `forms` (folded texts). A fact that stands among
    more than `among` new ones in its message is listed, not told.
    """
    messages = zip(view.facts, view.said_folded, view.new_facts, strict=True)
    return any(
        fact_in(fact, facts, text) for facts, text, new in messages if among is None or new <= among
    )


def fact_in(fact: Mapping[str, Json], facts: Iterable[Fact], text: str) -> bool:
    """Whether a text holds a fact; `facts` are the text's own, `text` is folded."""
    readings, forms = as_list(fact.get("readings")), [str(f) for f in as_list(fact.get("forms"))]
    kind = fact.get("kind")
    if any(f.kind == kind and _shares_reading(kind, f.readings, readings) for f in facts):
        return True
    if any(stands_in(form, text) for form in forms):
        return True
    return kind == ID and any(isinstance(r, str) and r in text for r in readings)


def _says_a_form(args: Mapping[str, Json], view: View) -> bool:
    forms = [str(form) for form in as_list(args.get("forms"))]
    return any(stands_in(form, text) for form in forms for text in view.said_folded)


def _shares_reading(
    kind: Json, told_readings: tuple[str | float, ...], readings: list[Json]
) -> bool:
    if kind == DATE:
        return may_be_one_date(told_readings, readings)
    if kind != NUMBER:
        return any(reading in readings for reading in told_readings)
    wanted = [r for r in readings if isinstance(r, int | float)]
    return any(
        abs(one - other) < CENT
        for one in told_readings
        if isinstance(one, float)
        for other in wanted
    )


def small_numbers_told(
    args: Mapping[str, Json], view: View, _check_id: str
) -> tuple[float | None, str]:
    """Whether the small numbers that a tool showed are told, and hardly any other: a count told wrongly stands somewhere all the same."""
    told, most = small_facts(view), whole_of(args, "most")
    if most is not None and len(told) > most:
        return 0.0, f"{count_text(len(told), 'small number')} told, at most {most} expected"
    wanted = {str(one) for one in as_list(args.get("values"))}
    # "$10.00" tells 10 as well.
    readings = {one for facts in view.facts for fact in facts for one in fact.readings}
    lacking = {
        one
        for one in wanted - {fact.text for fact in told}
        if readings.isdisjoint(readings_of(one))
    }
    return (0.0 if lacking else 1.0), f"{count_text(len(lacking), 'small number')} not told"


def small_facts(view: View) -> frozenset[Fact]:
    """The small numbers and shares that the user was told and nobody had said first."""
    heard = {fact.text for fact in facts_in(view.heard_text) if not fact.specific}
    told = (fact for facts in view.facts for fact in facts if not fact.specific)
    return frozenset(fact for fact in told if fact.text not in heard)


def said(args: Mapping[str, Json], view: View, _check_id: str) -> tuple[float | None, str]:
    """Whether enough of the words that resolved attempts share were said to the user.

    With `declines`, a refusal in other words will do: other checks ask for what it rests on.
    """
    words, least = texts_of(args, "words"), whole_of(args, "least")
    if not words and args.get("declines") is True:
        return (1.0 if view.declines else 0.0), "whether it was said that it cannot be done"
    needed = len(words) if least is None else least
    found = max((sum(map(here.__contains__, words)) for here in view.words_by_message), default=0)
    if found < needed and args.get("declines") is True and view.declines:
        return 1.0, f"{found} of {len(words)} expected words said, and a refusal in others"
    return (1.0 if found >= needed else 0.0), f"{found} of {len(words)} expected words said"


def spoke(args: Mapping[str, Json], view: View, _check_id: str) -> tuple[float | None, str]:
    """Whether the user was told anything at all; with `after_calls`, after the last call that is none of `unless`."""
    least = whole_of(args, "messages")
    needed = 1 if least is None else least
    count = len(view.visible)
    if args.get("after_calls") is True:
        last = view.own_calls[-1].name if view.own_calls else ""
        if last in map(str, as_list(args.get("unless"))):
            return 1.0, f"{last} came last"
        count = view.said_after_calls
    return (1.0 if count >= needed else 0.0), f"{count_text(count, 'message')} to the user"


def _was_told(value: Json, view: View, among: int | None) -> bool:
    """A value that stands among many others in one message is listed, not told."""
    if isinstance(value, bool) or value is None:
        return False
    if isinstance(value, int | float):
        return _number_told(abs(value), view, among)
    if not isinstance(value, str) or value.casefold() not in view.told_words:
        return False
    return among is None or _named_among(value.casefold(), view, among)


def _number_told(value: float, view: View, among: int | None) -> bool:
    if value >= LEAST_SPECIFIC and fact_told({"kind": NUMBER, "readings": [value]}, view, among):
        return True
    told = view.told_beside
    for number, beside in islice(told, bisect_left(told, (value - CENT, 0)), None):
        if number - value >= CENT:
            return False
        if abs(number - value) < CENT and (among is None or beside <= among):
            return True
    return False


def _named_among(value: str, view: View, among: int) -> bool:
    for text in view.visible:
        words = {w for w in words_in(text) if is_name(w)}
        if value in words and len(words - view.given_words) <= among:
            return True
    return False
