"""Words of Chinese, by jieba's dictionary. The only file that imports rjieba.

In: a run of Han characters. Out: (word, kind) pairs that make up the run. Characters that no word of the dictionary joins stay apart, as the
given name of most people does: a guess at new words would take a name and the verb behind it for one.
"""

from __future__ import annotations

from collections.abc import Iterator

import rjieba


def words_in_chinese(run: str) -> Iterator[tuple[str, str]]:
    """Yield the words of a run, each with its kind."""
    for word, tag in rjieba.tag(run, hmm=False):
        yield word, _kind(tag)


def _kind(tag: str) -> str:
    if tag.startswith("nr"):
        return "name"
    if tag in {"ns", "nt"}:
        return "place"
    if tag in {"m", "q"}:
        return "number"
    return "noun" if tag.startswith(("n", "vn")) else "other"
