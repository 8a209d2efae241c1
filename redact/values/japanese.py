"""Words of Japanese, by Sudachi's dictionary. The only file that imports sudachipy.

In: a run of kanji and kana. Out: (word, kind) pairs that make up the run.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sudachipy import Tokenizer

_OF_NAMES: Final = {"姓": "surname", "名": "given"}
_NOUNS: Final = frozenset({"名詞", "接尾辞"})


def words_in_japanese(run: str) -> Iterator[tuple[str, str]]:
    """Yield the words of a run, each with its kind."""
    for word in _tokenizer().tokenize(run):
        yield word.surface(), _kind(*word.part_of_speech()[:4])


def _kind(part: str, group: str, about: str, detail: str) -> str:
    if about == "人名":
        return _OF_NAMES.get(detail, "name")
    if about == "地名":
        return "place"
    if group == "数詞" or about.startswith("助数詞"):
        return "number"
    return "noun" if part in _NOUNS else "other"


@lru_cache(maxsize=1)
def _tokenizer() -> Tokenizer:
    # Local import: its dictionary is mapped from a file.
    from sudachipy import Dictionary  # noqa: PLC0415

    return Dictionary(dict="core").tokenizer()
