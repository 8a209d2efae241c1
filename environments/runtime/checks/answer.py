"""The check on the final answer: does it give what a reference says, in the normal forms that public benchmarks use?

In: a check's arguments and the view of one attempt. Numbers compare by value (`1,234.50`, `$1234.5`, `1.2 million`, words), dates by
day, lists item by item in any order, phrases word by word without case, marks and articles, single letters and yes or no as `answer_rows` reads
them. An answer that names the right one among many others is no answer. Not here: which part of a text is the answer
(`final_answer`), where references come from (synthesis).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import isclose
from typing import Final

from ..task.attempt import Json
from ..values.denials import NEGATIONS
from ..values.facts import DATE, NUMBER, Fact, facts_in, stands_in
from ..values.normal import as_list
from .answer_rows import (
    CHOICE,
    LIST,
    PHRASE,
    answer_row,
    choice_in,
    is_choice,
    is_negative,
    says_something,
    why_not_chosen,
)
from .final_answer import (
    AMONG_OTHERS,
    ANOTHER,
    SHORT_TURN,
    Stated,
    places_of,
    plain_text,
    sentences,
    stated,
    tokens,
    turns_of,
    words_of,
)
from .view import View, objects_of

NUMBER_WORDS: Final = "number_words"
"""The argument that holds the words of which the users' language makes numbers."""

OTHERS: Final = 1
"""Other new figures that the sentence with the answer may hold (8 of 20)."""
LISTED: Final = 4
"""Other short parts of a line, or other items of a list, among which a phrase is one candidate of many."""
TERSE: Final = 6
"""Words of a sentence in which `one` is a number."""
SHORT_PART: Final = 6
SHORT_ITEM: Final = 3
AROUND: Final = 2
"""Words that may stand around a bare answer (`it is`, a unit)."""
_HOLE: Final = "\x00"
BARE: Final = 16
"""Words of a line that may be nothing but a candidate."""
MOST_WORDS: Final = 400
"""Words of an answer in which a phrase is looked for."""
MOST_WORDS_READ: Final = 3_000
MOST_LINES: Final = 300
MOST_FACTS: Final = 200
"""What is read of an answer at all: comparing more takes time, and nobody answers like that."""
WORDS_WHERE_HEARD: Final = 40
"""Words of the line that gives an answer which the question names itself."""
YEARS: Final = range(1000, 2200)

_PARTS: Final = re.compile(r"[,;|•、，；\n]|\s(?:and|or|und|oder|et|ou|y|e|o)\s")  # noqa: RUF001 - full-width marks
_BULLET: Final = re.compile(r"\s*(?:[-*•·]|\d{1,2}[.)])\s")
_CLOSED: Final = re.compile(r"[.:!?。：！？]\W*$")  # noqa: RUF001 - full-width marks
"""How a sentence or a heading ends."""
_ORS: Final = frozenset({"or", "oder", "ou", "或", "either", "perhaps", "maybe"})
_CLAUSE: Final = re.compile(r"[.:;!?。：；！？\n]|\s[-–—]\s|—")  # noqa: RUF001 - full-width marks
"""What ends a clause, so that a `not` before it is about something else."""
_ASKS: Final = re.compile(r"[\s\"')\]*]*[?？]")  # noqa: RUF001 - a full-width mark
_BETWEEN: Final = r"\W*(?:(?:or|and|oder|und|ou|et|to)\W*)?[$€£¥]?"
_APART: Final = r"\W*?(?:\b(?:an?|the)\b\W*?)?"
"""What may stand between two figures of which one is offered for the other, and between two words of a phrase."""


def answered(args: Mapping[str, Json], view: View, _check_id: str) -> tuple[float | None, str]:
    """Whether the final answer gives one of `answers`, texts or rows of `answer_row`; `tools` are calls that may carry it."""
    wanted = [row for one in as_list(args.get("answers")) if (row := _as_row(one)) is not None]
    if not wanted:
        return None, "the check names no answer"
    words = args.get(NUMBER_WORDS)
    wanted = [_with_words(one, words) for one in wanted] if words else wanted
    tools = frozenset(map(str, as_list(args.get("tools"))))
    turns = turns_of(view, tools)
    if not turns:
        return 0.0, "nothing was answered"
    why = ""
    for turn in turns:
        answer = stated(turn, view.heard_text)
        for one in wanted:
            found = _why_not(one, answer, view.heard_text)
            if found is None:
                return 1.0, "the final answer gives the reference"
            why = why or found
        if not _is_farewell(turn, answer):
            break
    return 0.0, why


