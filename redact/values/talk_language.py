"""The language of a conversation, by the script of its letters and the words that it writes small.

In: what is said in it. Out: the language's name in English, a script's name where nobody reads its words, or `unknown`. It decides nothing
about values: it is what the account of the gate is counted by.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from redact.bounds import A_SMALL_SHARE, A_THIRD, AT_ONCE, MOST, SEVERAL
from redact.lists.dictionary import ENGLISH, LANGUAGES, words_of
from redact.values.segments import is_japanese, small_words, words_told

UNKNOWN_LANGUAGE: Final = "unknown"
_NAMES: Final = {
    "da": "Danish", "de": "German", "en": "English", "es": "Spanish", "fi": "Finnish", "fr": "French", "id": "Indonesian", "it": "Italian",
    "nb": "Norwegian", "nl": "Dutch", "pl": "Polish", "pt": "Portuguese", "ro": "Romanian", "ru": "Russian", "sv": "Swedish", "tr": "Turkish",
    "uk": "Ukrainian",
}  # fmt: skip
_SPELT: Final = frozenset({"LATIN", "CYRILLIC"})
"""Scripts of which languages are told apart by their words."""


def language_of_talk(said: Iterable[str]) -> str:
    """Return the language of a conversation; the same texts give the same."""
    text = "\n".join(said)[:AT_ONCE]
    script = _script_of(text)
    if script == "CJK":
        return "Japanese" if is_japanese(text) else "Chinese"
    if script not in _SPELT:
        return {"HANGUL": "Korean"}.get(script, script.capitalize() or UNKNOWN_LANGUAGE)
    words = {word for word in small_words(words_told(text)) if len(word) > 1}
    english = len(words & words_of(ENGLISH))
    if english > MOST * len(words):
        return _NAMES[ENGLISH]  # most conversations end here, before the other lists are asked
    known = {ENGLISH: english, **{one: len(words & words_of(one)) for one in LANGUAGES}}
    best = max(known, key=lambda one: known[one])
    few = known[best] < SEVERAL or known[best] <= A_THIRD * len(words)
    return UNKNOWN_LANGUAGE if few else _NAMES[best]


def language_code(name: str) -> str | None:
    """Return the ISO 639 code of a language that `language_of_talk` names; None for a script or an unknown one."""
    codes = {told: code for code, told in _NAMES.items()}
    return {**codes, "Chinese": "zh", "Japanese": "ja", "Korean": "ko"}.get(name)


def _script_of(text: str) -> str:
    """Return the script of a text as Unicode names it: Latin, unless another has a good part of the letters."""
    letters = Counter({"LATIN": sum(map(str.isalpha, text))} if text.isascii() else {})
    for letter in () if text.isascii() else text:
        if letter.isalpha():
            letters[_script(letter)] += 1
    found = [name for name in letters if letters[name] > A_SMALL_SHARE * letters.total()]
    return max(found, key=lambda name: (name != "LATIN", letters[name]), default="")


@lru_cache(maxsize=20_000)
def _script(letter: str) -> str:
    """Return the script of a letter; what Japanese and Chinese write are one."""
    name = unicodedata.name(letter, "").partition(" ")[0]
    return "CJK" if name in {"HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA"} else name
