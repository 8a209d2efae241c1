"""Which choice a final answer makes: a letter, or yes or no.

In: what is sought and the text of the answer, folded. Out: why it is not chosen; None where it is. A sentence that says nothing but a
choice decides, and all such sentences have to agree; where there is none, the first word does. Not here: other kinds of answers (`answer`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from .answer_rows import YES_OR_NO
from .final_answer import AMONG_OTHERS, ANOTHER, sentences, words_of

_TRUTHS: Final = {"true": "yes", "false": "no", "correct": "yes", "incorrect": "no"}
_CHOICE_NAMES: Final = ("option", "choice", "letter")
_ASIDES: Final = frozenset(
    {*_CHOICE_NAMES, "actually", "and", "answer", "but", "choose", "go", "hmm", "i", "id", "is"}
    | {"it", "its", "mean", "must", "my", "oh", "rather", "say", "so", "sorry", "that", "thats"}
    | {"the", "then", "think", "this", "wait", "well", "with", "would"}
)
"""Words that may stand around a choice and choose nothing themselves."""
_SET_PHRASES: Final = frozenset(
    {"bother", "clue", "doubt", "idea", "matter", "need", "prob", "problem", "problems", "question"}
    | {"sweat", "trouble", "wonder", "worries"}
)
"""Words behind a `no` that denies nothing: `No worries, it is allowed.`"""
_LETTER_WORDS: Final = frozenset("aeiouy")
"""Letters that are words of their own in some language: these are chosen only where a mark shows it."""
_CLAUSE_END: Final = re.compile(r"[,;:，；：]|\s[-–—]\s?|—")  # noqa: RUF001 - full-width marks
_NEXT_LETTER: Final = re.compile(
    r"[).\]]?[\s,/&+]*(?:\b(?:and|or|und|oder|ou|et)\b[\s,/]*)?\(?(\w+)"
)
_OR_ANOTHER: Final = re.compile(r"\s*,?\s*(?:/|\b(?:or|oder|ou)\b)\s*(\w+)")
_NAMED: Final = re.compile(r"\W*(?:(?:option|choice|letter)\s+)?")


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
        sought == "no" and _SET_PHRASES.intersection(behind[:1])
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