def _as_row(answer: Json) -> dict[str, Json] | None:
    if isinstance(answer, str) and says_something(answer):
        return answer_row(answer) or {"kind": PHRASE, "value": answer}
    if not isinstance(answer, dict) or (
        answer.get("kind") == LIST and not objects_of(answer, "items")
    ):
        return None
    return answer


def _with_words(wanted: dict[str, Json], words: Json) -> dict[str, Json]:
    """What is wanted with the words that numbers are made of, which the check holds once."""
    items = [_with_words(item, words) for item in objects_of(wanted, "items")]
    return {**wanted, NUMBER_WORDS: words, **({"items": list[Json](items)} if items else {})}


def _is_farewell(turn: str, answer: Stated) -> bool:
    """Whether a turn says nothing of its own, so that the answer may stand in the one before."""
    says_nothing = len(tokens(turn)) <= SHORT_TURN and not answer.marked
    return says_nothing and not any(fact.specific for fact in facts_in(turn))


def _why_not(wanted: Mapping[str, Json], answer: Stated, heard: str) -> str | None:
    """Why an answer does not give what is wanted; None where it does."""
    if len(words_of(answer.text)) > MOST_WORDS_READ or answer.text.count("\n") > MOST_LINES:
        return "too much is said to be a final answer"
    kind = wanted.get("kind")
    check = _KINDS.get(kind if isinstance(kind, str) else "", _phrase)
    return check(wanted, answer, heard)


def _figure(wanted: Mapping[str, Json], answer: Stated, heard: str) -> str | None:
    """A number or a date: the last sentence that tells a new one tells this one, and no choice of several."""
    kind = str(wanted.get("kind"))
    known = {r for fact in facts_in(heard) if fact.kind == kind for r in fact.readings}
    if any(_new(kind, wanted, one, known)[1] for one in sentences(answer.after)):
        return "another one is told after the answer"
    deciding = None
    for sentence in reversed(sentences(answer.text)):
        gives, others = _new(kind, wanted, sentence, known)
        if gives or others:
            deciding = sentence, gives, others
            break
    if deciding is None or not deciding[1]:
        return ANOTHER
    sentence, _, others = deciding
    readings = {fact.readings[0] for fact in others}
    if len(readings) > OTHERS or any(_offers(sentence, wanted, one) for one in others):
        return AMONG_OTHERS
    told = [fact.text for fact in facts_in(sentence) if _matches_wanted(wanted, fact, sentence)]
    sought = tokens(told[0] if told else str(wanted.get("value")))
    crowded = _is_crowded(answer, partial(_gives, wanted), sought)
    return AMONG_OTHERS if crowded else None


def _new(
    kind: str, wanted: Mapping[str, Json], text: str, known: set[str | float]
) -> tuple[bool, list[Fact]]:
    """Whether a text tells what is wanted, and what else of its kind that nobody had said."""
    facts = [fact for fact in dict.fromkeys(facts_in(text)) if fact.kind == kind]
    if len(facts) > MOST_FACTS:
        return False, facts
    gives = any(_matches_wanted(wanted, fact, text) for fact in facts) or _in_words(wanted, text)
    if kind == NUMBER and not gives:
        gives = any(_in_year(wanted, fact) for fact in facts_in(text))
    others = [
        f for f in facts if not _matches_wanted(wanted, f, text) and known.isdisjoint(f.readings)
    ]
    return gives, others


def _in_words(wanted: Mapping[str, Json], text: str) -> bool:
    """Whether a text tells a number in words; `one` is an article and a pronoun, too, and `三` a part of names: those only tersely."""
    forms = [
        form for form in map(str, as_list(wanted.get("forms"))) if _stands_alone(form, wanted, text)
    ]
    is_one = 1.0 in as_list(wanted.get("readings"))
    terse = len(words_of(text)) <= TERSE
    return any(terse or not (is_one or len(form) == 1) for form in forms)


