"""Vocabularies: the names that stand in one argument or one field of an app, one in the place of another.

In: an app's recorded attempts. Out: sets of names (people, products, codes) that calls give or results show at one place: an argument, a
field, or a column of rows without names.
Not here: what is made of them (`synth.rubric.told_checks`, `synth.rubric.closing_checks`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from environments.runtime.checks.closing import is_named
from environments.runtime.task.attempt import Attempt, Json
from environments.runtime.values.literals import parse_json
from environments.runtime.values.mentions import fields_in
from synth.recordings.attempt import EpisodeAttempt

MIN_NAMES: Final = 3
MOST_NAMES: Final = 60
"""Names of one place that are told apart."""
MOST_WORDS: Final = 4
MARKS: Final = str.maketrans("-&.", "   ")
"""What stands between the words of a name: `J. Marlow`, `Paint & Panel`."""
WORDS: Final = frozenset("AEIOUY")
"""Letters that are words in some language; other single ones are names, as a dock or a size has one."""

Vocabularies = Sequence[frozenset[str]]


def vocabularies_of(groups: Sequence[Sequence[EpisodeAttempt]]) -> Vocabularies:
    """The names by place, where these are at least three and most of what stands there; of many the first, so that new tasks change no grader."""
    values: dict[str, dict[str, None]] = defaultdict(dict)
    for group in groups:
        for one in group:
            for place, value in _texts_by_place(one.attempt):
                values[place].setdefault(value)
    found = set[frozenset[str]]()
    for told in values.values():
        names = list(filter(_is_name, told))
        if len(names) >= MIN_NAMES and 2 * len(names) > len(told):
            found.add(frozenset(names[:MOST_NAMES]))
    return sorted(found, key=sorted)


def told_names(said: str, names: Iterable[str]) -> frozenset[str]:
    """Those that a text tells."""
    return frozenset(name for name in names if is_named(name, said))


def _is_name(text: str) -> bool:
    """Whether a text is up to four words of letters that begin with a capital: what stands for somebody or something."""
    words = text.translate(MARKS).split()
    return (
        0 < len(words) <= MOST_WORDS
        and text[0].isupper()
        and text not in WORDS
        and all(map(str.isalpha, words))
    )


def _texts_by_place(attempt: Attempt) -> Iterator[tuple[str, str]]:
    for call in attempt.calls:
        shown = parse_json(call.result.content)
        result: Json = shown.value if shown is not None else None
        for value in (dict(call.arguments), result):
            for path, leaf in fields_in(value):
                name = next((step for step in reversed(path) if step is not None), "")
                if isinstance(leaf, str) and name:
                    yield name, leaf.strip()
        for row in result if isinstance(result, list) else ():
            for column, leaf in enumerate(row if isinstance(row, list) else ()):
                if isinstance(leaf, str):
                    yield f"{call.name} {column}", leaf.strip()
