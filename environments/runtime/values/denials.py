"""Whether a text says that something is not so, in the words for `not` of some languages.

In: a text. Out: yes or no. A set phrase (`no problem`), a question and a condition (`if it does not arrive`) deny nothing. Not here: whether a user refuses (`consent`).
"""

from __future__ import annotations

import re
from typing import Final

NEGATIONS: Final = frozenset(
    {"not", "never", "no", "none", "nothing", "nobody", "neither", "nor", "cannot", "unable", "without"}
    | {"failed", "isnt", "wasnt", "arent", "nicht", "nichts", "nie", "kein", "keine", "keinen", "weder"}
    | {"pas", "jamais", "aucun", "aucune", "rien", "nunca", "ninguno", "ninguna", "nada", "tampoco"}
    | {"não", "nenhum", "nenhuma", "non", "mai", "nessun", "nessuna", "niet", "geen", "nooit", "nie", "inte"}
    | {"ikke", "не", "нет", "不", "非"}
)  # fmt: skip
"""Words that deny what stands beside them."""
SET_PHRASES: Final = frozenset(
    {"bother", "clue", "doubt", "idea", "matter", "need", "prob", "problem", "problems", "question"}
    | {"sweat", "trouble", "wonder", "worries"}
)
"""Words behind a `no` that denies nothing: `No worries, it is allowed.`"""
_DENIES_NOTHING: Final = (
    SET_PHRASES
    | {"hesitate", "worry", "forget", "only", "just"}
    | {"else", "other", "further", "more", "additional", "extra"}
)
"""Words behind a negation that leave standing what was said: `do not hesitate`, `not only`, `nothing else was changed`."""
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
    return any(_clause_denies(clause) for clause in _CLAUSE.findall(text))


def _clause_denies(clause: str) -> bool:
    if clause.endswith(("?", "？")) or _CONDITION.match(clause):  # noqa: RUF001 - a full-width mark
        return False
    if _WITHOUT_SPACES.search(clause):
        return True
    words = [word.casefold().replace("\u2019", "'") for word in _WORD.findall(clause)]
    return any(
        (word in NEGATIONS or word.endswith("n't"))
        and not _DENIES_NOTHING.intersection(words[at + 1 :][:2])
        for at, word in enumerate(words)
    )
