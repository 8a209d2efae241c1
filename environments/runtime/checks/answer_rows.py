"""A reference answer as the check on the final answer compares it: a number, a date, a list, a choice or a phrase.

In: the text that somebody wrote for the right answer. Out: its kind and normal forms as a check's argument; None for prose, which only a
judge can compare. Numbers in words are added where languages are known, at build time (`synth.rubric.references`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from ..task.attempt import Json
from ..values.facts import DATE, NUMBER, Fact, facts_in, folded
from ..values.normal import parse_json, stable
from .final_answer import tokens, words_of

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
