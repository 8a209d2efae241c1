"""Vocabularies: the names that stand in one argument or one field of an app, one in the place of another.

In: an app's recorded attempts. Out: sets of names (people, products, codes) that calls give or results show at one place, and of which
new tasks bring hardly another one.
Not here: what is made of them (`synth.rubric.told_checks`, `synth.rubric.closing_checks`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from statistics import median
from typing import Final

from environments.runtime.checks.closing import is_named
from environments.runtime.task.attempt import Attempt, Json
from environments.runtime.values.literals import parse_json
from environments.runtime.values.mentions import fields_in
from synth.recordings.attempt import EpisodeAttempt

MIN_NAMES: Final = 3
MOST_NAMES: Final = 60
"""A place with more names is text of any kind."""
MOST_WORDS: Final = 4
MARKS: Final = str.maketrans("-&.", "   ")
"""What stands between the words of a name: `J. Marlow`, `Paint & Panel`."""
WORDS: Final = frozenset("AEIOUY")
"""Letters that are words in some language; other single ones are names, as a dock or a size has one."""
NEW: Final = 0.1
"""New names for each task of the later half, beyond which the next task brings others: customers and their towns."""

Vocabularies = Sequence[frozenset[str]]


def vocabularies_of(groups: Sequence[Sequence[EpisodeAttempt]]) -> Vocabularies:
    """The names by place, where these are at least three, most of what stands there, and later tasks bring hardly another one."""
    tasks: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for task, group in enumerate(groups):
        for one in group:
            for place, value in _texts_by_place(one.attempt):
                tasks[place][value].append(task)
    found = set[frozenset[str]]()
    for by_value in tasks.values():
        names = frozenset(filter(_is_name, by_value))
        middle = median(task for name in names for task in set(by_value[name])) if names else 0
        new = sum(min(by_value[name]) > middle for name in names)
        if (
            MIN_NAMES <= len(names) <= MOST_NAMES
            and new <= NEW * len(groups) / 2
            and 2 * len(names) > len(by_value)
        ):
            found.add(names)
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
