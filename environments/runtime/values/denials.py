"""Whether a text says that something is not so, in the words for `not` of some languages.

In: a text. Out: yes or no. A set phrase (`no problem`), a question and a condition (`if it does not arrive`) deny nothing. Not here: whether a user refuses (`consent`).
"""

from __future__ import annotations

import re
from typing import Final

_NO_THING: Final = frozenset(
    {"no", "none", "without", "kein", "keine", "keinen", "aucun", "aucune", "ninguno", "ninguna", "nenhum"}
    | {"nenhuma", "nessun", "nessuna", "geen", "нет"}
)  # fmt: skip
"""Words that deny a thing and not what is said of one: `at no cost`."""
NEGATIONS: Final = _NO_THING | {
    "not", "never", "nothing", "nobody", "neither", "nor", "cannot", "unable", "failed", "isnt", "wasnt", "arent",
    "nicht", "nichts", "nie", "weder", "pas", "jamais", "rien", "nunca", "nada", "tampoco", "não", "non", "mai",
    "niet", "nooit", "inte", "ikke", "не", "不", "非",
}  # fmt: skip
"""Words that deny what stands beside them."""
_NOTS: Final = NEGATIONS - _NO_THING
SET_PHRASES: Final = frozenset(
    {"bother", "clue", "doubt", "idea", "matter", "need", "prob", "problem", "problems", "question"}
    | {"sweat", "trouble", "wonder", "worries"}
)
"""Words behind a `no` that denies nothing: `No worries, it is allowed.`"""
_DENIES_NOTHING: Final = SET_PHRASES | {
    "hesitate",
    "worry",
    "forget",
    "only",
    "just",
    "later",
    "longer",
}
"""Words behind a negation that leave standing what was said: `do not hesitate`, `not only`, `no later than`."""
_BESIDE: Final = frozenset({"else", "other", "others", "further", "more", "additional", "extra"})
"""Words of a clause about something that was not spoken of: `I have not changed anything else`."""
_CLAUSE: Final = re.compile(r"[^.!?;,:\n。！？；，]+[.!?;,:\n。！？；，]?")  # noqa: RUF001 - full-width marks
_CONDITION: Final = re.compile(
    r"\W*(?:(?:and|or|but|also|please)\W+)*(?:if|unless|should|whether|falls|wenn|si|se|als)\b",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"[^\W_]+(?:['’](?!t\b)[^\W_]+)*(?:['’]t\b)?")  # noqa: RUF001 - an apostrophe
_WITHOUT_SPACES: Final = re.compile("没有|沒有|不能|无法|無法|ません|できない")
"""Denials in languages that put no space between words."""


def denies(text: str) -> bool:
    """Whether a clause of a text says that something is not so."""
    return any(_is_denial(clause, NEGATIONS) for clause in _CLAUSE.findall(text))


def denied_clauses(text: str) -> list[str]:
    """The clauses of a text that say of something that it is not so."""
    return [c for c in _CLAUSE.findall(text) if _is_denial(c, _NOTS)]


def stated_clauses(text: str) -> list[str]:
    """The clauses of a text that say of something that it is so; no question and no condition."""
    return [c for c in _CLAUSE.findall(text) if not _is_open(c) and not _negates(c, NEGATIONS)]


def _is_open(clause: str) -> bool:
    """Whether a clause asks or supposes something."""
    return clause.endswith(("?", "？")) or bool(_CONDITION.match(clause))  # noqa: RUF001 - a full-width mark


def _is_denial(clause: str, negations: frozenset[str]) -> bool:
    return not _is_open(clause) and _negates(clause, negations)


def _negates(clause: str, negations: frozenset[str]) -> bool:
    words = [word.casefold().replace("\u2019", "'") for word in _WORD.findall(clause)]
    if not _BESIDE.isdisjoint(words):
        return False
    return bool(_WITHOUT_SPACES.search(clause)) or any(
        (word in negations or word.endswith("n't"))
        and not _DENIES_NOTHING.intersection(words[at + 1 :][:2])
        for at, word in enumerate(words)
    )