def _stands_alone(form: str, wanted: Mapping[str, Json], text: str) -> bool:
    """Whether a form stands in a text and is no part of a longer number in words: `fifty` is not in `fifty-one`."""
    if not stands_in(form, text):
        return False
    sought, said = words_of(form), words_of(text)
    others = frozenset(map(str, as_list(wanted.get(NUMBER_WORDS))))
    size = len(sought)
    places = [n for n in range(len(said) - size + 1) if said[n : n + size] == sought]
    return not places or any(
        others.isdisjoint((*said[max(0, n - 1) : n], *said[n + size : n + size + 1]))
        for n in places
    )


def _matches_wanted(wanted: Mapping[str, Json], fact: Fact, text: str) -> bool:
    """Whether a fact that a text tells means what is wanted."""
    if fact.kind != wanted.get("kind"):
        return False
    if is_negative(text, fact) is not (wanted.get("negative") is True):
        return False
    if fact.kind == NUMBER:
        values = [r for r in as_list(wanted.get("readings")) if isinstance(r, int | float)]
        return any(_equal(v, r) for v in values for r in fact.readings if isinstance(r, float))
    mine = {str(r) for r in as_list(wanted.get("readings"))}
    theirs = {str(r) for r in fact.readings}
    days, told = ({r for r in some if len(r) > len("05-15")} for some in (mine, theirs))
    # Who names the year has to name the right one.
    return bool(days & told) if days and told else bool(mine & theirs) and not days


def _equal(value: float, told: float) -> bool:
    """Whether two numbers are one; of an amount with cents also where more decimals round to it."""
    if isclose(value, told, rel_tol=1e-12, abs_tol=1e-12):
        return True
    decimals = len(repr(float(value)).partition(".")[2])
    return decimals >= 2 and round(told, decimals) == value


def _in_year(wanted: Mapping[str, Json], fact: Fact) -> bool:
    years = [r for r in as_list(wanted.get("readings")) if r in YEARS]
    return fact.kind == DATE and any(
        str(r).startswith(f"{int(y)}-")
        for y in years
        if isinstance(y, int | float)
        for r in fact.readings
    )


def _offers(sentence: str, wanted: Mapping[str, Json], other: Fact) -> bool:
    """Whether a sentence offers the other figure in place of this one: nothing stands between them but a comma or an `or`."""
    mine = [fact.text for fact in facts_in(sentence) if _matches_wanted(wanted, fact, sentence)]
    mine += [str(form) for form in as_list(wanted.get("forms"))]
    for one in mine:
        for first, second in ((one, other.text), (other.text, one)):
            if re.search(rf"{re.escape(first)}{_BETWEEN}{re.escape(second)}", sentence):
                return True
    return False


def _phrase(wanted: Mapping[str, Json], answer: Stated, heard: str) -> str | None:
    """A name, a title, a word: all its words in a row, and not as one of many candidates."""
    texts = [str(wanted.get("value")), *map(str, as_list(wanted.get("forms")))]
    plain = plain_text(answer.text)
    said = places_of(plain)
    if len(said) > MOST_WORDS:
        return "too much is said to be a final answer"
    for text in texts:
        sought = tokens(text)
        place = _last_place(sought, [word for word, _, _ in said])
        if place is None:
            continue
        before, after = said[max(0, place - 2) : place], said[place + len(sought) :][:1]
        start, end = said[place][1], said[place + len(sought) - 1][2]
        if any(w in NEGATIONS and not _CLAUSE.search(plain[at:start]) for w, _, at in before):
            return "the final answer says that it is not so"
        if _ASKS.match(plain[end:]) and not text.rstrip().endswith("?"):
            return "the final answer only asks whether it is so"
        if _ORS.intersection(word for word, _, _ in (*before[-1:], *after)):
            return AMONG_OTHERS
        return _objection_to_place(sought, answer, heard)
    return ANOTHER


def _objection_to_place(sought: Sequence[str], answer: Stated, heard: str) -> str | None:
    """Why the place where a phrase stands is no answer: one of many items, or a repetition of what was asked."""
    lines = answer.text.splitlines()
    line = next(
        (one for one in reversed(lines) if _last_place(sought, tokens(one)) is not None), ""
    )
    items = [one for one in lines if _BULLET.match(one)] if _BULLET.match(line) else []
    crowded = _is_crowded(answer, lambda p: _last_place(sought, tokens(p)) is not None, sought)
    if crowded or len(items) > LISTED + 1:
        return AMONG_OTHERS
    if answer.marked or _last_place(sought, tokens(heard)) is None:
        return None
    # The question names it: only a short line of one's own chooses it.
    if line.rstrip().endswith(("?", "？")) or len(tokens(line)) > WORDS_WHERE_HEARD:  # noqa: RUF001 - a full-width mark
        return "the answer only repeats what was asked"
    return None


