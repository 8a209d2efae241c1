"""A reference answer as the check on the final answer compares it: a number, a date, a list, a choice or a phrase; and which choice a text makes.

In: the text that somebody wrote for the right answer. Out: its kind and normal forms as a check's argument; None for prose, which only a
judge can compare. Of an answer that has to choose: a sentence that says nothing but a choice decides, and all such sentences have to agree;
where there is none, the first word does. Numbers in words are added where languages are known, at build time (`synth.rubric.references`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from ..task.attempt import Json
from ..values.denials import SET_PHRASES
from ..values.facts import DATE, NUMBER, Fact, facts_in, folded
from ..values.literals import parse_json
from ..values.normal import stable
from .final_answer import AMONG_OTHERS, ANOTHER, sentences, tokens, words_of

LIST: Final = "list"
CHOICE: Final = "choice"
PHRASE: Final = "phrase"

MOST_ITEMS: Final = 64
LONGEST_PHRASE: Final = 24
"""Words of a reference that is compared word by word; a longer one is an explanation."""
LONGEST_ITEM: Final = 12
UNIT_WORDS: Final = 2
"""Words that may stand after a number as its unit."""
YES_OR_NO: Final = frozenset({"yes", "no", "true", "false"})

_MONEY: Final = re.compile(r"^[-+]?\s?[$€£¥₹₩₽]?\s?$")
_MINUS: Final = r"(?<![\w.)])(?:-\s?|minus |negative )[$€£¥₹₩₽]?\s?"
_BULLET: Final = re.compile(r"(?m)^\s*-\s+")
_SENTENCE: Final = re.compile(r"[.!?。！？]\s+\S")  # noqa: RUF001 - full-width marks
_SPLITS: Final = re.compile(r"\s*[,;\n、，；]\s*(?!\d{3}(?!\d))|\s*\n\s*")  # noqa: RUF001 - full-width marks
_TRUTHS: Final = {"true": "yes", "false": "no", "correct": "yes", "incorrect": "no"}
_CHOICE_NAMES: Final = ("option", "choice", "letter")
_ASIDES: Final = frozenset(
    {*_CHOICE_NAMES, "actually", "and", "answer", "but", "choose", "go", "hmm", "i", "id", "is"}
    | {"it", "its", "mean", "must", "my", "oh", "rather", "say", "so", "sorry", "that", "thats"}
    | {"the", "then", "think", "this", "wait", "well", "with", "would"}
)
"""Words that may stand around a choice and choose nothing themselves."""
_LETTER_WORDS: Final = frozenset("aeiouy")
"""Letters that are words of their own in some language: these are chosen only where a mark shows it."""
_CLAUSE_END: Final = re.compile(r"[,;:，；：]|\s[-–—]\s?|—")  # noqa: RUF001 - full-width marks
_NEXT_LETTER: Final = re.compile(
    r"[).\]]?[\s,/&+]*(?:\b(?:and|or|und|oder|ou|et)\b[\s,/]*)?\(?(\w+)"
)
_OR_ANOTHER: Final = re.compile(r"\s*,?\s*(?:/|\b(?:or|oder|ou)\b)\s*(\w+)")
_NAMED: Final = re.compile(r"\W*(?:(?:option|choice|letter)\s+)?")


def answer_row(text: str) -> dict[str, Json] | None:
    """One answer as the check compares it; None for prose."""
    if is_choice(text):
        return {"kind": CHOICE, "value": text}
    fact = _fact_of(text)
    if fact is not None:
        return _fact_row(fact, text)
    items = _items(text)
    if items:
        rows: list[Json] = [_item(one) for one in items]
        return {"kind": LIST, "value": text, "items": rows}
    words = len(tokens(text))
    if words > LONGEST_PHRASE or (words > LONGEST_ITEM and _SENTENCE.search(text)):
        return None
    return {"kind": PHRASE, "value": text}


def says_something(text: str) -> bool:
    """Whether a text can be a reference: it has a word that is no article, or is a letter to choose."""
    return bool(tokens(text)) or is_choice(text)


def is_choice(text: str) -> bool:
    """Whether a reference is a letter, or yes or no."""
    words = words_of(text)
    return bool(words) and (
        folded(text).strip(" .") in YES_OR_NO
        or (len("".join(words)) == 1 and not any(map(str.isdigit, text)))
    )


def _item(text: str) -> Json:
    fact = _fact_of(text)
    return {"kind": PHRASE, "value": text} if fact is None else _fact_row(fact, text)


def _fact_row(fact: Fact, text: str) -> dict[str, Json]:
    row: dict[str, Json] = {"kind": fact.kind, "value": text, "readings": list[Json](fact.readings)}
    return {**row, "negative": True} if is_negative(folded(text), fact) else row


def is_negative(text: str, fact: Fact) -> bool:
    """Whether a folded text puts a minus before a figure; the dash of a range, an id or a list is none."""
    if fact.kind != NUMBER or not any(sign in text for sign in ("-", "minus", "negative")):
        return False
    return bool(re.search(rf"{_MINUS}{re.escape(fact.text)}(?!\d)", _BULLET.sub("", text)))


def _fact_of(text: str) -> Fact | None:
    """The number (with its unit) or the date that a reference is; None where it is anything else."""
    facts = facts_in(text)
    if len(facts) != 1 or facts[0].kind not in {NUMBER, DATE} or not facts[0].readings:
        return None
    before, _, after = folded(text).partition(facts[0].text)
    if facts[0].kind == DATE:
        return None if tokens(before) or tokens(after) else facts[0]
    words = tokens(after)
    unit = len(words) <= UNIT_WORDS and not any(c.isdigit() for w in words for c in w)
    if not unit or not _MONEY.match(before):
        return None
    return facts[0]


def _items(text: str) -> list[str]:
    """The items of a reference that is a list: parted by commas, semicolons or lines, or the values of JSON objects."""
    leaves = [leaf for line in text.splitlines() for leaf in _leaves(line)]
    if leaves:
        return list(dict.fromkeys(leaves))[:MOST_ITEMS]
    if _SENTENCE.search(text) and "\n" not in text:
        return []
    parts = [part.strip() for part in _SPLITS.split(text) if part and part.strip()]
    short = all(len(tokens(part)) <= LONGEST_ITEM for part in parts)
    known = [part for part in parts if says_something(part)]
    # One that comes again is a place in a sequence.
    is_list = 1 < len(known) == len(set(known)) and short
    return known[:MOST_ITEMS] if is_list else []


def _leaves(line: str) -> Iterator[str]:
    parsed = parse_json(line.strip()) if line.strip()[:1] in {"{", "["} else None
    pending: list[Json] = [] if parsed is None else [parsed.value]
    while pending:
        value = pending.pop(0)
        if isinstance(value, dict):
            pending = [*value.values(), *pending]
        elif isinstance(value, list):
            pending = [*value, *pending]
        elif value is not None:
            yield value if isinstance(value, str) else stable(value)


def choice_in(value: str) -> str:
    """The one choice that a text is, yes and no in one word each; nothing where it is none."""
    words = [_TRUTHS.get(word, word) for word in words_of(value) if word not in _CHOICE_NAMES]
    return words[0] if len(words) == 1 else ""


def why_not_chosen(sought: str, text: str) -> str | None:
    """Why a folded text does not choose what is sought; None where it does."""
    stated = [choice for choices in _stated_choices(sought, text) for choice in choices]
    # Who says yes or no, and that it is correct, says it once more.
    literal = [choice for choice in stated if choice not in _TRUTHS]
    stated = [_TRUTHS.get(choice, choice) for choice in literal or stated]
    if stated:
        return None if set(stated) == {sought} else AMONG_OTHERS if sought in stated else ANOTHER
    return None if _opens_with(sought, text) else ANOTHER


def _stated_choices(sought: str, text: str) -> Iterator[list[str]]:
    """What each sentence chooses that says nothing but choices; a question asks, and what stands before more of its line is a label."""
    for line in text.splitlines():
        said = sentences(line)
        if sought in YES_OR_NO:
            parts = [one for s in said if not _asks(s) for one in _CLAUSE_END.split(s)]
        else:
            parts = [one for one in said[-1:] if not _asks(one)]
        yield from (_only_choices(sought, part) for part in parts)


def _asks(part: str) -> bool:
    """Whether a part of an answer ends as a question."""
    for char in reversed(part):
        if char.isalnum() or char in "?？":  # noqa: RUF001 - a full-width mark
            return not char.isalnum()
    return False


def _only_choices(sought: str, part: str) -> list[str]:
    """The choices that a part of an answer is made of; none where it says something else as well."""
    words = words_of(part)
    asides = _ASIDES if sought in YES_OR_NO else _ASIDES | YES_OR_NO
    if len(words) > 1:
        words = [word for word in words if word == sought or word not in asides]
    return words if all(_is_of_kind(sought, _TRUTHS.get(one, one)) for one in words) else []


def _is_of_kind(sought: str, word: str) -> bool:
    if sought in YES_OR_NO:
        return word in YES_OR_NO
    is_letter = len(word) == 1 and word.upper() != word.lower()
    return word == sought or (is_letter and len(sought) == 1)


def _opens_with(sought: str, text: str) -> bool:
    """Whether the first word of a text chooses what is sought, and not another beside it."""
    first = next((line for line in text.splitlines() if line.strip()), "")
    words = words_of(first)
    named = _NAMED.match(first)
    is_named = named is not None and named[0].strip(" (*[").isalpha()
    word, *behind = words[1:] if is_named and words else words or [""]
    if _TRUTHS.get(word, word) != sought or (
        sought == "no" and SET_PHRASES.intersection(behind[:1])
    ):
        return False
    rest = first[named.end() if named else 0 :].partition(word)[2]
    if re.match(r"\W*[?？]", rest) or _offers_another(sought, rest):  # noqa: RUF001 - a full-width mark
        return False
    is_word = word in _LETTER_WORDS and not is_named
    return not is_word or behind[:1] in ([], ["is"]) or re.match(r"\s*[^\w\s]", rest) is not None


def _offers_another(sought: str, rest: str) -> bool:
    """Whether another choice stands right behind the first one: `B and C are right`."""
    found = (_OR_ANOTHER if sought in YES_OR_NO else _NEXT_LETTER).match(rest)
    if found is None:
        return False
    word = _TRUTHS.get(found[1], found[1])
    alone = word not in _LETTER_WORDS or re.match(r"\s*(?:[,/)]|\W*$)", rest[found.end() :])
    return word != sought and _is_of_kind(sought, word) and bool(alone)