def _is_crowded(answer: Stated, holds: Callable[[str], bool], sought: Sequence[str]) -> bool:
    """Whether an answer is one of many candidates: parts of its line, or lines that are as bare as its own."""
    lines = [line for line in answer.text.splitlines() if line.strip()]
    most = {line: max(BARE, len(sought) + 2) if holds(line) else BARE for line in lines}
    bare = [n for n in lines if len(tokens(n)) <= most[n] and not _CLOSED.search(n)]
    beside = [line for line in bare if not holds(line)]
    if LISTED < len(beside) < len(bare):
        return True
    for line in lines:
        parts = _PARTS.split(_with_hole(line, sought)) if holds(line) else []
        own = any(_HOLE in part and len(tokens(part)) <= AROUND for part in parts)
        short = [p for p in parts if _HOLE not in p and 0 < len(tokens(p)) <= SHORT_PART]
        if own and len(short) > LISTED:
            return True
    return False


def _with_hole(line: str, sought: Sequence[str]) -> str:
    """A line with a mark in place of what is sought, which may hold commas of its own."""
    plain = line.replace("'", "").replace("&", " and ").replace("_", " ")
    return re.sub(_APART.join(map(re.escape, sought)), _HOLE, plain)


def _choice(wanted: Mapping[str, Json], answer: Stated, heard: str) -> str | None:
    """A letter, or yes or no."""
    sought = choice_in(str(wanted.get("value")))
    return why_not_chosen(sought, answer.text) if sought else _phrase(wanted, answer, heard)


def _items(wanted: Mapping[str, Json], answer: Stated, _heard: str) -> str | None:
    """A list: every item is given, and not many others beside them."""
    items = objects_of(wanted, "items")
    if len(facts_in(answer.text)) > MOST_FACTS:
        return AMONG_OTHERS
    lines = answer.text.splitlines()
    holding = {n for n, line in enumerate(lines) for one in items if _gives(one, line)}
    missing = [one for one in items if not _gives(one, answer.text)]
    if missing:
        return f"{len(missing)} of {len(items)} items are missing"
    parts = [
        part for n in sorted(holding) for part in _PARTS.split(lines[n]) if says_something(part)
    ]
    longest = max(SHORT_ITEM, *(len(tokens(str(one.get("value")))) for one in items))
    others = [
        part
        for part in parts
        if len(tokens(part)) <= longest and not any(_gives(one, part) for one in items)
    ]
    allowed = max(1, len(items) // 3) if answer.marked else max(2, len(items) // 2)
    if all(is_choice(str(one.get("value"))) for one in items):
        allowed = 0  # all the letters that there are choose nothing
    bare = [
        line
        for n, line in enumerate(lines)
        if n not in holding and 0 < len(tokens(line)) <= BARE and not _CLOSED.search(line)
    ]
    return AMONG_OTHERS if len(others) > allowed or len(bare) > LISTED else None


def _gives(item: Mapping[str, Json], text: str) -> bool:
    """Whether a text holds one item of a list."""
    if item.get("kind") in {NUMBER, DATE}:
        return any(_matches_wanted(item, fact, text) for fact in facts_in(text)) or _in_words(
            item, text
        )
    sought = tokens(str(item.get("value")))
    if sought:
        return _last_place(sought, tokens(text)) is not None
    return _last_place(words_of(str(item.get("value"))), words_of(text)) is not None


def _last_place(sought: Sequence[str], within: Sequence[str]) -> int | None:
    """Where some words stand last in a row among others; None where they do not."""
    size = len(sought)
    if not size:
        return None
    wanted = tuple(sought)
    places = range(len(within) - size, -1, -1)
    return next((n for n in places if tuple(within[n : n + size]) == wanted), None)


_KINDS: Final[Mapping[str, Callable[[Mapping[str, Json], Stated, str], str | None]]] = {
    NUMBER: _figure,
    DATE: _figure,
    LIST: _items,
    CHOICE: _choice,
    PHRASE: _phrase,
}
